// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Approval",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "approval", targets: ["Approval"])
  ],
  dependencies: [
    // Named, so that the folder of the clone may have any name.
    .package(name: "swift-actor-flow", path: "../..", traits: [.defaults, "SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "ApprovalFlow",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
      ]),
    .executableTarget(
      name: "Approval",
      dependencies: [
        "ApprovalFlow",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowPostgreSQL", package: "swift-actor-flow"),
        .product(name: "ActorFlowSQLite", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "ApprovalFlowTests",
      dependencies: [
        "ApprovalFlow",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowTesting", package: "swift-actor-flow"),
      ]),
    // Runs the built program; the dependency builds it first.
    .testTarget(name: "ApprovalTests", dependencies: ["Approval"]),
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
