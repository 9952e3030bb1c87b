@testable import ActorFlow

/// Walks a compiled flow with forks and scopes as a coordinator would, without a task and without a clock of its own.
///
/// A step that was entered runs until the test says what becomes of it: ``make(_:at:)``, ``fail(_:)``, ``comeBack(_:)``.
/// Everything else, from compensations to the joining of branches, is carried out at once; only a track that is being
/// left waits for its step to come back.
struct TrackDriver {
  var machine = FlowMachine(flow: "machine")
  var events: [NavigationEvent] = []
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
    add(try machine.launch(graph, with: input))
    stint(of: .main)
  }

  init(_ flow: Flow<String, String>) throws { try self.init(flow, with: "-") }

  var lines: [String] { events.map(\.change.line) }
  var position: Position { machine.position }
  var undoneLine: String { undone.joined(separator: " ") }

  /// The names of the steps that run, in the order of their tracks.
  var steps: String { running.sorted { $0.key < $1.key }.map(\.value.visit.info.id.name).joined(separator: " ") }

  /// The code of the error that the flow has failed with.
  var failure: FlowError.Code? {
    for event in events { if case .failed(_, let error) = event.change { return (error as? FlowError)?.code } }
    return nil
  }

  mutating func add(_ event: NavigationEvent?) { if let event { events.append(event) } }

  mutating func addMove(_ entry: LogEntry) {
    events.append(NavigationEvent(flow: "machine", run: machine.run, sequence: machine.sequence, entry: entry))
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
    guard machine.returned(on: track) else { return stint(of: track) }
    advance(track, from: place.node.address + 1, place.cargo.with(output))
  }

  /// A step throws.
  mutating func fail(_ name: String, _ error: (any Error)? = nil) throws {
    let track = try track(of: name)
    guard let place = running.removeValue(forKey: track) else { return }
    _ = machine.returned(on: track)
    failed(place.visit.info.id, error ?? Failure(name), place.cargo.scopes, on: track)
  }

  /// A step that is being left comes back.
  mutating func comeBack(_ name: String) throws {
    let track = try track(of: name)
    running[track] = nil
    guard !machine.returned(on: track) else { throw Failure("\(name) is not being left") }
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
    switch try machine.ask(Form(text: name), key: nil, visit: visit, on: track, within: deadline, at: now) {
    case .opened(let question, let event):
      add(event)
      return question.id
    case .answered, .withdrawn, .overdue: throw Failure("this machine replays nothing")
    }
  }

  mutating func answer(_ question: Question.ID) throws {
    add(try machine.answer(question, with: "!", by: nil, at: now).event)
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
  mutating func backUp(to step: StepID? = nil) throws -> FlowMachine.Leaving {
    let leaving = try machine.backUp(to: step, since: now)
    carryOut(leaving)
    return leaving
  }

  @discardableResult
  mutating func backUp(from name: String) throws -> FlowMachine.Leaving {
    let track = try track(of: name)
    guard let visit = running[track]?.visit.id else { throw Failure("no visit") }
    let leaving = try machine.backUp(from: visit, on: track, since: now)
    carryOut(leaving)
    return leaving
  }

  mutating func abandon() throws {
    carryOut(try machine.abandon(reason: "", rollBack: true, since: now))
  }

  mutating func cancel() { carryOut(machine.cancel(since: now)) }

  /// The time goes by; everything that becomes due happens.
  mutating func advance(by duration: Duration) {
    now += duration
    while true {
      switch machine.ring(at: now) {
      case .none: return
      case .leave(let leaving): carryOut(leaving)
      case .overdue(_, let event), .waited(_, let event): add(event)
      case .paused(let track): begin(track)
      case .remind, .stale: continue
      }
    }
  }

  /// A leave was accepted: a track on which no step runs has nothing to come back.
  private mutating func carryOut(_ leaving: FlowMachine.Leaving) {
    add(leaving.event)
    _ = machine.takeDissolved()
    let track = leaving.track
    guard leaving.cancelsWalk, running[track] == nil, machine[track].phase == .leaving else { return }
    if forks[track] == nil || branchesAreOver(of: track) { stint(of: track) }
  }

  /// The `backUp` that is held returns, or throws.
  mutating func releaseBackUp(_ error: (any Error)? = nil) {
    guard let track = held else { return }
    (held, holding) = (nil, nil)
    machine.compensated(error, on: track)
    stint(of: track)
  }
}
