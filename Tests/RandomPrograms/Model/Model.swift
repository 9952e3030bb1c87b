import ActorFlow

/// A naive model of a sequential program.
///
/// The model stores a list of places, oldest first, and nothing else about the position of the flow. After each request
/// it walks the program from the beginning: places that were left forwards return their output, until the walk reaches
/// the one that has no output yet. A back removes places from the list.
package final class Model {
  /// A stay at a step.
  final class Place {
    let plan: StepPlan
    var input: Value
    var state: State
    /// The number of its latest entering; the newest place has the largest.
    var visit = 0
    /// Whether a `backUp` is owed.
    var isEntered = false
    var isSkipped = false
    var hasAsked = false
    /// A `settling` step behind it was left forwards: it is no longer compensated.
    var isFinal = false
    /// A place that closed the way back behind it was forgotten.
    var isClosed = false
    /// The input with which an operator has entered the step anew, on top of this place.
    var anew: Value?
    /// The value that an `Ask` combines its answer with: the input of the step's first entering.
    var carried: Value
    /// A component around it has ended, and its finalizer has run.
    var isFinished = false
    /// The menu to whose side branch it belonged, if that branch has ended.
    var buriedBy: Place?
    /// The note with which the visit begins, and whether it was received.
    var delivery: Note?
    var note: Note?
    /// The payments of the step, and whether they were refunded.
    var payments: [String: Bool] = [:]
    /// Whether the work of each attempt has returned, by its key; none for an attempt that is to run again.
    var attempts: [String: Bool] = [:]
    /// The key of the failed attempt with which the step has failed.
    var latestFailure: String?
    /// The number of attempts that have failed since `proceed` was called.
    var failures = 0
    /// The latest answer, and the number of the command that it is.
    var latest: (command: Command, number: Int)?
    /// The number of answers since `proceed` was called; `nil` if one before the latest was more than a plain answer to a
    /// plain question.
    var plainAnswers: Int? = 0
    /// For a hub's menu: its value so far, and the number of side branches that have ended.
    var choices: [Value] = []
    var endedSides = 0

    init(_ plan: StepPlan, _ input: Value, _ state: State = .begins) {
      (self.plan, self.input, self.state, carried) = (plan, input, state, input)
    }

    var policy: BackUpPolicy { plan.policy(for: input) }
  }

  enum State {
    /// `proceed` is to be called.
    case begins
    case asking(Int, until: Duration? = nil)
    case waiting(Int, String, until: Duration? = nil, remainder: Int? = nil)
    /// Asks and waits in one task.
    case first(Int, String, until: Duration?, remainder: Int?)
    case either(Int, String)
    /// Asks, and has updated the question so many times.
    case updating(Int, String, times: Int)
    /// An earlier step receives a note, and holds it.
    case sending(Int)
    /// The step receives a note before its `proceed`.
    case receiving(Note)
    case made(Value)
    case failed(String)
  }

  /// The action that a scope has taken.
  final class Mark {
    enum Kind {
      /// A retry has begun its attempt of this number, or will at this time.
      case attempt(Int, at: Duration)
      /// A recovery has made the scope's value.
      case recovered
      /// A component with a finalizer of this name was entered.
      case finalizer(String)
    }
    let kind: Kind
    /// The number of the scope in the order of the walk: several may begin at the same place.
    let scope: Int
    var buriedBy: Place?
    /// For a finalizer: the number of its entering, as for a place, and whether it has run.
    var visit = 0
    var hasRun = false

    init(_ kind: Kind, of scope: Int) { (self.kind, self.scope) = (kind, scope) }
  }

  enum Entry {
    case place(Place)
    case mark(Mark)

    var buriedBy: Place? {
      switch self {
      case .place(let place): place.buriedBy
      case .mark(let mark): mark.buriedBy
      }
    }
  }

  /// The reason why a walk stops.
  enum Stop: Error {
    case waiting
    /// The list has changed: walk again from the beginning.
    case again
    case failed(String)
  }

  let program: Program
  /// Whether hosts crash, so that attempts fail each time.
  let mayCrash: Bool
  /// Whether a failure that no scope handles suspends the flow.
  let suspends: Bool
  /// The failure that has suspended the flow.
  package internal(set) var fault: String?
  /// The failures whose causes were removed.
  var mended: Set<String> = []
  var entries: [Entry] = []
  var now = Duration.zero
  // The walk.
  var cursor = 0
  var scopes: [String] = []
  /// The number of scopes that the walk has reached.
  var enteredScopes = 0
  var active: [(id: String, time: Duration)] = []
  /// A pause that the walk has reached.
  var pause: Duration?
  /// The running timeouts, by the passage through their scope.
  var timeouts: [String: Duration] = [:]
  /// The index in the list at which each timeout's scope begins.
  var timeoutStarts: [String: Int] = [:]
  /// The passage whose time is over.
  var overdue: String?
  var visits = 0
  /// The last step in focus, while the stack is empty.
  var lastFocus: String?
  // The world outside.
  var signals: [(name: String, value: Int)] = []
  var signalKeys: Set<String> = []
  package var (paid, refunded) = (0, 0)
  package var lines: [String] = []
  /// The number of `backUp`s that have thrown in the latest request.
  var errors = 0
  /// The places whose `backUp` has thrown and that were left for good, in the order of the calls.
  var owed: [Place] = []
  package var result: String?

  package init(_ program: Program, mayCrash: Bool = false, suspends: Bool = false) {
    (self.program, self.mayCrash, self.suspends) = (program, mayCrash, suspends)
    settle()
  }

  var places: [Place] { entries.compactMap { if case .place(let place) = $0 { place } else { nil } } }
  /// The observable places: without those of ended side branches, and without final ones.
  var shown: [Place] { places.filter { $0.buriedBy == nil && !$0.isFinal } }

  // MARK: To the next stop

  func settle() {
    while result == nil, fault == nil {
      (cursor, scopes, enteredScopes, active, pause) = (0, [], 0, [], nil)
      do throws(Stop) {
        end("finished \(try walk(program.parts, Value()).trail)", rollingBack: false)
      } catch {
        switch error {
        case .waiting: return startTimeouts()
        case .again: break
        case .failed(let error) where suspends:
          fault = error
          startTimeouts()
        case .failed(let error): end(error, rollingBack: true)
        }
      }
    }
  }

  private func startTimeouts() {
    timeouts = Dictionary(uniqueKeysWithValues: active.map { ($0.id, timeouts[$0.id] ?? now + $0.time) })
  }

  func end(_ result: String, rollingBack: Bool) {
    if rollingBack { rollBack(entries) } else { rollBack(entries.filter(\.isFinalizer)) }
    self.result = result
    fault = nil
    entries = []
    timeouts = [:]
  }

  /// The step in focus that works or waits; nil while a scope pauses.
  var current: Place? {
    guard result == nil, pause == nil else { return nil }
    return shown.last { if case .made = $0.state { false } else { true } }
  }
}
