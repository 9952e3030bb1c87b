// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "TemporalHandover",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "TemporalHandover", targets: ["TemporalHandover"])
  ],
  dependencies: [
    // Named, so that the folder of the clone may have any name. The traits are those of the other examples, which share
    // the build of the library's modules; nothing here needs them.
    .package(name: "swift-actor-flow", path: "../..", traits: [.defaults, "SQLite", "PostgreSQL"])
  ],
  targets: [
    .target(
      name: "TemporalHandover",
      dependencies: [
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
      ]),
    .testTarget(
      name: "TemporalHandoverTests",
      dependencies: [
        "TemporalHandover",
        .product(name: "ActorFlow", package: "swift-actor-flow"),
        .product(name: "ActorFlowHosting", package: "swift-actor-flow"),
        .product(name: "ActorFlowTesting", package: "swift-actor-flow"),
      ],
      exclude: ["Server/worker.py"]),
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
