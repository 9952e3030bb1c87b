/// What an input of the machine made necessary.
struct Decision<Value: Sendable>: Sendable {
  var value: Value
  /// What is to be published.
  var event: LogEntry?
  /// The walk is to be cancelled.
  var cancelsWalk = false
  /// A walk begins.
  var startsWalk = false
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
  var readers: EventLog.Wake?
  /// Values of a user's that must not be released under the lock.
  var garbage: (entry: LogEntry?, values: [any Sendable]) = (nil, [])

  /// Releases first, so that whoever is woken finds nothing of what was dropped.
  mutating func perform() {
    garbage = (nil, [])
    cancelled?.cancel()
    if let asker { asker.cell.fulfil(asker.result) }
    readers?.passOn()
    for (cell, result) in released { cell.fulfil(result) }
  }
}
