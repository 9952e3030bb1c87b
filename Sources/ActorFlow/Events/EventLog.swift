/// The latest events of one run, in a ring that grows up to its capacity, and who waits for more.
///
/// A value behind its owner's lock. Appending costs the same with any number of subscriptions; only those that wait at
/// that moment are woken. It knows how far it has come, but not who reads: each subscription has a cursor of its own.
package struct EventLog: Sendable {
  private let capacity: Int
  /// The number of the last event before this log was begun.
  private let base: Int
  private var entries: ContiguousArray<LogEntry> = []
  private var waiting: [WaitingReader] = []
  private var lastReader = 0
  /// The number of the latest event.
  package private(set) var last = 0
  /// Whether the run has ended, so that no event will follow.
  package private(set) var isClosed = false

  package init(capacity: Int, after base: Int = 0) {
    self.capacity = max(1, capacity)
    self.base = base
    last = base
  }

  /// Adds the next event. The entry it pushes out, if any, holds values of a user's: release it outside the lock.
  @inline(__always)
  package mutating func append(_ entry: LogEntry) -> LogEntry? {
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

  package mutating func close() {
    isClosed = true
  }

  package enum Next: Sendable {
    case entry(LogEntry, sequence: Int)
    /// Nothing yet.
    case wait
    case end
  }

  /// The first event after `sequence` that is still held.
  package func next(after sequence: Int) -> Next {
    let first = last - entries.count + 1
    let wanted = max(sequence + 1, first)
    guard wanted <= last else { return isClosed ? .end : .wait }
    return .entry(entries[(wanted - base - 1) % capacity], sequence: wanted)
  }
}

// MARK: - Waiting

extension EventLog {
  /// A subscription that waits for the next event.
  package struct WaitingReader: Sendable {
    let id: Int
    let continuation: CheckedContinuation<Wake, Never>
  }

  /// Wakes the readers that wait, one after the other: whoever is woken wakes the next before it looks at the log. So
  /// the publisher pays for one of them, however many there are.
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

  package mutating func newReader() -> Int {
    lastReader += 1
    return lastReader
  }

  /// Lets a reader wait, unless there is something to read after `sequence`.
  mutating func wait(_ reader: WaitingReader, after sequence: Int) -> Bool {
    // Whoever reads from the beginning has missed what came before this log, and still has nothing to read.
    guard last <= max(sequence, base), !isClosed else { return false }
    waiting.append(reader)
    return true
  }

  mutating func stopWaiting(_ id: Int) -> WaitingReader? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    return waiting.remove(at: index)
  }

  /// Everybody who waits, to be woken outside the lock; nil if nobody does.
  @inline(__always)
  package mutating func takeWaiting() -> Wake? {
    guard !waiting.isEmpty else { return nil }
    defer { waiting = [] }
    return Wake(waiting)
  }
}
