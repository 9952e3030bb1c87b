import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlow

/// A flow and a world that acts on it. The world stores no state: whenever the flow has settled, it chooses its action
/// by the position. So it acts in the same way on a flow that was activated again.
struct RestartScenario: Sendable, CustomTestStringConvertible {
  typealias World = @Sendable (PersistedRun, Position) async throws -> Void

  let testDescription: String
  let flow: @Sendable (Trace) throws -> Flow<String, String>
  let world: World

  init(
    _ name: String, _ world: @escaping World = RestartScenario.answer,
    flow: @escaping @Sendable (Trace) throws -> Flow<String, String>
  ) {
    testDescription = name
    self.world = world
    self.flow = flow
  }

  /// Answers the first question with its step's name; if there is none, the next timer fires.
  static let answer: World = { run, position in
    guard let question = position.questions.min(by: { $0.step.path < $1.step.path }) else {
      return try await run.fireNextTimer()
    }
    try await run.coordinator.answer(question.id, with: "(\(question.step.name))")
  }

  /// Acts when this step asks, and otherwise as `other` does.
  static func at(
    _ step: String, _ verb: @escaping @Sendable (PersistedRun, Question) async throws -> Void,
    orElse other: @escaping World = RestartScenario.answer
  ) -> World {
    { run, position in
      guard let question = position.questions.first(where: { $0.step.name == step }) else {
        return try await other(run, position)
      }
      try await verb(run, question)
    }
  }
}

/// The result of a run of the flow, from its start or from a commit.
struct RecordedRun: Sendable {
  let outcome: String
  let commits: [FlowRecorder.Commit]
  let trace: [String]

  /// The steps that were compensated.
  var undone: Set<String> { Set(trace.filter { $0.hasSuffix(":backUp") }) }
  var effects: Set<String> { Set(trace.filter { $0.hasPrefix("once ") }) }
}

extension RestartScenario {
  /// Runs the flow from its start.
  ///
  /// - Parameter holds: Whether moves wait for the next commit, as on a host.
  func record(holds: Bool = false) async throws -> RecordedRun {
    let trace = Trace()
    let recorder = FlowRecorder(try flow(trace), tracing: trace, holds: holds)
    let run = try await recorder.start(with: "-")
    return try await record(run, recorder, trace)
  }

  /// Activates the flow at a commit, and runs it to its end.
  func record(from commit: FlowRecorder.Commit, holds: Bool = false) async throws -> RecordedRun {
    let trace = Trace()
    let recorder = FlowRecorder(try flow(trace), tracing: trace, at: commit.elapsed, holds: holds)
    return try await record(try recorder.resume(commit.snapshot), recorder, trace)
  }

  private func record(_ run: PersistedRun, _ recorder: FlowRecorder, _ trace: Trace) async throws -> RecordedRun {
    do { try await run.play(world) } catch {
      await run.passivate()
      throw error
    }
    return RecordedRun(outcome: await run.outcome, commits: recorder.all, trace: trace.all)
  }

  /// Activates the flow at each commit of a run, and again at every `stride`th commit of those runs.
  func crash(
    times: Int, in recorded: RecordedRun, expecting whole: RecordedRun, before: [FlowRecorder.Commit] = [],
    every stride: Int = 1, holds: Bool = false
  ) async throws {
    for (index, commit) in recorded.commits.enumerated() where commit.snapshot.ending == nil {
      guard before.isEmpty || (index + before.count) % stride == 0 else { continue }
      let past = before + recorded.commits[...index]
      let where_ = "taken up at commit \(index) of \(recorded.commits.count) (\(past.last?.lines ?? []))"
      let next: RecordedRun
      do { next = try await record(from: commit, holds: holds) } catch { throw Finding("\(where_): \(error)") }
      try check(next, commit, past, recorded, whole, where_)
      guard times > 1 else { continue }
      do {
        try await crash(times: times - 1, in: next, expecting: whole, before: Array(past), every: stride, holds: holds)
      } catch {
        throw Finding("\(where_), \(error)")
      }
    }
  }

  private func check(
    _ next: RecordedRun, _ commit: FlowRecorder.Commit, _ past: [FlowRecorder.Commit], _ recorded: RecordedRun,
    _ whole: RecordedRun,
    _ where_: String
  ) throws {
    try demandEqual(next.outcome, whole.outcome, "\(where_), the outcome")
    let events = (past + next.commits).flatMap(\.events)
    try demandEqual(events.map(\.sequence), Array(1...max(1, events.count)), "\(where_), the events' numbers")
    try demandEqual(events.last?.change.line, whole.commits.last?.events.last?.change.line, "\(where_), the last event")
    let trace = recorded.trace.prefix(commit.traced) + next.trace
    if recorded.commits.first?.snapshot.sequence == 1 {
      try demandEqual(Set(trace.filter { $0.hasSuffix(":backUp") }), whole.undone, "\(where_), what was undone")
    }
    let done = Set(commit.snapshot.doneEffects)
    for line in next.trace where line.hasPrefix("once ") {
      try demand(!done.contains(String(line.dropFirst(5))), "\(where_): \(line) was done before")
    }
    let keys = next.trace.filter { $0.hasPrefix("once ") }
    try demandEqual(Set(keys).count, keys.count, "\(where_), effects that were done again")
  }
}

extension FlowRecorder.Commit {
  var lines: [String] { events.map(\.change.line) }
}

extension MachineSnapshot {
  /// The keys of the recorded effects, also of those that have failed.
  fileprivate var doneEffects: [String] {
    ([main] + branches).flatMap { $0.focus.records + $0.places.flatMap(\.records) }
      .filter { $0.value != nil || $0.failure != nil }.map(\.idempotencyKey)
  }
}

extension PersistedRun {
  /// Lets the world act whenever the flow has settled, until it has ended.
  func play(_ world: @escaping RestartScenario.World) async throws {
    for _ in 0..<30_000 {
      let position = try await patiently {
        while await isFiring, !Task.isCancelled { await Task.yield() }
        return try await coordinator.settled()
      }
      if case .ended = position.status { return await run.value }
      if let fault = await coordinator.state.machine.fault {
        throw Finding("\(fault.step) has failed, and the flow stands still: \(fault.error)")
      }
      try await patiently { try await world(self, position) }
    }
    throw Finding("the flow does not end: \(await coordinator.position)")
  }

  /// Throws if `body` does not return.
  func patiently<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await body() }
    let isBack = Flag()
    let watch = Task {
      _ = try? await task.value
      isBack.raise()
    }
    var patience = PollLimit(turns: 2_000_000)
    var isPatient = true
    while !isBack.isRaised, isPatient {
      isPatient = patience.allowsAnother()
      await Task.yield()
    }
    guard isBack.isRaised || isPatient else {
      task.cancel()
      throw Finding("it hangs at \(await coordinator.position) \(await coordinator.state.machine.main.phase)")
    }
    await watch.value
    return try await task.value
  }

  /// Whether a timer is due.
  private var isFiring: Bool {
    get async { await coordinator.isFiring }
  }

  /// Advances the clock to the next timer.
  func fireNextTimer() async throws {
    let (now, next) = await coordinator.timetable
    guard let next else { throw Finding("nothing is asked, and nothing is due: \(await coordinator.position)") }
    clock.advance(by: max(.zero, next - now))
  }

  /// The output of the flow, or its error, as text.
  var outcome: String {
    get async {
      switch await result {
      case .success(let output): output
      case .failure(let error): "\(error)"
      }
    }
  }
}
