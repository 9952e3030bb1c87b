/// The result of a turn of the coordinator.
struct Turn<Value: Sendable>: Sendable {
  let value: Value
  var afterwards: Afterwards
}

/// What a turn leaves to its caller, to be done outside the actor: releasing values, cancelling and resuming run code of
/// the user's, and none may run within a turn.
struct Afterwards: Sendable {
  /// Values that the machine has dropped. Released first, so that a task that is resumed finds nothing of them.
  var discarded: [any Sendable] = []
  private var displaced: LogEntry?
  private var readers: EventLog.Wake?
  /// In the order in which they are done. Most turns have none or one.
  private var first: Act?
  private var more: [Act] = []

  enum Act: Sendable {
    case cancel(Task<Void, Never>)
    case resume(OneShot, OneShot.Outcome)
    case remind(OneShot, number: Int)
  }

  mutating func add(_ act: Act) {
    if first == nil { first = act } else { more.append(act) }
  }

  mutating func add(_ appended: EventLog.Appended) {
    displaced = appended.displaced
    readers = appended.readers
  }

  mutating func wake(_ readers: EventLog.Wake?) { self.readers = readers }

  mutating func perform() {
    discarded = []
    displaced = nil
    if let first { first.perform() }
    for act in more { act.perform() }
    readers?.passOn()
  }
}

extension Afterwards.Act {
  fileprivate func perform() {
    switch self {
    case .cancel(let task): task.cancel()
    case .resume(let waiter, let outcome): waiter.fulfil(outcome)
    case .remind(let asker, let number): asker.nudge(number)
    }
  }
}

/// What an input of the machine made necessary.
struct Decision<Value: Sendable>: Sendable {
  var value: Value
  /// The track it is about, if not the one the input was given for.
  var track: TrackID?
  /// The event to publish.
  var event: LogEntry?
  /// Whether the walk is to be cancelled.
  var cancelsWalk = false
  /// Whether a walk begins.
  var startsWalk = false
  /// The waiter to tell something, or to register.
  var errand = Errand.none

  init(_ value: Value, event: NavigationEvent? = nil) {
    self.init(value, entry: event?.entry)
  }

  init(_ value: Value, entry: LogEntry?) {
    self.value = value
    self.event = entry
  }

  /// A leave as something to carry out.
  init(_ value: Value, _ leaving: FlowMachine.Leaving) {
    self.init(value, event: leaving.event)
    track = leaving.track
    cancelsWalk = leaving.cancelsWalk
  }
}

/// What a decision means for waiters; at most one thing, and one field, because most decisions mean nothing.
enum Errand: Sendable {
  case none
  /// A run begins; its stopwatch, if it is not kept.
  case begin(Stopwatch?)
  /// Resume this waiter with the answer to the question that was opened.
  case ask(OneShot)
  /// Hold this waiter, whose question or wait was given up before, until it is given up again or the step is over.
  case hold(OneShot)
  /// The outcome for the asker; without it, an asker whose question is closed gets a `CancellationError`.
  case answer(OneShot.Outcome)
  /// The asker is to be reminded, for the nth time.
  case remind(Int)
  /// Resume the waiter when the milestone is reached.
  case reach(Milestone)
  /// A wait for a signal begins.
  case await(number: Int, OneShot)
  /// A wait for a signal ends with this value.
  case wake(number: Int, any Sendable)
  /// A pause of the track begins.
  case pause(OneShot)
  case endPause
}
