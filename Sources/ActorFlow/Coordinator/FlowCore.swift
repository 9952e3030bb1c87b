/// One run of a coordinator: the machine and the log behind one lock, and everybody who waits for something.
///
/// The walk, the answerers, cancellation handlers and synchronous verbs all reach the machine through here; the lock is
/// never held while code of a user's runs, a task is resumed or cancelled, or a value of a user's is released. What an
/// input makes necessary is collected as ``Effects`` under the lock and performed after it.
final class FlowCore: Sendable {
  /// Called with the next machine before it is adopted; what it throws refuses the input. Nil: nothing to commit.
  typealias Commit = @Sendable (FlowMachine) async throws -> Void

  let flow: FlowID
  /// Names the coordinator in the chain of those whose steps are running.
  let serial: UInt64
  let commit: Commit?
  let gate = Gate()
  private let clock: any Clock<Duration>
  private let watch = Lock<Stopwatch?>(nil)
  private let state: Lock<State>

  struct State: Sendable {
    var machine: FlowMachine
    var log: EventLog
    var main = Strand()
    var branches = TrackMap<Strand>()
    /// Who waits for signals, and for pauses to end.
    var waiters: [Int: Cell] = [:]
    var pauses: [TrackID: Cell] = [:]
    var timer = TimerState()
    var latches: [Latch] = []
    /// Who waits for a `once` to end.
    var onceWaiters: [Cell] = []
    /// Which `once` waits for which.
    var onceWaits = OnceWaits()
    /// Inputs that could not wait, given while a commit was under way.
    var deferred: [@Sendable (inout FlowMachine) throws -> Decision<Void>] = []
    var isCommitting = false
  }

  /// The task of a track, and who waits in it.
  struct Strand: Sendable {
    /// The asker of the open question.
    var asker: Cell?
    /// The task that walks or rolls back.
    var stint: Task<Void, Never>?
    /// Whether the stint is in its walk, and a leave cancels it.
    var isWalking = false
  }

  init(
    flow: FlowID, serial: UInt64, numbers: FlowMachine.Numbers, settings: CoordinatorSettings
  ) {
    self.flow = flow
    self.serial = serial
    clock = settings.clock
    commit = settings.commit
    state = Lock(
      State(
        machine: FlowMachine(flow: flow, numbers: numbers, journal: settings.journal),
        log: EventLog(capacity: settings.eventLog)))
  }

  func withState<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock(body)
  }

  /// Starts the clock of the run; does nothing if it is under way.
  func startClock() {
    let started = Stopwatch(clock)
    withState { if $0.machine.phase == .idle { watch.withLock { $0 = started } } }
  }

  /// Time since the run's start. May be asked under the lock of the state.
  var elapsed: Duration { stopwatch?.elapsed() ?? .zero }

  var stopwatch: Stopwatch? { watch.withLock { $0 } }

  var position: Position { withState { $0.machine.position } }
}

extension FlowCore.State {
  subscript(track: TrackID) -> FlowCore.Strand {
    @inline(__always) _read { if track == .main { yield main } else { yield branches[track] } }
    @inline(__always) _modify { if track == .main { yield &main } else { yield &branches[track] } }
  }
}

extension FlowCore.Strand: TrackValue {
  static let noBranches: ContiguousArray = [TrackSlot.absent(FlowCore.Strand())]
}

/// What a coordinator is made with.
package struct CoordinatorSettings: Sendable {
  package var clock: any Clock<Duration> = ContinuousClock()
  package var eventLog = 256
  package var journal = FlowMachine.Journal.off
  package var commit: (@Sendable (FlowMachine) async throws -> Void)?

  package init() {}
}

extension FlowCore: EventSource {
  func withLog<Result>(_ body: (inout EventLog) -> Result) -> (run: Int, Result) {
    withState { ($0.machine.run, body(&$0.log)) }
  }
}
