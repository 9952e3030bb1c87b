// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Shop",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FlowObservers", targets: ["FlowObservers"]),
    .library(name: "HummingbirdFlows", targets: ["HummingbirdFlows"]),
    .executable(name: "actorflow", targets: ["FlowOperator"]),
    .executable(name: "shop", targets: ["ShopServer"]),
  ],
  dependencies: [
    // Named, so that the folder of the clone may have any name.
    .package(name: "swift-actor-flow", path: "../..", traits: [.defaults, "SQLite", "PostgreSQL"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // The operators' tool. Its module is not named after the product, which file systems may take for ActorFlow's.
    .executableTarget(
      name: "FlowOperator",
      dependencies: [
        "FlowStores",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    // The place of the flows, as `--store` of the service and of the tool names it.
    .target(
      name: "FlowStores",
      dependencies: [
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowPostgreSQL", package: "swift-actor-flow"),
        .product(name: "ActorFlowSQLite", package: "swift-actor-flow"),
      ]),
    .target(
      name: "FlowObservers",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(
      name: "HummingbirdFlows",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(
      name: "Shop",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // What the load test compares the shop with.
    .executableTarget(
      name: "BareServer",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    // The client of the fake bank, of the smoke run and of the tests.
    .target(
      name: "LoopbackClient",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "ShopServer",
      dependencies: [
        "FlowObservers", "FlowStores", "HummingbirdFlows", "LoopbackClient", "Shop",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "FlowObserversTests",
      dependencies: [
        "FlowObservers", "HummingbirdFlows", "LoopbackClient",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowTesting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "HummingbirdFlowsTests",
      dependencies: [
        "HummingbirdFlows", "LoopbackClient",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "FlowOperatorTests",
      dependencies: [
        "FlowOperator", "FlowStores", "HummingbirdFlows", "Shop",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "ShopTests",
      dependencies: [
        "Shop", "ShopServer",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowTesting", package: "swift-actor-flow"),
        .product(name: "ActorFlowWeb", package: "swift-actor-flow"),
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
