// swift-tools-version: 6.3
import PackageDescription

/// The name that the package manager gives the library's package: the name of its folder, as an identifier.
let library = Context.packageDirectory.split(separator: "/").dropLast(2).last.map { folder in
  String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-actor-flow", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "Committing", "Floors",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(name: "Floors"),
    // The commit hook has package access, so this target is compiled as part of the library's package.
    .target(
      name: "Committing", dependencies: [.product(name: "ActorFlow", package: "swift-actor-flow")],
      packageAccess: false),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  if !target.packageAccess, let library { target.swiftSettings?.append(.unsafeFlags(["-package-name", library])) }
}
