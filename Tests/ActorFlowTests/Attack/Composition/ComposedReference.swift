/// A naive model of a composed flow, between one stop and the next: closures for continuations, arrays for stacks,
/// everything done at once. The model knows nothing of the library's implementation.
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
    /// A place of an ended branch: it is compensated in turn, but is neither visible nor a target.
    var isInner = false
    /// The number of its latest entering.
    var stamp = 0
    /// The output that its step has built so far.
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

  /// The point at which a track has stopped.
  enum Rest {
    case moving, forked, ended
    case asking(Place, Int), waiting(Place, Int, String), pausing(() -> Void)
  }

  final class Track {
    let parent: Track?
    let number: Int
    /// The frames around the fork; failures on this track do not reach them directly.
    let outer: Frame?
    var places: [Place] = []
    var branches: [Track] = []
    var results: [(branch: Int, value: String)] = []
    var rest = Rest.moving
    /// The step that was in focus when everything on the track was compensated; it stays so until another one is
    /// entered.
    var last: String?
    var hasAsked = false
    var timers: [Timer] = []

    init(parent: Track? = nil, number: Int = 0, outer: Frame? = nil) {
      (self.parent, self.number, self.outer) = (parent, number, outer)
    }

    var top: Place? { places.last { !$0.isInner } }
    /// The name of the step in focus.
    var focus: String? { top?.name ?? last }
    var hasEnded: Bool { if case .ended = rest { true } else { false } }
    /// The track itself, and the tracks in it.
    var all: [Track] { [self] + branches.flatMap(\.all) }
    var leaves: [Track] {
      branches.isEmpty ? (hasEnded ? [] : [self]) : branches.flatMap(\.leaves)
    }
    var lineage: [Track] { [self] + (parent?.lineage ?? []) }
  }

  struct Timer {
    enum Kind { case frame(Frame), rest }
    let due: Duration
    let kind: Kind
  }

  /// The `backUp`s due in one rollback, newest first as far as the model knows.
  typealias Rollback = [String]

  let plan: ComposedPlan
  let main = Track()
  var now = Duration.zero
  var stamps = 0
  var failures: [String: Int] = [:]
  var bufferedSignals: [(signal: String, value: String)] = []
  var keys: Set<String> = []
  var waitNumbers = 0
  var waits: [(track: Track, signal: String)] = []

  var ending: String?
  var result: String?
  /// Whether a `backUp` has thrown on the way to the end.
  var backUpHasFailed = false
  /// The trace since the last comparison.
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
