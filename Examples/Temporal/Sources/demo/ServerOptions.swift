import ArgumentParser
import Foundation
import TemporalExample
import TemporalFlows

/// The server of a demonstration or a proof.
struct ServerOptions: ParsableArguments {
  @Option(help: "The path of Temporal's binary; otherwise ACTORFLOW_TEMPORAL, or the first `temporal` in PATH.")
  var binary: String?
  @Option(help: "The port of a server that runs already.") var port: Int?
  @Option(help: "The port at which the workers find the server, if another than its own.") var workerPort: Int?

  /// A server with a client that runs.
  struct Place: Sendable {
    let port: Int
    let workerPort: Int
    let client: TemporalClient
    let ledger: String
  }

  /// Runs `body` with a server of its own, which is stopped afterwards, or with the one that is named.
  func withServer(_ body: @escaping @Sendable (Place) async throws -> Void) async throws {
    if let port {
      return try await withClient(try TemporalClient(host: "127.0.0.1", port: port), at: port, body)
    }
    guard let binary = binary ?? DevServer.binary else {
      throw ValidationError("Temporal's binary is missing: name it with --binary, or in ACTORFLOW_TEMPORAL")
    }
    let server = try DevServer(binary)
    defer { server.stop() }
    let client = try server.client()
    try await withClient(client, at: server.port) { place in
      try await server.isReady(client)
      try await body(place)
    }
  }

  private func withClient(
    _ client: TemporalClient, at port: Int, _ body: @escaping @Sendable (Place) async throws -> Void
  ) async throws {
    let name = "ledger-\(port)-\(UInt32.random(in: 0 ... .max)).txt"
    let ledger = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    defer { try? FileManager.default.removeItem(atPath: ledger) }
    let place = Place(port: port, workerPort: workerPort ?? port, client: client, ledger: ledger)
    try await withThrowingTaskGroup { group in
      group.addTask { try await client.run() }
      try await body(place)
      group.cancelAll()
    }
  }
}
