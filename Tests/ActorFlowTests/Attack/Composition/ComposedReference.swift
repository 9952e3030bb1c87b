/// A naive model of a composed flow, between one rest and the next: closures for what comes next, arrays for stacks,
/// everything done at once. It knows nothing of how the library does it.
final class ComposedReference {
  /// A passage through a `.retry`, `.recover` or `.timeout`.
  final class Frame {
    let kind: ComposedPlan.Scope
    let below: Frame?
    let input: String
    let body: [Piece]
    let attempt: Int
    let next: (String) -> Void

    init(
      _ kind: ComposedPlan.Scope, below: Frame?, input: String, body: [Piece], attempt: Int = 1,
      next: @escaping (String) -> Void
    ) {
      (self.kind, self.below, self.input, self.body) = (kind, below, input, body)
      (self.attempt, self.next) = (attempt, next)
    }

    func with(below: Frame?, attempt: Int) -> Frame {
      Frame(kind, below: below, input: input, body: body, attempt: attempt, next: next)
    }
  }

  final class Place {
    enum Kind { case step(ComposedPlan.Step), fork(ComposedPlan.Fork, [[Piece]]) }
    let kind: Kind
    let input: String
    var frames: Frame?
    let next: (String) -> Void
    var hasAsked = false
    /// Of a branch that is over: undone in its turn, but nobody sees it or returns to it.
    var isInner = false
    /// When it was entered last.
    var stamp = 0
    /// What its step has put together so far.
    var output = ""

    init(_ kind: Kind, _ input: String, _ frames: Frame?, next: @escaping (String) -> Void) {
      (self.kind, self.input, self.frames, self.next) = (kind, input, frames, next)
    }

    var key: String {
      if case .step(let step) = kind { "\(step.name)<\(input)>" } else { "fork" }
    }
    var name: String {
      switch kind {
      case .step(let step): step.name
      case .fork(let fork, _): fork.kind
      }
    }
    var policy: String {
      if case .step(let step) = kind { "\(step.policy)" } else { "automatic" }
    }
    var isFork: Bool { if case .fork = kind { true } else { false } }
  }

  /// Where a track has come to rest.
  enum Rest {
    case moving, forked, ended
    case asking(Place, Int), waiting(Place, Int, String), pausing(() -> Void)
  }

  final class Track {
    let parent: Track?
    let number: Int
    /// The frames around the fork; failures on this track do not get there by themselves.
    let outer: Frame?
    var places: [Place] = []
    var branches: [Track] = []
    var results: [(branch: Int, value: String)] = []
    var rest = Rest.moving
    var hasAsked = false
    var alarms: [Alarm] = []

    init(parent: Track? = nil, number: Int = 0, outer: Frame? = nil) {
      (self.parent, self.number, self.outer) = (parent, number, outer)
    }

    var top: Place? { places.last { !$0.isInner } }
    var hasEnded: Bool { if case .ended = rest { true } else { false } }
    /// Itself, and the tracks in it.
    var all: [Track] { [self] + branches.flatMap(\.all) }
    var leaves: [Track] {
      branches.isEmpty ? (hasEnded ? [] : [self]) : branches.flatMap(\.leaves)
    }
    var lineage: [Track] { [self] + (parent?.lineage ?? []) }
  }

  struct Alarm {
    enum Kind { case frame(Frame), rest }
    let due: Duration
    let kind: Kind
  }

  /// What `backUp`s are due in one rollback, newest first as far as the model knows.
  typealias Rollback = [String]

  let plan: ComposedPlan
  let main = Track()
  var now = Duration.zero
  var stamps = 0
  var failures: [String: Int] = [:]
  var mail: [(signal: String, value: String)] = []
  var keys: Set<String> = []
  var waitNumbers = 0
  var waits: [(track: Track, signal: String)] = []

  var ending: String?
  var result: String?
  /// Whether a `backUp` has thrown on the way to the end.
  var undoFailed = false
  /// What has happened since the last look.
  var entered: [String] = []
  var rollbacks: [Rollback] = []
  var changes: [String] = []

  init(_ plan: ComposedPlan) {
    self.plan = plan
  }

  func launch() {
    changes.append("launched")
    walk(plan.pieces[...], "in", nil, main) { [unowned self] value in
      guard ending == nil else { return }
      main.rest = .ended
      (ending, result) = ("finished", value)
      changes.append("finished")
    }
  }

  func look() -> (entered: [String], rollbacks: [Rollback], changes: [String]) {
    defer { (entered, rollbacks, changes) = ([], [], []) }
    return (entered, rollbacks, changes)
  }
}

// MARK: - Walking

extension ComposedReference {
  func walk(
    _ pieces: ArraySlice<Piece>, _ value: String, _ frames: Frame?, _ track: Track,
    _ next: @escaping (String) -> Void
  ) {
    guard let piece = pieces.first else { return next(value) }
    let rest = pieces.dropFirst()
    let goOn = { [unowned self] (value: String) in walk(rest, value, frames, track, next) }
    switch piece {
    case .step(let step): enter(Place(.step(step), value, frames, next: goOn), track)
    case .fork(let fork, let branches): enter(Place(.fork(fork, branches), value, frames, next: goOn), track)
    case .loop(let name, let rounds, let body): loop(name, rounds, body, value, frames, track, goOn)
    case .choice(let cases): walk(cases[value.utf8.count % cases.count][...], value, frames, track, goOn)
    case .scope(let kind, let body):
      pass(Frame(kind, below: frames, input: value, body: body, next: goOn), track)
    }
  }

  private func loop(
    _ name: String, _ rounds: Int, _ body: [Piece], _ value: String, _ frames: Frame?, _ track: Track,
    _ next: @escaping (String) -> Void
  ) {
    walk(body[...], value, frames, track) { [unowned self] value in
      guard ComposedPlan.goesOn(name, rounds, value) else { return next(value) }
      loop(name, rounds, body, value + "~\(name)", frames, track, next)
    }
  }

  func pass(_ frame: Frame, _ track: Track) {
    walk(frame.body[...], frame.input, frame, track, frame.next)
  }

  private func enter(_ place: Place, _ track: Track) {
    track.places.append(place)
    changes.append("moved →\(place.name)")
    begin(place, track)
  }

  /// Calls `proceed`, or opens the branches.
  ///
  /// - Parameter isAnew: Whether it is a visit of its own, and no further attempt.
  func begin(_ place: Place, _ track: Track, isAnew: Bool = true) {
    if isAnew {
      stamps += 1
      place.stamp = stamps
      place.hasAsked = false
    }
    watch(place.frames, track)
    switch place.kind {
    case .step:
      entered.append(place.key)
      act(place, 0, place.input, track)
    case .fork(let fork, let branches): open(fork, branches, place, track)
    }
  }

  /// Goes on with a step's action of this number.
  func act(_ place: Place, _ number: Int, _ output: String, _ track: Track) {
    guard case .step(let step) = place.kind else { return }
    guard number < step.actions.count else {
      track.rest = .moving
      return place.next(output + step.name)
    }
    place.output = output
    switch step.actions[number] {
    case .ask, .askWithin:
      (place.hasAsked, track.hasAsked) = (true, true)
      track.rest = .asking(place, number)
      if case .askWithin(let limit) = step.actions[number] { arm(limit, .rest, track) }
      changes.append("asked \(step.name)")
    case .wait(let signal), .waitWithin(let signal, _):
      if let index = mail.firstIndex(where: { $0.signal == signal }) {
        return act(place, number + 1, output + ".\(mail.remove(at: index).value)", track)
      }
      track.rest = .waiting(place, number, signal)
      waits.append((track, signal))
      if case .waitWithin(_, let limit) = step.actions[number] { arm(limit, .rest, track) }
      changes.append("waiting \(step.name) \(signal)")
    case .backUp, .abandon, .once: return act(place, number + 1, output, track)  // in scrambles only
    case .fail(let times):
      let count = failures["\(place.key)\(number)", default: 0]
      failures["\(place.key)\(number)"] = count + 1
      guard count < times else { return act(place, number + 1, output, track) }
      fail(track, step.name, step.name, place.frames)
    }
  }

  /// The asker or waiter on a track gets a value, or nil if its time is over.
  func resume(_ track: Track, _ value: String?) {
    track.alarms.removeAll { if case .rest = $0.kind { true } else { false } }
    switch track.rest {
    case .asking(let place, let number):
      changes.append(value == nil ? "withdrawn" : "answered")
      track.rest = .moving
      act(place, number + 1, place.output + ".\(value ?? "late")", track)
    case .waiting(let place, let number, let signal):
      waits.removeAll { $0.track === track }
      changes.append("\(value == nil ? "stoppedWaiting" : "received") \(place.name) \(signal)")
      track.rest = .moving
      act(place, number + 1, place.output + ".\(value ?? "late")", track)
    case .pausing(let goOn):
      track.rest = .moving
      goOn()
    case .moving, .forked, .ended: break
    }
  }
}
