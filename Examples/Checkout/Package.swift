// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Checkout",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named, so that it does not matter what the folder of the clone is called.
    .package(name: "swift-actor-flow", path: "../..")
  ],
  targets: [
    .target(
      name: "CheckoutFlow",
      dependencies: [.product(name: "ActorFlow", package: "swift-actor-flow")],
      resources: [.copy("Resources/catalogue.csv")]),
    .testTarget(
      name: "CheckoutFlowTests",
      dependencies: ["CheckoutFlow", .product(name: "ActorFlow", package: "swift-actor-flow")]),
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
