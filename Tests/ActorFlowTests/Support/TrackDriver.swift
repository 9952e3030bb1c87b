@testable import ActorFlow

/// Walks a compiled flow with forks and scopes as a coordinator would, without a task and without a clock of its own.
///
/// A step that was entered runs until the test says what becomes of it: ``make(_:at:)``, ``fail(_:)``, ``comeBack(_:)``.
/// Everything else, from compensations to the joining of branches, is carried out at once; only a track that is being
/// left waits for its step to come back.
struct TrackDriver: MachineDriving {
  var machine = FlowMachine(flow: "machine")
  var events: [NavigationEvent] = []
  var latest = Reaction()
  let graph: Graph
  /// The time, from the run's start.
  var now = Duration.zero
  /// Whose `backUp` was called, in order.
  var undone: [String] = []
  /// Whose `backUp` throws.
  var failing: Set<String> = []
  /// What the closure of a recovery makes of an error.
  var recovery: (any Error) throws -> any Sendable = { _ in "recovered" }
  /// The step whose `backUp` is to be held until ``releaseBackUp()``.
  var holding: String?

  /// The steps that run, by track.
  var running: [TrackID: Place] = [:]
  /// The tracks with a compensation that is held.
  var held: TrackID?
  /// What forks have come to, and the nodes they are of.
  var outcomes: [TrackID: Outcome] = [:]
  var forks: [TrackID: Node] = [:]
  var judges: [TrackID: Fork.Judge] = [:]

  enum Outcome { case made(any Sendable), failed(StepID, any Error) }

  init<I, O>(_ flow: Flow<I, O>, with input: I, journal: FlowMachine.Journal = .off) throws {
    graph = flow.graph
    machine = FlowMachine(flow: "machine", journal: journal)
    try give { [graph] in try $0.launch(graph, with: input) }
    stint(of: .main)
  }

  init(_ flow: Flow<String, String>) throws { try self.init(flow, with: "-") }

  var position: Position { machine.position }
  var undoneLine: String { undone.joined(separator: " ") }

  /// The names of the steps that run, in the order of their tracks.
  var steps: String { running.sorted { $0.key < $1.key }.map(\.value.visit.info.id.name).joined(separator: " ") }

  /// The code of the error that the flow has failed with.
  var failure: FlowError.Code? {
    for event in events { if case .failed(_, let error) = event.change { return (error as? FlowError)?.code } }
    return nil
  }

  mutating func forget() { (events, undone) = ([], []) }

  /// The track on which a step of this name runs.
  func track(of name: String) throws -> TrackID {
    guard let track = running.first(where: { $0.value.visit.info.id.name == name })?.key else {
      throw Failure("no step \(name) runs; there are \(steps)")
    }
    return track
  }
}

// MARK: - What steps do

extension TrackDriver {
  /// A step returns.
  mutating func make(_ output: any Sendable = "x", at name: String) throws {
    let track = try track(of: name)
    guard let place = running.removeValue(forKey: track) else { return }
    guard give({ $0.returned(on: track) }) else { return stint(of: track) }
    advance(track, from: place.node.address + 1, place.payload.with(output))
  }

  /// A step throws.
  mutating func fail(_ name: String, _ error: (any Error)? = nil) throws {
    let track = try track(of: name)
    guard let place = running.removeValue(forKey: track) else { return }
    _ = give { $0.returned(on: track) }
    failed(place.visit.info.id, error ?? Failure(name), place.payload.scopes, on: track)
  }

  /// A step that is being left comes back.
  mutating func comeBack(_ name: String) throws {
    let track = try track(of: name)
    running[track] = nil
    guard !give({ $0.returned(on: track) }) else { throw Failure("\(name) is not being left") }
    stint(of: track)
  }

  /// Every step that is being left comes back, innermost tracks first.
  mutating func comeBack() throws {
    while let (track, place) = running.filter({ machine[$0.key].phase != .walking }).max(by: { $0.key < $1.key }) {
      _ = track
      try comeBack(place.visit.info.id.name)
    }
  }

  @discardableResult
  mutating func ask(_ name: String, within deadline: AskDeadline? = nil) throws -> Question.ID {
    let track = try track(of: name)
    guard let visit = running[track]?.visit.id else { throw Failure("no visit") }
    let asked = try give { [now] in
      try $0.ask(Form(text: name), key: nil, visit: visit, on: track, within: deadline, at: now)
    }
    guard case .opened(let question) = asked else { throw Failure("this machine replays nothing") }
    return question.id
  }

  mutating func answer(_ question: Question.ID) throws {
    try give { [now] in try $0.answer(question, with: "!", by: nil, at: now) }
  }

  /// A step asks, gets an answer and returns.
  mutating func pass(_ name: String, making output: any Sendable = "x") throws {
    try answer(ask(name))
    try make(output, at: name)
  }
}

// MARK: - Requests

extension TrackDriver {
  @discardableResult
  mutating func backUp(to step: StepID? = nil) throws -> Reaction {
    try give { [now] in try $0.backUp(to: step, since: now) }
    return carryOut()
  }

  @discardableResult
  mutating func backUp(from name: String) throws -> Reaction {
    let track = try track(of: name)
    guard let visit = running[track]?.visit.id else { throw Failure("no visit") }
    try give { [now] in try $0.backUp(from: visit, on: track, since: now) }
    return carryOut()
  }

  mutating func abandon() throws {
    try give { [now] in try $0.abandon(reason: "", rollBack: true, since: now) }
    carryOut()
  }

  mutating func cancel() {
    give { [now] in $0.cancel(since: now) }
    carryOut()
  }

  /// The time goes by; everything that becomes due happens.
  mutating func advance(by duration: Duration) {
    now += duration
    while give({ [now] in $0.fire(at: now) }) {
      for track in carryOut().endedPauses(inTime: true) { begin(track) }
    }
  }

  /// A leave was accepted: a track on which no step runs has nothing to come back.
  @discardableResult
  private mutating func carryOut() -> Reaction {
    let reaction = latest
    guard let track = reaction.cancelledWalks.first, running[track] == nil, machine[track].phase == .leaving else {
      return reaction
    }
    if forks[track] == nil || branchesAreOver(of: track) { stint(of: track) }
    return reaction
  }

  /// The `backUp` that is held returns, or throws.
  mutating func releaseBackUp(_ error: (any Error)? = nil) {
    guard let track = held else { return }
    (held, holding) = (nil, nil)
    give { $0.compensated(error, on: track) }
    stint(of: track)
  }
}
