import ActorFlow
import ActorFlowHosting
import Foundation
import TemporalExample
@testable import TemporalFlows
import Testing

/// A server for the tests of a suite, started before the first and stopped after the last.
struct ServedByTemporal: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard let binary = DevServer.binary else { return try await function() }
    // The server's limit of heartbeats is 30 minutes otherwise.
    let server = try DevServer(binary, settings: ["history.workflowTaskHeartbeatTimeout": #""3s""#])
    defer { server.stop() }
    let client = try server.client()
    try await withThrowingTaskGroup { group in
      group.addTask { try await client.run() }
      try await server.isReady(client)
      let place = Served.Place(binary: binary, port: server.port)
      try await Served.$place.withValue(place) {
        try await Served.$client.withValue(client) { try await function() }
      }
      group.cancelAll()
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips where Temporal's binary is absent.
  static var needsTemporal: Self {
    .enabled("Temporal's binary is absent: name it in ACTORFLOW_TEMPORAL") { DevServer.binary != nil }
  }
}

/// The server of a suite, and workers of its own for each test.
enum Served {
  @TaskLocal static var client: TemporalClient?
  @TaskLocal static var place: Place?

  struct Place: Sendable {
    let binary: String
    let port: Int
  }

  /// Calls the program of an operator, which knows nothing of this package.
  static func operate(_ arguments: String...) throws {
    guard let place else { throw NoServer() }
    let child = try ChildProcess(place.binary, arguments + ["--address", "127.0.0.1:\(place.port)"])
    #expect(child.waitUntilExit() == 0)
  }

  struct NoServer: Error {}

  /// Runs `body` while a worker polls a queue of its own.
  static func withWorker(
    _ queue: String, changing change: @Sendable (inout TemporalFlowWorker.Options) -> Void = { _ in },
    registering register: @escaping @Sendable (TemporalFlowWorker) async throws -> Void,
    _ body: @escaping @Sendable (TemporalFlows) async throws -> Void
  ) async throws {
    let worker = try worker(queue, changing: change)
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await register(worker)
      group.addTask { try await worker.run() }
      try await body(flows(queue))
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// A worker of a queue, which has to be run.
  static func worker(
    _ queue: String, changing change: (inout TemporalFlowWorker.Options) -> Void = { _ in }
  ) throws -> TemporalFlowWorker {
    guard let client else { throw NoServer() }
    var options = TemporalFlowWorker.Options()
    options.hasSearchAttributes = true
    options.taskTimeout = .seconds(2)
    change(&options)
    var worker = try TemporalFlowWorker(client: client, queue: queue, pollers: 2, options: options)
    worker.settings.silence = .seconds(1)
    return worker
  }

  static func flows(_ queue: String) throws -> TemporalFlows {
    guard let client else { throw NoServer() }
    var options = TemporalFlows.Options()
    options.taskTimeout = .seconds(2)
    options.hasSearchAttributes = true
    return TemporalFlows(client: client, queue: queue, options: options)
  }

  /// A name that no other test has.
  static func name(_ what: String) -> String { "\(what)-\(UInt32.random(in: 0 ... .max))" }
}

extension TemporalFlows {
  /// Answers the question that is open, and returns the flow behind it.
  @discardableResult
  func answerNext(
    _ id: FlowID, _ answer: some Encodable & Sendable, key: String? = nil, within time: Duration = .seconds(10)
  ) async throws -> FlowView {
    let question = try #require(try await settled(id, within: time).questions.first)
    let revision = try await self.answer(question.id, with: answer, key: key)
    return try await settled(id, after: revision, within: time)
  }
}
