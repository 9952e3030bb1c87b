import ActorFlowTesting
import Foundation

@testable import ActorFlow

/// Encodes values as JSON.
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

/// Records every snapshot that a flow commits, and activates the flow at any of them.
final class FlowRecorder: Sendable {
  struct Commit: Sendable {
    let snapshot: MachineSnapshot
    let events: [NavigationEvent]
    /// The time since the flow's start.
    let elapsed: Duration
    /// The number of lines in the trace at the commit.
    let traced: Int
  }

  let graph: Graph
  let names: GraphNames
  private let commits = Lock<[Commit]>([])
  /// A clock that a test moves; it shows the time since the flow's start.
  let clock = ManualClock()
  private let started: ManualClock.Instant
  private let lines: @Sendable () -> Int
  private let before = Lock(PackedBefore())
  /// Whether moves wait for the next commit, as on a host.
  private let holds: Bool
  private let held = Lock<[NavigationEvent]>([])

  /// Thrown if a snapshot with reused encodings differs from one without.
  struct Differs: Error {}

  /// - Parameter elapsed: The time since the flow's start.
  convenience init(
    _ flow: Flow<String, String>, tracing trace: Trace = Trace(), at elapsed: Duration = .zero, holds: Bool = false
  ) {
    self.init(flow, at: elapsed, holds: holds) { trace.all.count }
  }

  /// - Parameter lines: Returns the number of lines in the trace.
  init(
    _ flow: Flow<String, String>, at elapsed: Duration, holds: Bool = false,
    counting lines: @escaping @Sendable () -> Int
  ) {
    self.holds = holds
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
      sleepUntil: { due, _ in try await clock.sleep(until: started.advanced(by: due), tolerance: nil) })
    settings.persistence = FlowPersistence(codec: JSONCodec(), watch: watch, holding: holds ? holding : nil) {
      [self] machine, events, _ in
      let snapshot = try machine.snapshot(names, with: JSONCodec())
      guard try reusing(machine) == snapshot else { throw Differs() }
      try await allows(snapshot)
      let events = takeHeld() + events
      let commit = Commit(snapshot: snapshot, events: events, elapsed: elapsed, traced: lines())
      commits.withLock { $0.append(commit) }
    }
    return settings
  }

  /// Packs what waits for the next commit, and forgets it if the flow ends before.
  private var holding: FlowPersistence.Holding {
    FlowPersistence.Holding(
      hold: { [self] machine, events in
        guard try reusing(machine) == machine.snapshot(names, with: JSONCodec()) else { throw Differs() }
        held.withLock { $0 += events }
      }, flush: {})
  }

  private func takeHeld() -> [NavigationEvent] {
    held.withLock { held in
      defer { held = [] }
      return held
    }
  }

  /// Returns the snapshot, made with the encodings of the snapshot before.
  private func reusing(_ machine: FlowMachine) throws -> MachineSnapshot {
    var known = before.withLock { $0 }
    defer { before.withLock { $0 = known } }
    return try machine.snapshot(names, with: JSONCodec(), reusing: &known)
  }

  /// Starts the flow.
  ///
  /// - Parameter allows: Called before each commit; an error that it throws fails the commit.
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

  /// Activates the flow at a snapshot.
  func resume(
    _ snapshot: MachineSnapshot, _ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void = { _ in }
  ) throws -> PersistedRun {
    PersistedRun(FlowCoordinator(resuming: try machine(of: snapshot), settings: settings(allows)), clock)
  }

  /// Removes every recorded commit.
  func forget() { commits.withLock { $0 = [] } }
}

/// A persisted flow that runs beside the test.
struct PersistedRun: Sendable {
  let coordinator: FlowCoordinator
  let run: Task<Void, Never>
  let clock: ManualClock

  init(_ coordinator: FlowCoordinator, _ clock: ManualClock) {
    self.coordinator = coordinator
    self.clock = clock
    run = Task { await coordinator.activate() }
  }

  /// Passivates the flow, and waits until its run has ended.
  func passivate() async {
    await coordinator.passivate()
    await run.value
  }

  /// The output of the flow, or its error.
  var result: Result<String, any Error> {
    get async {
      await run.value
      do { return .success(try StepBody.cast(await coordinator.endRun(), to: String.self)) } catch {
        return .failure(error)
      }
    }
  }
}
