@testable import ActorFlow

/// Walks a compiled flow with forks and scopes as a coordinator would, but without a task and a clock of its own.
///
/// A step that was entered runs until the test ends it: ``make(_:at:)``, ``fail(_:_:)``, ``comeBack(_:)``. Everything
/// else, from compensations to the joining of branches, happens at once. Only a track that is being left waits for its
/// step to return.
struct TrackDriver: MachineDriving {
  var machine = FlowMachine(flow: "machine")
  var events: [NavigationEvent] = []
  var latest = Reaction()
  let graph: Graph
  /// The time, from the run's start.
  var now = Duration.zero
  /// The steps whose `backUp` was called, in order.
  var undone: [String] = []
  /// The steps whose `backUp` throws.
  var failing: Set<String> = []
  /// The closure of every recovery, which returns the output for an error.
  var recovery: (any Error) throws -> any Sendable = { _ in "recovered" }
  /// The error of every guard for an input.
  var refusal: (any Sendable) -> (any Error)? = { _ in nil }
  /// The finalizers that ran because their component had ended, with their inputs.
  var finalized: [String] = []
  /// The step whose `backUp` is to be held until ``releaseBackUp()``.
  var holding: String?

  /// The steps that run, by track.
  var running: [TrackID: Place] = [:]
  /// The track with a compensation that is held.
  var held: TrackID?
  /// The outcomes of forks, and their nodes.
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
  var compensatedLine: String { undone.joined(separator: " ") }

  /// The names of the steps that run, in the order of their tracks.
  var steps: String { running.sorted { $0.key < $1.key }.map(\.value.visit.info.id.name).joined(separator: " ") }

  /// The code of the error with which the flow failed.
  var failure: FlowError.Code? {
    for event in events { if case .failed(_, let error) = event.change { return (error as? FlowError)?.code } }
    return nil
  }

  mutating func forget() { (events, undone) = ([], []) }

  /// Returns the track on which a step of this name runs.
  func track(of name: String) throws -> TrackID {
    guard let track = running.first(where: { $0.value.visit.info.id.name == name })?.key else {
      throw Failure("no step \(name) runs; there are \(steps)")
    }
    return track
  }
}

// MARK: - What steps do

extension TrackDriver {
  /// Lets a step return.
  mutating func make(_ output: any Sendable = "x", at name: String) throws {
    let track = try track(of: name)
    guard let place = running.removeValue(forKey: track) else { return }
    guard give({ $0.returned(on: track) }) else { return stint(of: track) }
    advance(track, from: place.node.address + 1, place.payload.with(output))
  }

  /// Lets a step throw.
  mutating func fail(_ name: String, _ error: (any Error)? = nil) throws {
    let track = try track(of: name)
    guard let place = running.removeValue(forKey: track) else { return }
    _ = give { $0.returned(on: track) }
    failed(place.visit.info.id, error ?? Failure(name), place.payload.scopes, on: track)
  }

  /// Lets a step that is being left return.
  mutating func comeBack(_ name: String) throws {
    let track = try track(of: name)
    running[track] = nil
    guard !give({ $0.returned(on: track) }) else { throw Failure("\(name) is not being left") }
    stint(of: track)
  }

  /// Lets every step that is being left return, innermost tracks first.
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

  /// Lets a step ask, get an answer and return.
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

  mutating func abandon(rollBack: Bool = true) throws {
    try give { [now] in try $0.abandon(reason: "", rollBack: rollBack, since: now) }
    carryOut()
  }

  mutating func cancel() {
    give { [now] in $0.cancel(since: now) }
    carryOut()
  }

  /// Advances the time, and fires every timer that becomes due.
  mutating func advance(by duration: Duration) {
    now += duration
    while give({ [now] in $0.fire(at: now) }) {
      for track in carryOut().endedPauses(inTime: true) { begin(track) }
    }
  }

  /// Follows up a leave: a track on which no step runs need not wait for a step to return.
  @discardableResult
  private mutating func carryOut() -> Reaction {
    let reaction = latest
    guard let track = reaction.cancelledWalks.first, running[track] == nil, machine[track].phase == .leaving else {
      return reaction
    }
    if forks[track] == nil || branchesAreOver(of: track) { stint(of: track) }
    return reaction
  }

  /// Lets the `backUp` that is held return or throw.
  mutating func releaseBackUp(_ error: (any Error)? = nil) {
    guard let track = held else { return }
    (held, holding) = (nil, nil)
    give { $0.compensated(error, on: track) }
    stint(of: track)
  }
}
