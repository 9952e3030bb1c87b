/// One run of a coordinator: the machine and the log behind one lock, and everybody who waits for something.
///
/// The walk, the answerers, cancellation handlers and synchronous verbs all reach the machine through here; the lock is
/// never held while code of a user's runs, a task is resumed or cancelled, or a value of a user's is released. What an
/// input makes necessary is collected as ``Effects`` under the lock and performed after it.
final class FlowCore: Sendable {
  /// Called with the next machine before it is adopted, and with the events since the last commit; what it throws
  /// refuses the input. Nil: nothing to commit.
  typealias Commit = @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void

  let flow: FlowID
  /// Names the coordinator in the chain of those whose steps are running.
  let serial: UInt64
  let commit: Commit?
  private let keeping: FlowKeeping?
  /// Whether the flow is kept beyond the process.
  var isKept: Bool { keeping != nil }
  /// Whether visits are replayed.
  let replays: Bool
  /// How prompts are packed, where flows are kept.
  var codec: (any ValueCodec)? { keeping?.codec }
  let gate = Gate()
  private let clock: any Clock<Duration>
  private let watch: Lock<Stopwatch?>
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
    /// How many effects of rendered steps run or are about to, where flows are kept, and who waits for their end.
    var effects = EffectCount()
    /// Which `once` waits for which.
    var onceWaits = OnceWaits()
    /// Inputs that could not wait, given while a commit was under way.
    var deferred: [@Sendable (inout FlowMachine) throws -> Decision<Void>] = []
    var isCommitting = false
    /// Events of inputs that could not wait, published and not yet committed.
    var uncommitted: [NavigationEvent] = []
    /// Whether the flow was put away: nothing is decided here any more.
    var isParked = false
  }

  struct EffectCount: Sendable {
    var running = 0
    var waiters: [Cell] = []
  }

  /// The task of a track, and who waits in it.
  struct Strand: Sendable {
    /// The asker of the open question.
    var asker: Cell?
    /// Tasks that wait for what they gave up before, as far as the visit is replayed.
    var held: [Cell] = []
    /// The task that walks or rolls back.
    var stint: Task<Void, Never>?
    /// Whether the stint is in its walk, and a leave cancels it.
    var isWalking = false
    /// The task in which the step runs, where visits are replayed: whoever asks in another one is a child of it.
    var walker: Int?
    /// What kept an input of the running step's, or of its `backUp`, from being committed: if it then fails, that is not
    /// its own failure.
    var loss: (any Error)?

    mutating func takeHeld() -> [Cell] {
      defer { held = [] }
      return held
    }
  }

  convenience init(
    flow: FlowID, serial: UInt64, numbers: FlowMachine.Numbers, settings: CoordinatorSettings
  ) {
    let journal = settings.keeping == nil ? settings.journal : .keeping
    self.init(FlowMachine(flow: flow, numbers: numbers, journal: journal), serial: serial, settings: settings)
  }

  /// - Parameter machine: One that was never launched, or one that was read back.
  init(_ machine: consuming FlowMachine, serial: UInt64, settings: CoordinatorSettings) {
    flow = machine.flow
    replays = machine.journal != .off
    self.serial = serial
    clock = settings.clock
    keeping = settings.keeping
    commit = settings.keeping?.commit ?? Self.commit(settings.commit)
    watch = Lock(settings.keeping?.watch)
    let log = EventLog(capacity: settings.eventLog, after: machine.sequence)
    state = Lock(State(machine: machine, log: log))
  }

  private static func commit(_ commit: (@Sendable (FlowMachine) async throws -> Void)?) -> Commit? {
    guard let commit else { return nil }
    return { machine, _ in try await commit(machine) }
  }

  func withState<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock(body)
  }

  /// Starts the clock of the run; does nothing if it is under way.
  func startClock() {
    guard !isKept else { return }  // it has one
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
    get { track == .main ? main : branches[track] }
    @inline(__always) _modify { if track == .main { yield &main } else { yield &branches[track] } }
  }

  /// Looks at a strand, or changes it, where it stands, as ``FlowMachine/with(_:_:)`` does with a track.
  @inline(__always)
  mutating func with<Result>(_ track: TrackID, _ body: (inout FlowCore.Strand) -> Result) -> Result {
    guard track != .main else { return body(&main) }
    return body(&branches[track])
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
  /// How the flow is kept beyond the process; takes the place of `commit`, `clock` and `journal`.
  package var keeping: FlowKeeping?

  package init() {}
}

/// How a flow is kept beyond the process that runs it. A class, because hardly any flow has one and each keeps room for
/// it.
package final class FlowKeeping: Sendable {
  let codec: any ValueCodec
  let watch: Stopwatch
  let commit: @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void

  /// - Parameters:
  ///   - codec: Packs prompts; values are packed by whoever commits.
  ///   - watch: Tells the time since the flow's start, in whichever process that was.
  ///   - commit: Called with each machine before it is adopted, and with the events since the last commit. What it
  ///     throws refuses the input; if it was an input of the walk's own, the run stops.
  package init(
    codec: any ValueCodec, watch: Stopwatch,
    commit: @escaping @Sendable (FlowMachine, [NavigationEvent]) async throws -> Void
  ) {
    (self.codec, self.watch, self.commit) = (codec, watch, commit)
  }
}

extension FlowCore: EventSource {
  func withLog<Result>(_ body: (inout EventLog) -> Result) -> (run: Int, Result) {
    withState { ($0.machine.run, body(&$0.log)) }
  }
}
