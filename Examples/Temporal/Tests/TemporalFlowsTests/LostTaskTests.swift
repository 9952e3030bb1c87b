import ActorFlow
import ActorFlowHosting
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// A task that the server has given to another worker, or has timed out.
@Suite(.timeLimit(.minutes(1))) struct LostTaskTests {
  /// A heartbeat finds that the task is lost: the step is cancelled, and what it returns all the same is dropped.
  @Test func theStepOfALostTaskIsCancelledAndItsResultDropped() async throws {
    let (server, step) = try (Self.server(taskTimeout: .milliseconds(90)), Held())
    let worker = try await Self.worker(server, step)
    async let first: Void = worker.handle(server.task())
    await step.began.wait()
    let next = server.timeOut()
    #expect(await step.cancelled.wait())
    let snapshots = try server.now.snapshots.count
    step.goesOn.open()
    await first
    #expect(try server.now.snapshots.count == snapshots)
    #expect(worker.store.session(of: "held") == nil)
    // The next task begins from the flow as it is stored.
    await worker.handle(next)
    #expect(step.calls.value == 2)
    #expect(try server.now.snapshots.last?.status == .finished)
    #expect(server.now.completions.last?.endsWorkflow == true)
    #expect(server.now.failures == [])
  }

  /// The server gives the task of a flow to this worker again, with a commit that another one has made meanwhile.
  @Test func aTaskWithAnothersCommitCancelsTheStep() async throws {
    let (server, step) = try (Self.server(), Held())
    let worker = try await Self.worker(server, step)
    async let first: Void = worker.handle(server.task())
    await step.began.wait()
    let stored = try #require(await worker.store.session(of: "held")?.stored)
    let record = SnapshotRecord(
      revision: stored.revision.number + 1, commit: CommitID(), changedAt: 0, cursor: 0)
    var marker = TemporalMarkerRecordedAttributes()
    marker.markerName = SnapshotRecord.marker
    marker.details = try record.details(stored.snapshot.encoded(), history: [])
    server.write(.markerRecorded(marker))
    async let second: Void = worker.handle(server.timeOut())
    #expect(await step.cancelled.wait())
    step.goesOn.open()
    await first
    await second
    #expect(step.calls.value == 2)
    #expect(server.now.completions.last?.endsWorkflow == true)
    #expect(server.now.failures == [])
  }

  /// The guard of the host admits only callers that it knows; the worker's own note is none of them.
  @Test func theGuardOfTheHostDoesNotKeepAStepAlive() async throws {
    let (server, step) = try (Self.server(taskTimeout: .milliseconds(90)), Held())
    let isStarted = Switch()
    let worker = try await Self.worker(server, step) { options in
      options.host.access = { _, _, _ in if isStarted.value { throw Refusal.notAllowed("please sign in") } }
    }
    async let first: Void = worker.handle(server.task())
    await step.began.wait()
    isStarted.turnOn()
    _ = server.timeOut()
    #expect(await step.cancelled.wait())
    step.goesOn.open()
    await first
  }

  /// The run has so many events that the server would soon terminate it: the step is begun again in a new run.
  @Test func aStepInTooLongARunIsInterrupted() async throws {
    let (server, step) = try (Self.server(taskTimeout: .milliseconds(90)), Held())
    var worker = try await Self.worker(server, step)
    worker.settings.mostEvents = 40
    async let first: Void = worker.handle(server.task())
    await step.began.wait()
    #expect(await step.cancelled.wait())
    step.goesOn.open()
    await first
    #expect(server.now.failures.count == 1)
    #expect(server.now.events.count >= 40)
    await worker.handle(server.timeOut())
    #expect(step.calls.value == 1)
    #expect(server.now.completions.last?.commands.map(\.commandType) == [.continueAsNewWorkflowExecution])
  }

  private static func server(taskTimeout: Duration = .seconds(60)) throws -> InMemoryServer {
    try InMemoryServer("held", definition: "held", input: #""in""#, taskTimeout: taskTimeout)
  }

  private static func worker(
    _ server: InMemoryServer, _ step: Held, changing change: (inout TemporalFlowWorker.Options) -> Void = { _ in }
  ) async throws -> TemporalFlowWorker {
    var options = TemporalFlowWorker.Options()
    change(&options)
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue", options: options)
    try await worker.register(Flow<String, String>("held") { Step("hold") { HeldStep(step) } })
    return worker
  }
}

/// The signs of a step that is held at its first call, and goes on also if it is cancelled.
final class Held: Sendable {
  let (began, cancelled, goesOn) = (Latch(), Latch(), Latch())
  let calls = Counter()
}

actor HeldStep: FlowStep {
  let held: Held
  init(_ held: Held) { self.held = held }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    // Behind the record of the effect no commit is on its way any more that could find out about the loss.
    _ = try await context.once("before") { _ in true }
    held.calls.add()
    held.began.open()
    let held = held
    await withTaskCancellationHandler {
      _ = try? await shielded { await held.goesOn.wait() }
    } onCancel: {
      held.cancelled.open()
    }
    return "late"
  }
  func backUp(context: RollbackContext) {}
}
