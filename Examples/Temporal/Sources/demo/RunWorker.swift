import ActorFlow
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import TemporalExample
import TemporalFlows
import UnixSignals

/// A worker process of the checkout.
struct RunWorker: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", abstract: "Run a worker of the checkout.")

  @Option(help: "The port of the server.") var port: Int
  @Option(help: "The task queue.") var queue = "checkout"
  @Option(help: "The ledger of the effects.") var ledger: String?
  @Option(help: "The longest time of an effect, in milliseconds.") var slowest = 0
  @Flag(help: "Say what happens.") var talks = false

  func run() async throws {
    let client = try TemporalClient(host: "127.0.0.1", port: port)
    var options = TemporalFlowWorker.Options()
    options.hasSearchAttributes = true
    if talks { options.logger = Logger(label: "worker") { StreamLogHandler.standardError(label: $0) } }
    let worker = try TemporalFlowWorker(client: client, queue: queue, options: options)
    let provider = Provider(ledger: ledger, slowest: .milliseconds(slowest))
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await client.run() }
      try await worker.register(Checkout.flow(provider))
      print("worker \(ProcessInfo.processInfo.processIdentifier) polls")
      try await ServiceGroup(
        services: [worker], gracefulShutdownSignals: [.sigterm, .sigint], logger: options.logger
      ).run()
      group.cancelAll()
    }
  }

  /// Starts a worker as a process of its own.
  static func start(at place: ServerOptions.Place, slowest: Int = 0, talks: Bool = false) throws -> ChildProcess {
    let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
    return try ChildProcess(
      program,
      ["worker", "--port", "\(place.workerPort)", "--ledger", place.ledger, "--slowest", "\(slowest)"]
        + (talks ? ["--talks"] : []))
  }
}
