/// The latest events of one run, in a ring buffer that grows up to its capacity, and the readers that wait for more.
///
/// Each run has its own log, because subscribers may still read an earlier run's log while the next run publishes. The
/// log has its own lock, so that reading needs no turn of the coordinator. Appending costs the same with any number of
/// subscriptions: only those that wait at that moment are woken, and the log does not store its readers' cursors.
package final class EventLog: Sendable {
  package let flow: FlowID
  /// The number of the run.
  package let run: Int
  private let ring: Lock<Ring>

  /// - Parameters:
  ///   - capacity: The number of events that the log holds; at least 1.
  ///   - base: The number of the last event before this log.
  package init(flow: FlowID, run: Int, capacity: Int, after base: Int = 0) {
    (self.flow, self.run) = (flow, run)
    ring = Lock(Ring(capacity: capacity, after: base))
  }

  /// The results of an append, for the caller to handle in this order once it holds no lock.
  package struct Appended: Sendable {
    /// The entry that was removed from the ring. It may hold the last reference to a user's value.
    package let displaced: LogEntry?
    /// The readers to wake.
    package let readers: Wake?
  }

  /// Adds the next event.
  ///
  /// - Parameters:
  ///   - time: The time of the event, from the run's start.
  ///   - isLast: Whether the run ends with this event.
  package func append(_ entry: LogEntry, at time: Duration, isLast: Bool) -> Appended {
    let stamped = StampedEntry(entry: entry, time: time)
    return ring.withLock { ring in
      let displaced = ring.append(stamped)
      if isLast { ring.isClosed = true }
      return Appended(displaced: displaced, readers: ring.takeWaiting())
    }
  }

  /// Closes the log: its readers get the events it still holds, and then the end.
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
    /// There is no next event yet.
    case wait
    case end
  }

  /// Returns the oldest event after a cursor that the log still holds, and moves the cursor to it.
  func next(after cursor: inout Int) -> Next {
    switch ring.withLock({ [cursor] ring in ring.next(after: cursor) }) {
    case .entry(let stamped, let sequence):
      cursor = sequence
      return .event(
        NavigationEvent(flow: flow, run: run, sequence: sequence, at: stamped.time, entry: stamped.entry))
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

  /// Wakes the waiting readers in a chain: each one wakes the next before it reads the log. So the publisher wakes only
  /// one, however many there are.
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

  /// Adds a waiting reader. Returns false and adds none if there is an event after `sequence`, or if the log is closed.
  func wait(_ reader: WaitingReader, after sequence: Int) -> Bool { ring.withLock { $0.wait(reader, after: sequence) } }

  func stopWaiting(_ id: Int) -> WaitingReader? { ring.withLock { $0.stopWaiting(id) } }
}

/// An entry with the time of its event, from the run's start.
private struct StampedEntry: Sendable {
  let entry: LogEntry
  let time: Duration
}

/// The state of a log.
private struct Ring: Sendable {
  private let capacity: Int
  /// The number of the last event before this log.
  private let base: Int
  private var entries: ContiguousArray<StampedEntry> = []
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
    case entry(StampedEntry, sequence: Int)
    case wait
    case end
  }

  @inline(__always)
  mutating func append(_ entry: StampedEntry) -> LogEntry? {
    last += 1
    guard entries.count == capacity else {
      if entries.isEmpty { entries.reserveCapacity(min(8, capacity)) }
      entries.append(entry)
      return nil
    }
    let slot = (last - base - 1) % capacity
    let old = entries[slot].entry
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
    // A reader at the beginning missed the events before this log, but still has nothing to read.
    guard last <= max(sequence, base), !isClosed else { return false }
    waiting.append(reader)
    return true
  }

  mutating func stopWaiting(_ id: Int) -> EventLog.WaitingReader? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    return waiting.remove(at: index)
  }

  /// Removes and returns all waiting readers; returns `nil` if there are none.
  @inline(__always)
  mutating func takeWaiting() -> EventLog.Wake? {
    guard !waiting.isEmpty else { return nil }
    defer { waiting = [] }
    return EventLog.Wake(waiting)
  }
}
