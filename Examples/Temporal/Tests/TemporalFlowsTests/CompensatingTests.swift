import ActorFlow
import ActorFlowHosting
import SwiftProtobuf
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// A finished flow that owes a `backUp` keeps its workflow open until an operator has had that called again.
@Suite(.timeLimit(.minutes(1))) struct CompensatingTests {
  private let server: InMemoryServer
  private let flows: TemporalFlows
  private let refunds = Switch()

  init() throws {
    server = try InMemoryServer("charging", definition: "charging", input: #""in""#)
    flows = TemporalFlows(client: server.client, queue: "queue")
  }

  @Test func aFinishedFlowEndsItsWorkflowWhenItOwesNothing() async throws {
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await worker.register(TestFlows.charging(refunds))
    await worker.handle(server.task())
    try await answer("card", worker)
    #expect(try await request(.backUp, "back", worker) == nil)
    #expect(try await flows.view("charging").rollbackFailed)
    try await answer("again", worker)
    try await answer("signature", worker)
    let finished = try await flows.view("charging")
    #expect(finished.status == .finished)
    #expect(finished.undoFailures.map(\.step) == ["charging/pay"])
    #expect(server.now.completions.last?.endsWorkflow == false)
    #expect(try await request(.compensateAgain, "one", worker)?.code.rawValue == "rollbackFailed")
    #expect(server.now.completions.last?.endsWorkflow == false)
    refunds.turnOn()
    #expect(try await request(.compensateAgain, "two", worker) == nil)
    // The outcome is told, and the workflow ended, in one completion.
    #expect(server.now.completions.last?.endsWorkflow == true)
    let view = try await flows.view("charging")
    #expect(view.output == finished.output)
    #expect(!view.rollbackFailed)
    #expect(server.now.completedUpdates == ["card", "back", "again", "signature", "one", "two"])
    #expect(server.now.problems == [])
    #expect(server.now.failures == [])
  }

  private func answer(_ key: String, _ worker: TemporalFlowWorker) async throws {
    let question = try #require(try await flows.view("charging").questions.first)
    #expect(try await request(.answer, key, question: question.id, worker) == nil)
  }

  /// Has the worker carry out an update, and returns the error that its sender gets.
  private func request(
    _ verb: UpdateVerb, _ key: String, question: Question.ID? = nil, _ worker: TemporalFlowWorker
  ) async throws -> TemporalFlowError? {
    var request = TemporalUpdateRequest()
    request.meta.updateID = key
    request.input.name = verb.rawValue
    let arguments = UpdateArguments(key: key, question: question.map { "\($0)" })
    request.input.args = TemporalPayloads(try .json(encoding: arguments), .json(Array("\"\(key)\"".utf8)))
    var message = TemporalProtocolMessage()
    (message.id, message.protocolInstanceID, message.eventID) = ("\(key)/request", key, 2)
    message.body.value = try request.serializedBytes()
    server.change { [message] in $0.updates.append(message) }
    await worker.handle(server.timeOut())
    for case .updateCompleted(let completed) in server.now.events.compactMap(\.attributes)
    where completed.meta.updateID == key {
      if case .failure(let failure) = completed.outcome.value { return failure.flowError }
    }
    return nil
  }
}
