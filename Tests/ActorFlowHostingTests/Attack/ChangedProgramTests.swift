import ActorFlow
import ActorFlowTesting
import RandomPrograms
import Testing

@testable import ActorFlowHosting

/// Random programs whose code changes while a flow runs, on hosts that die. `ACTORFLOW_PROGRAMS` sets how many.
@Suite("Changed code under random programs", .timeLimit(.minutes(ProgramSettings.minutes)))
struct ChangedProgramTests {
  @Test("no acknowledged answer is lost or given to another question, nothing is paid twice, and what stops says why")
  func changed() async {
    let failures = await play(ProgramSettings.seeds(share: 20)) { try await ChangedGame(seed: $0).play() }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}

/// One program, one flow of it, and the deploys that it lives through.
private actor ChangedGame {
  private static let id: FlowID = "flow"
  private let random: Chance
  private let program: ChangedProgram
  private let change: ChangedProgram.Change
  private let world = ChangedWorld()
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  /// The acknowledged answers and signals, by the number of the deed that asked.
  private var acknowledged: [Int: String] = [:]
  private var words = 0

  init(seed: UInt64) {
    random = Chance(seed: seed)
    program = ChangedProgram(random)
    change = program.changed(random)
    store = MemoryFlowStore(clock: clock)
  }

  private enum Build { case old, new, repaired }

  private func host(_ build: Build, mortal: Bool = false) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let last = mortal ? 3 + random.below(25) : Int.max
    let isLost = random.below(2) == 0
    let faulty = FaultyStore(store) { call in
      if call.number == last, isLost, call.operation == .commit { return .loseAcknowledgement }
      return call.number > last ? .fail(.unavailable) : nil
    }
    let host = FlowHost(store: faulty, clock: clock, owner: "host")
    let old = program.flow(in: world)
    if build == .old { return (host, try await host.register(old)) }
    let new = change.program.flow(in: world)
    guard build == .repaired, let dropped = change.dropped else {
      return (host, try await host.register(new, version: 2, from: 1, moves: change.moves))
    }
    let forget = Move.forgetAnswer(of: dropped.step, key: dropped.key)
    try await host.register(new, version: 2, from: 1, moves: change.moves)
    return (host, try await host.register(new, version: 3, from: 2, moves: [forget]))
  }

  func play() async throws {
    try await host(.old).1.start(id: Self.id, with: "")
    try await visit(.old)
    let plan = try await host(.new).0.plan()
    try await visit(.new)
    if random.below(2) == 0 {
      try await visit(.old)
      try await visit(.new)
    }
    if let reason = try await finish(.new) {
      let mayStop = change.dropped != nil && change.moves.isEmpty
      try check(mayStop && reason.contains(change.dropped?.key ?? "?"), "unmigrated: \(reason)")
      for group in plan.groups {
        if case .unchecked = group.fate { continue }
        // The answer may have been taken after the plan, so only what says that all was checked and fits is wrong.
        try check(group.fate != .stays, "plan() said that it stays")
      }
      let again = try await finish(.repaired)
      try check(again == nil, "unmigrated with the answer forgotten: \(again ?? "")")
    }
    try check(world.faults.isEmpty, "\(world.faults)")
  }

  private func check(_ holds: Bool, _ problem: @autoclosure () -> String) throws {
    if !holds { throw Violation("\(problem()); \(program.steps); \(change.program.steps)") }
  }

  /// Answers for some turns, at hosts that die.
  private func visit(_ build: Build) async throws {
    for _ in 0..<random.below(3) {
      clock.advance(by: .seconds(1))
      do {
        let (host, _) = try await host(build, mortal: random.below(3) > 0)
        for _ in 0..<random.below(5) {
          guard case .answered = try await turn(host) else { break }
        }
        // What the host still holds must be gone before the next one comes.
        try await host.emptied()
      } catch is FlowStoreError {}
    }
  }

  /// Plays to the end; returns the reason if the flow is unmigrated.
  private func finish(_ build: Build) async throws -> String? {
    let (host, flows) = try await host(build)
    turns: for _ in 0..<100 {
      switch try await turn(host) {
      case .answered: continue
      case .unmigrated(let reason): return reason
      case .ended: break turns
      }
    }
    guard case .finished(let output) = try await flows.outcome(of: Self.id) else {
      throw Violation("the flow does not end: \(try await host.flow(Self.id).view())")
    }
    for (number, word) in acknowledged where number != change.dropped?.number {
      try check(output.contains("[\(number)=\(word)]"), "the answer \(word) to \(number) is not in \(output)")
    }
    return nil
  }

  private enum Turn {
    case answered, ended
    case unmigrated(String)
  }

  /// Answers the open question, or sends the signal that is waited for.
  private func turn(_ host: FlowHost) async throws -> Turn {
    let flow = host.flow(Self.id)
    do {
      let view = try await flow.settled(within: .seconds(1_000_000))
      if view.status == .unmigrated { return .unmigrated(view.failure ?? "") }
      guard view.status == .waiting else { return .ended }
      words += 1
      let word = "w\(words)"
      if let question = view.questions.first {
        let form = try question.prompt(as: ChangedProgram.OldForm.self)
        try await flow.answer(question.id, with: word)
        acknowledged[form.number] = word
      } else if let signal = view.signals.first, let number = Int(signal.dropFirst()) {
        let delivery = try await flow.send(word, to: Signal<String>(signal), key: word)
        if delivery == .accepted { acknowledged[number] = word }
      }
    } catch let error as FlowError where error.code == .unmigrated {
      return .unmigrated(error.message)
    } catch let error as FlowError where error.code == .questionClosed || error.code == .flowEnded {
      // The new code asks something else, or nothing more.
    }
    return .answered
  }
}
