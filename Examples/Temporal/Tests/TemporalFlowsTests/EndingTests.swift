import ActorFlow
import ActorFlowHosting
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// A worker that is told to end while it has work at hand.
@Suite(.timeLimit(.minutes(1))) struct EndingTests {
  /// The effect under way ends and is stored. The task goes back to the server at once, and not as a failure.
  @Test func aWorkerThatEndsStoresItsEffectAndHandsTheFlowOver() async throws {
    let (server, effect) = (try InMemoryServer("held", definition: "held", input: #""in""#), Held())
    let first = try await Self.worker(server, effect)
    async let handled: Void = first.handle(server.task())
    await effect.began.wait()
    async let ended: Void = first.host.shutDown()
    while await Self.takesRequests(first) { await Task.yield() }
    effect.goesOn.open()
    try await ended
    await handled
    let last = try #require(server.now.completions.last)
    #expect(last.forceCreateNewWorkflowTask && !last.returnNewWorkflowTask)
    #expect(server.now.failures == [])
    let second = try await Self.worker(server, effect)
    await second.handle(server.timeOut())
    #expect(effect.calls.value == 1)
    #expect(server.now.completions.last?.endsWorkflow == true)
    #expect(server.now.failures == [])
  }

  private static func takesRequests(_ worker: TemporalFlowWorker) async -> Bool {
    do { _ = try await worker.host.flow("another").retry() } catch {
      return (error as? FlowError)?.code != .hostStopping
    }
    return true
  }

  private static func worker(_ server: InMemoryServer, _ effect: Held) async throws -> TemporalFlowWorker {
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await worker.register(Flow<String, String>("held") { Step("hold") { HeldEffect(effect) } })
    return worker
  }
}

/// A step whose effect is held, also if its task is cancelled.
actor HeldEffect: FlowStep {
  let held: Held
  init(_ held: Held) { self.held = held }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("effect") { [held] _ in
      held.calls.add()
      held.began.open()
      _ = try await shielded { await held.goesOn.wait() }
      return "done"
    }
  }
  func backUp(context: RollbackContext) {}
}
