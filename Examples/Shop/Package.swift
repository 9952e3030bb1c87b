// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Shop",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FlowObservers", targets: ["FlowObservers"])
  ],
  dependencies: [
    // Named, so that the folder of the clone may have any name.
    .package(name: "swift-actor-flow", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .target(
      name: "FlowObservers",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "FlowObserversTests",
      dependencies: [
        "FlowObservers",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
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
