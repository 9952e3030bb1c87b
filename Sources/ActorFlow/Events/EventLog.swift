/// The latest events of one run, in a ring that grows up to its capacity, and the readers that wait for more.
///
/// Each run has a log of its own: subscribers still read an earlier run's while the next one publishes. It has a lock of
/// its own, so that reading needs no turn of the coordinator. Appending costs the same with any number of subscriptions;
/// only those that wait at that moment are woken. The log does not know its readers: each subscription has a cursor.
package final class EventLog: Sendable {
  package let flow: FlowID
  /// The number of the run.
  package let run: Int
  private let ring: Lock<Ring>

  /// - Parameters:
  ///   - capacity: The number of events that are held; at least 1.
  ///   - base: The number of the last event before this log.
  package init(flow: FlowID, run: Int, capacity: Int, after base: Int = 0) {
    (self.flow, self.run) = (flow, run)
    ring = Lock(Ring(capacity: capacity, after: base))
  }

  /// The results of an append, for the caller to handle in this order once it holds no lock.
  package struct Appended: Sendable {
    /// The entry that was pushed out of the ring. It may hold the last reference to a user's value.
    package let displaced: LogEntry?
    /// The readers to wake.
    package let readers: Wake?
  }

  /// Adds the next event.
  ///
  /// - Parameter isLast: Whether the run ends with it.
  package func append(_ entry: LogEntry, isLast: Bool) -> Appended {
    ring.withLock { ring in
      let displaced = ring.append(entry)
      if isLast { ring.isClosed = true }
      return Appended(displaced: displaced, readers: ring.takeWaiting())
    }
  }

  /// Ends the log: its readers get what it holds, and then the end.
  ///
  /// - Returns: The readers to wake.
  package func close() -> Wake? {
    ring.withLock { ring in
      ring.isClosed = true
      return ring.takeWaiting()
    }
  }

  package enum Next: Sendable {
    case event(NavigationEvent)
    /// Nothing yet.
    case wait
    case end
  }

  /// Returns the first event after a cursor that is still held, and moves the cursor to it.
  func next(after cursor: inout Int) -> Next {
    switch ring.withLock({ [cursor] ring in ring.next(after: cursor) }) {
    case .entry(let entry, let sequence):
      cursor = sequence
      return .event(NavigationEvent(flow: flow, run: run, sequence: sequence, entry: entry))
    case .wait: return .wait
    case .end: return .end
    }
  }
}

// MARK: - Waiting

extension EventLog {
  /// A subscription that waits for the next event.
  struct WaitingReader: Sendable {
    let id: Int
    let continuation: CheckedContinuation<Wake, Never>
  }

  /// Wakes the readers that wait, one after the other: each one wakes the next before it looks at the log. So the
  /// publisher pays for one of them, however many there are.
  package struct Wake: Sendable {
    private let readers: [WaitingReader]
    private let index: Int

    init(_ readers: [WaitingReader], at index: Int = 0) {
      self.readers = readers
      self.index = index
    }

    package func passOn() {
      guard index < readers.count else { return }
      readers[index].continuation.resume(returning: Wake(readers, at: index + 1))
    }
  }

  func newReader() -> Int { ring.withLock { $0.newReader() } }

  /// Lets a reader wait, unless there is something to read after `sequence`.
  func wait(_ reader: WaitingReader, after sequence: Int) -> Bool { ring.withLock { $0.wait(reader, after: sequence) } }

  func stopWaiting(_ id: Int) -> WaitingReader? { ring.withLock { $0.stopWaiting(id) } }
}

/// The state of a log.
private struct Ring: Sendable {
  private let capacity: Int
  /// The number of the last event before this log was begun.
  private let base: Int
  private var entries: ContiguousArray<LogEntry> = []
  private var waiting: [EventLog.WaitingReader] = []
  private var lastReader = 0
  /// The number of the latest event.
  private var last: Int
  var isClosed = false

  init(capacity: Int, after base: Int) {
    self.capacity = max(1, capacity)
    self.base = base
    last = base
  }

  enum Next: Sendable {
    case entry(LogEntry, sequence: Int)
    case wait
    case end
  }

  @inline(__always)
  mutating func append(_ entry: LogEntry) -> LogEntry? {
    last += 1
    guard entries.count == capacity else {
      if entries.isEmpty { entries.reserveCapacity(min(16, capacity)) }
      entries.append(entry)
      return nil
    }
    let slot = (last - base - 1) % capacity
    let old = entries[slot]
    entries[slot] = entry
    return old
  }

  func next(after sequence: Int) -> Next {
    let first = last - entries.count + 1
    let wanted = max(sequence + 1, first)
    guard wanted <= last else { return isClosed ? .end : .wait }
    return .entry(entries[(wanted - base - 1) % capacity], sequence: wanted)
  }

  mutating func newReader() -> Int {
    lastReader += 1
    return lastReader
  }

  mutating func wait(_ reader: EventLog.WaitingReader, after sequence: Int) -> Bool {
    // A reader at the beginning has missed what came before this log, and still has nothing to read.
    guard last <= max(sequence, base), !isClosed else { return false }
    waiting.append(reader)
    return true
  }

  mutating func stopWaiting(_ id: Int) -> EventLog.WaitingReader? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    return waiting.remove(at: index)
  }

  /// Takes all readers that wait; nil if there are none.
  @inline(__always)
  mutating func takeWaiting() -> EventLog.Wake? {
    guard !waiting.isEmpty else { return nil }
    defer { waiting = [] }
    return EventLog.Wake(waiting)
  }
}
