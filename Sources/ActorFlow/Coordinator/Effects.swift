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
  /// Who waits until the request is done.
  var latch: Latch?
  /// Who waits for a signal from now on.
  var waiter: (number: Int, cell: Cell)?
  /// Who waited for a signal, and gets this.
  var woken: (number: Int, value: any Sendable)?
  /// The asker is to be reminded, for the nth time.
  var nudge: Int?
  /// A pause of the track begins, or is over.
  var pause: Cell?
  var endsPause = false
  /// What the asker gets; without it, an asker whose question is closed gets a `CancellationError`.
  var answer: Result<any Sendable, any Error>?

  init(_ value: Value, event: NavigationEvent? = nil) {
    self.init(value, entry: event?.entry)
  }

  init(_ value: Value, entry: LogEntry?) {
    self.value = value
    self.event = entry
  }
}

/// What is to be done after the lock was given back.
struct Effects: Sendable {
  var cancelled: Task<Void, Never>?
  var asker: (cell: Cell, result: Cell.Outcome)?
  var released: [(cell: Cell, result: Cell.Outcome)] = []
  var nudged: (cell: Cell, number: Int)?
  /// Of other tracks that leave, too.
  var others: [(cancelled: Task<Void, Never>?, asker: Cell?)] = []
  var readers: EventLog.Wake?
  /// The earliest alarm has changed.
  var timer: FlowCore?
  /// Values of a user's that must not be released under the lock.
  var garbage: (entry: LogEntry?, values: [any Sendable]) = (nil, [])

  /// Releases first, so that whoever is woken finds nothing of what was dropped.
  mutating func perform() {
    garbage = (nil, [])
    cancelled?.cancel()
    if let asker { asker.cell.fulfil(asker.result) }
    for (cancelled, asker) in others {
      cancelled?.cancel()
      asker?.fulfil(.failure(CancellationError()))
    }
    if let nudged { nudged.cell.nudge(nudged.number) }
    readers?.passOn()
    for (cell, result) in released { cell.fulfil(result) }
    timer?.setTimer()
  }
}
