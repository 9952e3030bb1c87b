// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Checkout",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "checkout", targets: ["Checkout"])
  ],
  dependencies: [
    // Named, so that the folder of the clone may have any name.
    .package(name: "swift-actor-flow", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "CheckoutFlow",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowDocuments", package: "swift-actor-flow"),
      ],
      resources: [.copy("Resources/catalogue.csv"), .copy("Resources/upsell.json")]),
    .executableTarget(
      name: "Checkout",
      dependencies: [
        "CheckoutFlow",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "CheckoutFlowTests",
      dependencies: [
        "CheckoutFlow",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowDocuments", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowTesting", package: "swift-actor-flow"),
      ]),
    // Runs the built program; the dependency builds it first.
    .testTarget(name: "CheckoutTests", dependencies: ["Checkout", "CheckoutFlow"]),
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
