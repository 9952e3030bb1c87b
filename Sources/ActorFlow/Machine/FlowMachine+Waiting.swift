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
    /// Whether a child task of the step's waits, and the step's own may do something else.
    let isByChild: Bool
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

  /// What waits to be received, and the keys that are remembered, for a snapshot.
  var signals: [(signal: String, value: any Sendable)] { buffer }
  var rememberedKeys: [(signal: String, key: String)] {
    (keysInOrder[oldestKey...] + keysInOrder[..<oldestKey]).map { ($0.signal, $0.key) }
  }
  var lastWait: Int { lastNumber }

  /// As it was when a snapshot was made.
  init(
    signals: [(signal: String, value: any Sendable)], keys: [(signal: String, key: String)], lastWait: Int
  ) {
    buffer = signals
    lastNumber = lastWait
    for key in keys { remember(Key(signal: key.signal, key: key.key)) }
  }

  init() {}

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
    /// With an event if the world has seen it wait: the machine was read back meanwhile.
    case received(any Sendable, NavigationEvent? = nil)
    /// The visit is replayed, and had waited long enough.
    case overdue
    /// Without an event if the world has seen it wait.
    case waiting(number: Int, NavigationEvent?)
  }

  /// A step waits for a signal.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func wait<T: Sendable>(
    for signal: String, as type: T.Type, at stay: Stay, until due: Duration?, byChild: Bool = false
  ) throws -> Waited {
    let place = try activePlace(of: stay.visit, on: stay.track, to: "wait for a signal")
    let key = self[stay.track].focus.attempt.nextKey(.signal(signal))
    self[stay.track].focus.attempt.count(key)
    switch self[stay.track].focus.memory?.answers[key] {
    case .answered(let value)? where journal != .off: return .received(value)
    case .overdue? where journal != .off: return .overdue
    default: break
    }
    let reopened = takeReopening(wait: key, for: signal, on: stay.track)
    let wait = Wait(
      signal: signal, step: place.visit.info.id, visit: stay.visit, number: reopened?.number ?? mail.lastNumber + 1)
    // One of another type waits for somebody else: it must not stand in the way of those behind it.
    if let index = mail.buffer.firstIndex(where: { $0.signal == signal && StepBody.isValue($0.value, of: T.self) }) {
      let value = mail.buffer.remove(at: index).value
      if journal != .off { remember(.answered(value), as: key, on: stay.track) }
      guard reopened != nil else { return .received(value) }
      alarms.dropWait(wait.number)
      return .received(value, publish(.received(wait)))
    }
    // Whoever waited before the machine was put away has its place again, in whichever order the steps come back.
    let turn = mail.queues[signal]?.firstIndex { $0.number > wait.number } ?? mail.queues[signal]?.count ?? 0
    mail.queues[signal, default: []].insert((wait.number, stay.track), at: turn)
    self[stay.track].waits.append(
      Mail.Waiting(wait: wait, key: key, accepts: { $0 is T }, typeName: "\(T.self)", isByChild: byChild))
    self[stay.track].countAskers()
    guard reopened == nil else { return .waiting(number: wait.number, nil) }
    mail.lastNumber = wait.number
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
      if journal != .off { remember(.answered(value), as: waiting.key, on: track) }
      return .received(number: number, publish(.received(waiting.wait)))
    }
    guard mail.buffer.count < Mail.capacity else {
      throw error(.signalsFull, "\(Mail.capacity) signals wait to be received; this one was not taken, send it later")
    }
    if let key { mail.remember(key) }
    mail.buffer.append((signal, value))
    return .kept
  }

  /// Gives a number to something that is no event, for who keeps the flow and writes it down.
  package mutating func takeNumber() { sequence += 1 }

  /// Whether a signal has come under this key.
  package func hasCome(_ key: String, of signal: String) -> Bool {
    mail.keys.contains(Mail.Key(signal: signal, key: key))
  }

  /// A step gives a wait up, or its time is over. Nil if it was over already.
  ///
  /// - Parameter isGivenUp: Whether the task that waited is cancelled, so that it does not go on.
  package mutating func stopWaiting(
    _ number: Int, on track: TrackID = .main, isGivenUp: Bool = false
  ) -> NavigationEvent? {
    if let reopening = self[track].reopening, let visit = self[track].visit,
      let wait = reopening.waits.first(where: { $0.number == number })
    {
      remember(.overdue, as: wait.key, on: track)
      self[track].reopening = reopening.without(wait: number)
      return publish(
        .stoppedWaiting(Wait(signal: wait.signal, step: visit.info.id, visit: visit.id, number: number)))
    }
    guard let waiting = waiting(number, on: track) else { return nil }
    endWait(waiting, on: track)
    if isGivenUp { self[track].forgetAsker() }
    // Given up because the visit is replayed: then it waits again.
    if journal != .off, self[track].phase == .walking { remember(.overdue, as: waiting.key, on: track) }
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
    dropReopening(on: track, questions: false, waits: true)
    for waiting in look(at: track, { $0.waits }) {
      mail.closed.append(waiting.wait.number)
      endWait(waiting, on: track)
    }
  }

  /// The waits that a step left open, by tasks of its own that it did not wait for.
  package func openWaits(on track: TrackID) -> [Int] {
    look(at: track) { $0.waits }.map(\.wait.number)
  }

  package mutating func takeClosedWaits() -> [Int] {
    guard !mail.closed.isEmpty else { return [] }
    defer { mail.closed = [] }
    return mail.closed
  }
}
