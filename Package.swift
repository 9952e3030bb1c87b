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
    .library(name: "ActorFlowWeb", targets: ["ActorFlowWeb"]),
    .library(name: "ActorFlowSQLite", targets: ["ActorFlowSQLite"]),
    .library(name: "ActorFlowPostgreSQL", targets: ["ActorFlowPostgreSQL"]),
  ],
  // Without its trait, a store's module is empty and needs no library of the system.
  traits: [
    .trait(name: "SQLite", description: "The store of ActorFlowSQLite; needs libsqlite3."),
    .trait(name: "PostgreSQL", description: "The store of ActorFlowPostgreSQL; needs libpq."),
  ],
  targets: [
    .target(name: "ActorFlow"),
    .target(name: "ActorFlowHosting", dependencies: ["ActorFlow"]),
    .target(name: "ActorFlowTesting", dependencies: ["ActorFlow", "ActorFlowHosting"]),
    .target(name: "ActorFlowDocuments", dependencies: ["ActorFlow"]),
    .target(name: "ActorFlowWeb", dependencies: ["ActorFlow", "ActorFlowHosting"]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(
      name: "ActorFlowSQLite",
      dependencies: [
        "ActorFlow", "ActorFlowHosting", .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
      ]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "ActorFlowPostgreSQL",
      dependencies: [
        "ActorFlow", "ActorFlowHosting", .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
    .target(
      name: "RandomPrograms", dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting"],
      path: "Tests/RandomPrograms"),
    .testTarget(name: "ActorFlowTests", dependencies: ["ActorFlow", "ActorFlowTesting", "RandomPrograms"]),
    .testTarget(name: "ActorFlowTestingTests", dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting"]),
    .testTarget(
      name: "ActorFlowHostingTests",
      dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting", "RandomPrograms"],
      resources: [.copy("Corpus")]),
    .testTarget(name: "ClientTests", dependencies: ["ActorFlow", "ActorFlowHosting"]),
    .testTarget(
      name: "ActorFlowDocumentsTests",
      dependencies: ["ActorFlow", "ActorFlowDocuments", "ActorFlowHosting", "ActorFlowTesting"]),
    .testTarget(
      name: "ActorFlowWebTests", dependencies: ["ActorFlow", "ActorFlowHosting", "ActorFlowTesting", "ActorFlowWeb"]),
    .testTarget(
      name: "ActorFlowSQLiteTests",
      dependencies: [
        "ActorFlow", "ActorFlowHosting", "ActorFlowSQLite", "ActorFlowTesting", "RandomPrograms",
        .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
      ]),
    .testTarget(
      name: "ActorFlowPostgreSQLTests",
      dependencies: [
        "ActorFlow", "ActorFlowHosting", "ActorFlowPostgreSQL", "ActorFlowTesting", "RandomPrograms",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The target `ClientTests` has the settings of a new package.
for target in package.targets where target.type != .system && target.name != "ClientTests" {
  target.swiftSettings = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}

// `.ci/run` sets the variable. Packages that depend on this one build with warnings.
if Context.environment["ACTORFLOW_STRICT"] != nil {
  for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// Every public type of the library says whether it is Sendable. The runner that the package manager writes for tests
// does not.
for target in package.targets where target.type == .regular {
  target.swiftSettings?.append(.treatWarning("ExplicitSendable", as: .error))
}
