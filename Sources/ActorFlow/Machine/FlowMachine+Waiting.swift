/// Signals that have come, and who waits for one.
package struct Mail: Sendable {
  /// What waits to be received, oldest first.
  fileprivate var buffer: [(signal: String, value: any Sendable)] = []
  /// The latest keys.
  fileprivate var keys: Set<Key> = []
  fileprivate var keysInOrder: [Key] = []
  fileprivate var oldestKey = 0
  /// Who waits for a signal, by its name; the one who has waited longest first.
  fileprivate var queues: [String: [(number: Int, track: TrackID)]] = [:]
  fileprivate var lastNumber = 0
  /// Waits that were closed without a signal, until ``FlowMachine/takeClosedWaits()``.
  fileprivate var closed: [Int] = []

  /// How many signals wait at most.
  package static let capacity = 1_000
  /// How many keys are remembered.
  package static let keyCapacity = 10_000

  fileprivate struct Key: Hashable {
    let signal: String
    let key: String
  }

  package struct Waiting: Sendable {
    package let wait: Wait
    let key: JournalKey
    /// Whether a value is of the type that is waited for.
    let accepts: @Sendable (any Sendable) -> Bool
    let typeName: String
  }

  /// Forgets everything but what is still to be told to those who waited.
  mutating func drop() -> Mail {
    defer {
      let closed = closed
      self = Mail()
      self.closed = closed
    }
    return self
  }

  var isUsed: Bool { lastNumber > 0 || !buffer.isEmpty || !keysInOrder.isEmpty }

  fileprivate mutating func remember(_ key: Key) {
    keys.insert(key)
    guard keysInOrder.count == Self.keyCapacity else { return keysInOrder.append(key) }
    keys.remove(keysInOrder[oldestKey])
    keysInOrder[oldestKey] = key
    oldestKey = (oldestKey + 1) % Self.keyCapacity
  }
}

// Signals: what the outside sends without being asked.
extension FlowMachine {
  package enum Waited: Sendable {
    case received(any Sendable)
    /// The visit is replayed, and had waited long enough.
    case overdue
    case waiting(number: Int, NavigationEvent)
  }

  /// A step waits for a signal.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func wait<T: Sendable>(
    for signal: String, as type: T.Type, at stay: Stay, until due: Duration?
  ) throws -> Waited {
    let place = try activePlace(of: stay.visit, on: stay.track, to: "wait for a signal")
    let key = self[stay.track].focus.attempt.nextKey(.signal(signal))
    self[stay.track].focus.attempt.count(key)
    switch self[stay.track].focus.memory?.answers[key] {
    case .answered(let value)? where journal == .reloading: return .received(value)
    case .overdue? where journal == .reloading: return .overdue
    default: break
    }
    // One of another type waits for somebody else: it must not stand in the way of those behind it.
    if let index = mail.buffer.firstIndex(where: { $0.signal == signal && $0.value is T }) {
      let value = mail.buffer.remove(at: index).value
      if journal == .reloading { remember(.answered(value), as: key, on: stay.track) }
      return .received(value)
    }
    mail.lastNumber += 1
    let wait = Wait(signal: signal, step: place.visit.info.id, visit: stay.visit, number: mail.lastNumber)
    mail.queues[signal, default: []].append((wait.number, stay.track))
    self[stay.track].waits.append(Mail.Waiting(wait: wait, key: key, accepts: { $0 is T }, typeName: "\(T.self)"))
    if let due { alarms.set(.wait(wait.number), at: due, on: stay.track) }
    return .waiting(number: wait.number, publish(.waiting(wait)))
  }

  package enum Sent: Sendable {
    /// To the one who waits.
    case received(number: Int, NavigationEvent)
    case kept
    case duplicate
    case flowEnded
  }

  /// Somebody outside sends a signal.
  ///
  /// - Parameter key: What makes it once; nil: each call counts.
  package mutating func send(_ value: any Sendable, to signal: String, key: String?) throws(FlowError) -> Sent {
    switch phase {
    case .idle: throw error(.notRunning, "no run has begun; wait for one with `settled()`")
    case .ended: return .flowEnded
    case .walking, .leaving, .compensating: break
    }
    let key = key.map { Mail.Key(signal: signal, key: $0) }
    if let key, mail.keys.contains(key) { return .duplicate }
    if let (number, track) = mail.queues[signal]?.first, let waiting = waiting(number, on: track) {
      guard waiting.accepts(value) else {
        throw error(
          .typeMismatch, "the signal \"\(signal)\" is waited for with type \(waiting.typeName), not \(type(of: value))",
          step: waiting.wait.step)
      }
      if let key { mail.remember(key) }
      endWait(waiting, on: track)
      if journal == .reloading { remember(.answered(value), as: waiting.key, on: track) }
      return .received(number: number, publish(.received(waiting.wait)))
    }
    guard mail.buffer.count < Mail.capacity else {
      throw error(.signalsFull, "\(Mail.capacity) signals wait to be received; this one was not taken, send it later")
    }
    if let key { mail.remember(key) }
    mail.buffer.append((signal, value))
    return .kept
  }

  /// A step gives a wait up, or its time is over. Nil if it was over already.
  package mutating func stopWaiting(_ number: Int, on track: TrackID = .main) -> NavigationEvent? {
    guard let waiting = waiting(number, on: track) else { return nil }
    endWait(waiting, on: track)
    // Given up because the visit is replayed: then it waits again.
    if journal == .reloading, self[track].phase == .walking { remember(.overdue, as: waiting.key, on: track) }
    return publish(.stoppedWaiting(waiting.wait))
  }

  private func waiting(_ number: Int, on track: TrackID) -> Mail.Waiting? {
    self[track].waits.first { $0.wait.number == number }
  }

  private mutating func endWait(_ waiting: Mail.Waiting, on track: TrackID) {
    let (signal, number) = (waiting.wait.signal, waiting.wait.number)
    self[track].waits.removeAll { $0.wait.number == number }
    mail.queues[signal]?.removeAll { $0.number == number }
    if mail.queues[signal]?.isEmpty == true { mail.queues[signal] = nil }
    alarms.dropWait(number)
  }

  /// The waits of a track, which is being left.
  mutating func closeWaits(on track: TrackID) {
    for waiting in self[track].waits {
      mail.closed.append(waiting.wait.number)
      endWait(waiting, on: track)
    }
  }

  /// The waits that a step left open, by tasks of its own that it did not wait for.
  package func openWaits(on track: TrackID) -> [Int] {
    self[track].waits.map(\.wait.number)
  }

  package mutating func takeClosedWaits() -> [Int] {
    guard !mail.closed.isEmpty else { return [] }
    defer { mail.closed = [] }
    return mail.closed
  }
}
