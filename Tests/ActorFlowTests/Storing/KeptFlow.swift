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
final class KeptFlow: Sendable {
  struct Commit: Sendable {
    let snapshot: MachineSnapshot
    let events: [NavigationEvent]
  }

  let graph: Graph
  let names: GraphNames
  private let commits = Lock<[Commit]>([])
  /// The time since the flow's start. It stands still until a test moves it.
  let clock = ManualClock()
  private let started: ManualClock.Instant

  init(_ flow: Flow<String, String>) {
    graph = flow.graph
    names = GraphNames(flow.graph)
    started = clock.now
  }

  var all: [Commit] { commits.withLock { $0 } }
  var latest: MachineSnapshot? { all.last?.snapshot }
  var elapsed: Duration { started.duration(to: clock.now) }

  private func settings(_ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void) -> CoordinatorSettings {
    var settings = CoordinatorSettings()
    settings.eventLog = 10_000
    let (started, clock) = (started, clock)
    let watch = Stopwatch(
      elapsed: { started.duration(to: clock.now) },
      sleepUntil: { try await clock.sleep(until: started.advanced(by: $0), tolerance: nil) })
    settings.keeping = FlowKeeping(codec: JSONCodec(), watch: watch) { [self] machine, events in
      let snapshot = try machine.snapshot(names, with: JSONCodec())
      try await allows(snapshot)
      commits.withLock { $0.append(Commit(snapshot: snapshot, events: events)) }
    }
    return settings
  }

  /// Begins the flow.
  ///
  /// - Parameter allows: Called before each commit; what it throws fails the commit.
  func start(
    with input: String, _ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void = { _ in }
  ) async throws -> Kept {
    let coordinator = FlowCoordinator(id: "kept", settings: settings(allows))
    try await coordinator.begin(graph, with: input)
    return Kept(coordinator)
  }

  func machine(of snapshot: MachineSnapshot) throws -> FlowMachine {
    try FlowMachine(snapshot, of: "kept", names: names, codec: JSONCodec(), at: elapsed)
  }

  /// Takes the flow up.
  func resume(
    _ snapshot: MachineSnapshot, _ allows: @escaping @Sendable (MachineSnapshot) async throws -> Void = { _ in }
  ) throws -> Kept {
    Kept(FlowCoordinator(resuming: try machine(of: snapshot), settings: settings(allows)))
  }

  /// Forgets every commit.
  func forget() { commits.withLock { $0 = [] } }
}

/// A kept flow that runs beside the test.
struct Kept: Sendable {
  let coordinator: FlowCoordinator
  let run: Task<Void, Never>

  init(_ coordinator: FlowCoordinator) {
    self.coordinator = coordinator
    run = Task { await coordinator.goOn() }
  }

  /// Puts the flow away, and waits until nothing of it runs.
  func park() async {
    coordinator.park()
    await run.value
  }

  /// What the flow has made or thrown.
  var result: Result<String, any Error> {
    get async {
      await run.value
      do { return .success(try coordinator.result(of: coordinator.core)) } catch { return .failure(error) }
    }
  }

  /// Answers whatever is asked until the flow has ended or is put away: `answer` gets the step and the prompt's text.
  func answerAll(_ answer: @Sendable (StepID, String) -> String) async {
    for await event in coordinator.events {
      for question in event.position.questions {
        guard let form = question.prompt as? Form else { continue }
        _ = try? await coordinator.answer(question.id, with: answer(question.step, form.text))
      }
    }
    await run.value
  }
}
