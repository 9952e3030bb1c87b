import ActorFlow
import ActorFlowHosting
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// The completions that keep the task of a long step.
@Suite struct HeartbeatTests {
  private let server: InMemoryServer

  init() throws { server = try InMemoryServer("order", definition: "checkout", input: "{}") }

  /// A session of a task that was given out a task timeout ago, so that a heartbeat is due.
  private func session(_ change: (inout SessionSettings) -> Void = { _ in }) throws -> TaskSession {
    var settings = try TemporalFlowWorker(client: server.client, queue: "queue").settings
    settings.silence = .seconds(300)
    change(&settings)
    var state = RunState(of: server.id)
    let task = server.task()
    try state.add(task.history.events)
    let lease = FlowLease(id: server.id, owner: "worker", fence: Fence(2))
    return try TaskSession(
      task, state, lease: lease, client: server.client, settings: settings, givenAt: .now - .seconds(60))
  }

  @Test func aHeartbeatSaysNothing() async throws {
    let session = try session()
    await session.beat()
    #expect(server.now.completions.map(\.commands.count) == [0])
    #expect(await session.state.lastEvent == Int64(server.now.events.count))
    #expect(await session.phase == .open)
  }

  /// To the server, a completion with a command is no heartbeat, and so has no limit.
  @Test func aHeartbeatAfterALongSilenceWritesAMarker() async throws {
    let session = try session { $0.silence = .seconds(30) }
    await session.beat()
    let commands = try #require(server.now.completions.first?.commands)
    #expect(commands.map(\.recordMarker.markerName) == [SnapshotRecord.cursorMarker])
    #expect(await session.state.lastEvent == Int64(server.now.events.count))
    #expect(await session.saidAt > .now - .seconds(30))
  }

  /// The history behind a heartbeat is not read again, unless something has come.
  @Test func aSignalDuringAHeartbeatIsSeen() async throws {
    let session = try session()
    let server = server
    server.onCompletion { _, _ in
      var signal = TemporalWorkflowSignaledAttributes()
      signal.signalName = "paid"
      server.write(.workflowSignaled(signal))
      return .taken
    }
    await session.beat()
    #expect(await session.state.arrivals.count == 1)
    #expect(await session.open.count == 1)
  }
}
