/// The result of a turn of the coordinator.
struct Turn<Value: Sendable>: Sendable {
  let value: Value
  var afterwards: Afterwards
}

/// The rest of a turn, for its caller to do outside the actor: releasing values, cancelling and resuming tasks may run
/// code of the user's, and none may run within a turn.
struct Afterwards: Sendable {
  /// The values that the machine has dropped. They are released first, so that a task that is resumed finds nothing of
  /// them.
  private var discarded: [any Sendable] = []
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

  init(discarding discarded: [any Sendable] = []) {
    self.discarded = discarded
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
