// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "CrashTest",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-actor-flow", path: "../..", traits: [.defaults, "SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "crash-test",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowPostgreSQL", package: "swift-actor-flow"),
        .product(name: "ActorFlowSQLite", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
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
}
