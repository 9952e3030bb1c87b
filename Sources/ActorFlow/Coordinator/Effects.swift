/// What an input of the machine made necessary.
struct Decision<Value: Sendable>: Sendable {
  var value: Value
  /// The track it is about, if not the one the input was given for.
  var track: TrackID?
  /// What is to be published.
  var event: LogEntry?
  /// The walk is to be cancelled.
  var cancelsWalk = false
  /// A walk begins.
  var startsWalk = false
  /// Who is to be told something, or waits from now on.
  var errand = Errand.none

  init(_ value: Value, event: NavigationEvent? = nil) {
    self.init(value, entry: event?.entry)
  }

  init(_ value: Value, entry: LogEntry?) {
    self.value = value
    self.event = entry
  }
}

/// What a decision means for those who wait; at most one thing, and one field, because most decisions mean nothing.
enum Errand: Sendable {
  case none
  /// Resume this cell with the answer to the question that was opened.
  case ask(Cell)
  /// Hold this cell, whose question or wait was given up before, until it is given up again or the step is over.
  case hold(Cell)
  /// What the asker gets; without it, an asker whose question is closed gets a `CancellationError`.
  case answer(Cell.Outcome)
  /// The asker is to be reminded, for the nth time.
  case nudge(Int)
  /// Somebody waits until the request is done.
  case latch(Latch)
  /// Somebody waits for a signal from now on.
  case await(number: Int, Cell)
  /// Who waited for a signal, and gets this.
  case wake(number: Int, any Sendable)
  /// A pause of the track begins.
  case pause(Cell)
  case endPause
}

/// What is to be done after the lock was given back.
struct Effects: Sendable {
  var cancelled: Task<Void, Never>?
  /// Whose question is closed, and what he gets.
  var asker: Cell?
  var answer = Cell.Outcome.cancelled
  var released: [Release] = []
  var nudged: (cell: Cell, number: Int)?
  /// Of other tracks that leave, too.
  var others: [(cancelled: Task<Void, Never>?, cells: [Cell])] = []
  var readers: EventLog.Wake?
  /// The earliest alarm has changed.
  var timer: FlowCore?
  /// Values of a user's that must not be released under the lock.
  var garbage: (entry: LogEntry?, values: [any Sendable]) = (nil, [])

  struct Release: Sendable {
    let cell: Cell
    let outcome: Cell.Outcome
  }

  /// Releases first, so that whoever is woken finds nothing of what was dropped.
  mutating func perform() {
    garbage = (nil, [])
    cancelled?.cancel()
    asker?.fulfil(answer)
    for (cancelled, cells) in others {
      cancelled?.cancel()
      for cell in cells { cell.fulfil(.cancelled) }
    }
    if let nudged { nudged.cell.nudge(nudged.number) }
    readers?.passOn()
    for release in released { release.cell.fulfil(release.outcome) }
    timer?.setTimer()
  }
}
