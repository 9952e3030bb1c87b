import ActorFlowTesting
import Foundation

@testable import ActorFlow

/// Values as JSON.
struct JSONCodec: ValueCodec {
  func encode(_ value: any Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(value))
  }

  func decode<T: Decodable>(_ bytes: [UInt8], as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}

/// Keeps every snapshot that a flow commits, and takes the flow up at any of them.
final class FlowRecorder: Sendable {
  struct Commit: Sendable {
    let snapshot: MachineSnapshot
    let events: [NavigationEvent]
    /// The time since the flow's start.
    let elapsed: Duration
    /// How many lines the trace had.
    let traced: Int
  }

  let graph: Graph
  let names: GraphNames
  private let commits = Lock<[Commit]>([])
  /// The time since the flow's start. It stands still until a test moves it.
  let clock = ManualClock()
  private let started: ManualClock.Instant
  private let lines: @Sendable () -> Int
  private let before = Lock(PackedBefore())

  /// What was packed before makes another snapshot.
  struct Differs: Error {}

  /// - Parameter elapsed: How long ago the flow began.
  convenience init(_ flow: Flow<String, String>, tracing trace: Trace = Trace(), at elapsed: Duration = .zero) {
    self.init(flow, at: elapsed) { trace.all.count }
  }

  /// - Parameter lines: How many lines the trace has.
  init(_ flow: Flow<String, String>, at elapsed: Duration, counting lines: @escaping @Sendable () -> Int) {
    graph = flow.graph
    names = GraphNames(flow.graph)
    started = clock.now
    self.lines = lines
    clock.advance(by: elapsed)
  }

  var all: [Commit] { commits.withLock { $0 } }
  var latest: MachineSnapshot? { all.last?.snapshot }
  var elapsed: Duration { started.duration(to: clock.now) }

  private func settings(_ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void) -> CoordinatorSettings {
    var settings = CoordinatorSettings()
    settings.eventLog = 10_000
    let (started, clock) = (started, clock)
    let watch = PersistedStopwatch(
      elapsed: { started.duration(to: clock.now) },
      sleepUntil: { try await clock.sleep(until: started.advanced(by: $0), tolerance: nil) })
    settings.persistence = FlowPersistence(codec: JSONCodec(), watch: watch) { [self] machine, events, _ in
      let snapshot = try machine.snapshot(names, with: JSONCodec())
      guard try reusing(machine) == snapshot else { throw Differs() }
      try await allows(snapshot)
      let commit = Commit(snapshot: snapshot, events: events, elapsed: elapsed, traced: lines())
      commits.withLock { $0.append(commit) }
    }
    return settings
  }

  /// The snapshot, made with what was packed before.
  private func reusing(_ machine: FlowMachine) throws -> MachineSnapshot {
    var known = before.withLock { $0 }
    defer { before.withLock { $0 = known } }
    return try machine.snapshot(names, with: JSONCodec(), reusing: &known)
  }

  /// Begins the flow.
  ///
  /// - Parameter allows: Called before each commit; what it throws fails the commit.
  func start(
    with input: String, _ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void = { _ in }
  ) async throws -> PersistedRun {
    let coordinator = FlowCoordinator(id: "kept", settings: settings(allows))
    try await coordinator.begin(graph, with: input)
    return PersistedRun(coordinator, clock)
  }

  func machine(of snapshot: MachineSnapshot) throws -> FlowMachine {
    try FlowMachine(snapshot, of: "kept", names: names, codec: JSONCodec(), at: elapsed)
  }

  /// Takes the flow up.
  func resume(
    _ snapshot: MachineSnapshot, _ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void = { _ in }
  ) throws -> PersistedRun {
    PersistedRun(FlowCoordinator(resuming: try machine(of: snapshot), settings: settings(allows)), clock)
  }

  /// Forgets every commit.
  func forget() { commits.withLock { $0 = [] } }
}

/// A kept flow that runs beside the test.
struct PersistedRun: Sendable {
  let coordinator: FlowCoordinator
  let run: Task<Void, Never>
  let clock: ManualClock

  init(_ coordinator: FlowCoordinator, _ clock: ManualClock) {
    self.coordinator = coordinator
    self.clock = clock
    run = Task { await coordinator.activate() }
  }

  /// Puts the flow away, and waits until nothing of it runs.
  func passivate() async {
    await coordinator.passivate()
    await run.value
  }

  /// What the flow has made or thrown.
  var result: Result<String, any Error> {
    get async {
      await run.value
      do { return .success(try StepBody.cast(await coordinator.endRun(), to: String.self)) } catch {
        return .failure(error)
      }
    }
  }
}
