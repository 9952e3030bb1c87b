// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "swift-actor-flow",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ActorFlow", targets: ["ActorFlow"]),
    .library(name: "ActorFlowTesting", targets: ["ActorFlowTesting"]),
    .library(name: "ActorFlowHosting", targets: ["ActorFlowHosting"]),
    .library(name: "ActorFlowDocuments", targets: ["ActorFlowDocuments"]),
  ],
  targets: [
    .target(name: "ActorFlow"),
    .target(name: "ActorFlowHosting", dependencies: ["ActorFlow"]),
    .target(name: "ActorFlowTesting", dependencies: ["ActorFlow", "ActorFlowHosting"]),
    .target(name: "ActorFlowDocuments", dependencies: ["ActorFlow"]),
    .target(
      name: "RandomPrograms", dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting"],
      path: "Tests/RandomPrograms"),
    .testTarget(name: "ActorFlowTests", dependencies: ["ActorFlow", "ActorFlowTesting", "RandomPrograms"]),
    .testTarget(name: "ActorFlowTestingTests", dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting"]),
    .testTarget(
      name: "ActorFlowHostingTests",
      dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting", "RandomPrograms"],
      resources: [.copy("Corpus")]),
    .testTarget(
      name: "ActorFlowDocumentsTests",
      dependencies: ["ActorFlow", "ActorFlowDocuments", "ActorFlowHosting", "ActorFlowTesting"]),
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
