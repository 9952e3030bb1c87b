import ActorFlow
import ActorFlowHosting
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// Workflows that others have ended while their flows were open.
@Suite(.timeLimit(.minutes(2))) struct ForeignEndTests {
  @Test(
    arguments: [
      (TemporalEventType.workflowExecutionTerminated, FlowSnapshot.Status.abandoned),
      (.workflowExecutionCanceled, .cancelled), (.workflowExecutionTimedOut, .failed),
    ])
  func aFlowIsShownAsEnded(_ event: TemporalEventType, as status: FlowSnapshot.Status) async throws {
    let server = try await Self.waiting()
    let flows = TemporalFlows(client: server.client, queue: "queue")
    let before = try await flows.view("counting")
    #expect(before.status == .waiting)
    server.write(event)
    let view = try await flows.settled("counting")
    #expect(view.status == status)
    #expect(view.steps.isEmpty)
    #expect(view.wakeAt == nil)
    #expect(view.revision == before.revision)
  }

  /// A flow that has ended by itself stays as it has ended, also if its workflow was still open for a `backUp`.
  @Test func anEndedFlowKeepsItsEnd() {
    let ended = FlowSnapshot(definition: "counting", version: 1, status: .finished, rollbackFailed: true)
    #expect(ForeignEnd.terminated.ending(ended) == ended)
  }

  @Test func aWorkflowThatEndsBeforeItsFlowBeginsHasEnded() async throws {
    let server = try InMemoryServer("counting", definition: "counting", input: "0")
    let flows = TemporalFlows(client: server.client, queue: "queue")
    func code() async -> TemporalFlowError.Code? {
      await #expect(throws: TemporalFlowError.self) { _ = try await flows.settled("counting", within: .zero) }?.code
    }
    #expect(await code() == .noSuchFlow)
    server.write(.workflowExecutionTerminated)
    #expect(await code() == .flowEnded)
  }

  @Test func aListShowsTheEnd() throws {
    let snapshot = FlowSnapshot(definition: "counting", version: 1, status: .waiting, steps: ["counting/count"])
    let record = SummaryRecord(
      StoredFlow(id: "counting", revision: Revision(3), snapshot: snapshot, changedAt: .init(microseconds: 0)))
    let open = try #require(record.summary(of: "counting", ended: ForeignEnd(TemporalWorkflowExecutionStatus.running)))
    #expect(open.status == .waiting)
    let ended = try #require(
      record.summary(of: "counting", ended: ForeignEnd(TemporalWorkflowExecutionStatus.terminated)))
    #expect(ended.status == .abandoned)
    #expect(ended.steps.isEmpty)
    #expect(ended.revision == Revision(3))
  }

  /// A server with a flow that waits for an answer.
  private static func waiting() async throws -> InMemoryServer {
    let server = try InMemoryServer("counting", definition: "counting", input: "0")
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await worker.register(TestFlows.counting)
    await worker.handle(server.task())
    return server
  }
}
