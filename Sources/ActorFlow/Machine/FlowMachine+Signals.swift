/// The signals that have come, and the waits for signals.
package struct SignalBuffer: Sendable {
  /// The signals that no step has received yet, oldest first.
  private(set) var buffer: [BufferedSignal] = []
  /// The size of all buffered signals.
  private(set) var bufferedBytes = 0
  /// The latest keys.
  fileprivate var keys: Set<Key> = []
  /// The latest keys in the order in which they came; those before ``oldestKey`` are forgotten.
  fileprivate var keysInOrder: [Key] = []
  fileprivate var oldestKey = 0
  /// The size of all latest keys.
  private var keyBytes = 0
  /// The open waits by the name of their signal, the longest open first.
  fileprivate(set) var queues = TextMap<[(number: Int, track: TrackID)]>()
  fileprivate(set) var lastNumber = 0
  /// The number of the signal that was buffered last, in this process.
  private var lastBuffered = 0

  /// The greatest number of buffered signals.
  package static let capacity = 1_000
  /// The greatest number of remembered keys; fewer are remembered if they are large.
  package static let keyCapacity = 10_000

  struct BufferedSignal: Sendable {
    let signal: String
    let value: any Sendable
    /// The size in a snapshot, in bytes; zero if the flow is not persisted.
    let size: Int
    /// Identifies the signal among the buffered ones, in this process.
    fileprivate(set) var number = 0

    init(signal: String, value: any Sendable, size: Int) {
      (self.signal, self.value, self.size) = (signal, value, size)
    }
  }

  fileprivate struct Key: Hashable {
    let signal: String
    let key: String
    var size: Int { signal.utf8.count + key.utf8.count }

    static func == (left: Key, right: Key) -> Bool {
      left.key.hasBytes(of: right.key) && left.signal.hasBytes(of: right.signal)
    }

    func hash(into hasher: inout Hasher) {
      signal.hashBytes(into: &hasher)
      key.hashBytes(into: &hasher)
    }
  }

  package struct Waiting: Sendable {
    package let wait: Wait
    let key: JournalKey
    /// Whether a value is of the type that is waited for.
    let accepts: @Sendable (any Sendable) -> Bool
    /// The condition that a value of this type is to meet.
    let condition: SignalCondition?
    let typeName: String
    /// Whether a child task of the step waits, so that the step's own task may be doing something else.
    let isByChild: Bool
    /// The number of the question for which the same task waits; whichever comes first closes the other.
    var pairedQuestion: Int?
  }

  /// Forgets everything, and returns it.
  mutating func drop() -> SignalBuffer {
    defer { self = SignalBuffer() }
    return self
  }

  var isUsed: Bool { lastNumber > 0 || !buffer.isEmpty || !keysInOrder.isEmpty }

  /// The keys that are remembered, for a snapshot.
  var rememberedKeys: [(signal: String, key: String)] {
    keysInOrder[oldestKey...].map { ($0.signal, $0.key) }
  }
  var lastWait: Int { lastNumber }

  /// Creates the buffer of a snapshot.
  init(signals: [BufferedSignal], keys: [(signal: String, key: String)], lastWait: Int) {
    for signal in signals { add(signal) }
    lastNumber = lastWait
    for key in keys { remember(Key(signal: key.signal, key: key.key)) }
  }

  init() {}

  /// Remembers a key, and forgets the oldest ones if they are too many or too large.
  fileprivate mutating func remember(_ key: Key) {
    keys.insert(key)
    keysInOrder.append(key)
    keyBytes += key.size
    while keysInOrder.count - oldestKey > Self.keyCapacity || keyBytes > SignalLimits.rememberedKeyBytes {
      keys.remove(keysInOrder[oldestKey])
      keyBytes -= keysInOrder[oldestKey].size
      oldestKey += 1
    }
    guard oldestKey > keysInOrder.count / 2 else { return }
    keysInOrder.removeFirst(oldestKey)
    oldestKey = 0
  }

  fileprivate mutating func add(_ signal: BufferedSignal) {
    var signal = signal
    lastBuffered += 1
    signal.number = lastBuffered
    buffer.append(signal)
    bufferedBytes += signal.size
  }

  mutating func remove(at index: Int) -> any Sendable {
    bufferedBytes -= buffer[index].size
    return buffer.remove(at: index).value
  }

  /// Removes all buffered signals, and returns them.
  mutating func takeBuffer() -> [BufferedSignal] {
    defer { (buffer, bufferedBytes) = ([], 0) }
    return buffer
  }
}

// Signals: messages that come from outside without a question.
extension FlowMachine {
  package enum Waited: Sendable {
    case received(any Sendable)
    /// The visit is replayed, and the time limit had passed; or it has passed before the step came to wait again.
    case overdue
    /// The visit is replayed, and the step gave this wait up before. The task is held until the step gives it up again,
    /// or resumed with ``AskAgain``.
    case withdrawn
    case waiting(number: Int)
  }

  /// Waits for a signal on behalf of a step, or takes one that is buffered or in the journal.
  ///
  /// - Parameters:
  ///   - condition: The condition that the signal's value is to meet; `nil` for none.
  ///   - judge: Returns whether a buffered signal meets the condition; `nil` to call the condition itself.
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`, or the error of `judge`.
  package mutating func wait<T: Sendable>(
    for signal: String, as type: T.Type, at stay: Stay, matching condition: SignalCondition? = nil,
    until due: Duration?, by caller: CallingTask = .unknown, at now: @autoclosure () -> Duration = .zero,
    judging judge: SignalBuffer.Judge? = nil
  ) throws -> Waited {
    let place = try activePlace(of: stay.visit, on: stay.track, to: "wait for a signal")
    try checkSizes(of: signal, key: nil, 0)
    let buffered = try indexOfBuffered(signal, as: T.self, matching: condition, judging: judge)
    let key = nextKey(of: signal, hasLimit: due != nil, by: caller, on: stay.track)
    self[stay.track].focus.attempt.count(key, by: caller)
    letPresumedAskAgain(on: stay.track, by: caller)
    comeBack(to: key, by: caller, on: stay.track)
    switch entry(of: key, hasLimit: due != nil, on: stay.track) {
    case .answered(let value, _)?:
      note(.outcome(by: caller), on: stay.track)
      return .received(value)
    case .overdue?:
      note(.outcome(by: caller), on: stay.track)
      return .overdue
    case .withdrawn(_, let isPresumed)?:
      hold(at: key, isPresumed: isPresumed, on: stay.track)
      return .withdrawn
    case nil: break
    }
    let isNew = look(at: stay.track) { $0.reopening?.wait(key, for: signal) == nil }
    if caller == .step, isNew { try refuseUnclaimed(asking: key, on: stay.track) }
    note(.began, on: stay.track)
    if caller == .step, isNew {
      presumeChildrenGone(on: stay.track)
      closeOwnReopening(on: stay.track)
      settleGivenUp(on: stay.track)
    }
    let now = timers.isEmpty ? .zero : now()
    var isLate = false
    if let number = look(at: stay.track, { $0.reopening?.wait(key, for: signal)?.number }) {
      if timers.isDue(wait: number, at: now) {
        stopWaiting(number, on: stay.track, at: now)
        return .overdue
      }
      isLate = isTooLate(.wait(number), on: stay.track, at: now)
    }
    let reopened = takeReopening(wait: key, for: signal, on: stay.track)
    let wait = Wait(
      signal: signal, step: place.visit.info.id, visit: stay.visit, number: reopened?.number ?? signals.lastNumber + 1)
    if !isLate, let index = buffered {
      let value = signals.remove(at: index)
      if journal != .off { remember(.answered(value), as: key, on: stay.track) }
      noteAnswer(under: key, of: caller, on: stay.track)
      noteFollowed(on: stay.track)
      note(.outcome(by: caller), on: stay.track)
      guard reopened != nil else { return .received(value) }
      timers.dropWait(wait.number)
      somebodyIsThere(on: stay.track, at: now)
      publish(.received(wait))
      return .received(value)
    }
    if reopened == nil {
      beginIdling(on: stay.track, at: now)
      noteFollowed(on: stay.track)
    }
    open(
      SignalBuffer.Waiting(
        wait: wait, key: key, accepts: { $0 is T }, condition: condition, typeName: "\(T.self)",
        isByChild: caller == .child), on: stay.track)
    self[stay.track].countAskers()
    presumeChildrenGoneIfComplete(on: stay.track)
    guard reopened == nil else { return .waiting(number: wait.number) }
    if let due { timers.set(.wait(wait.number), at: due, on: stay.track) }
    publish(.waiting(wait))
    return .waiting(number: wait.number)
  }

  /// Opens a wait. Those from the snapshot get their places in the queue again, in whichever order the steps come back.
  mutating func open(_ waiting: SignalBuffer.Waiting, on track: TrackID) {
    let (signal, number) = (waiting.wait.signal, waiting.wait.number)
    let turn = signals.queues[signal]?.firstIndex { $0.number > number } ?? signals.queues[signal]?.count ?? 0
    signals.queues[signal, default: []].insert((number, track), at: turn)
    signals.lastNumber = max(signals.lastNumber, number)
    self[track].waits.append(waiting)
    perform(.awaitSignal(number))
  }

  /// Returns the key of the next wait, after counting those that the calling task passes over.
  mutating func nextKey(of signal: String, hasLimit: Bool, by caller: CallingTask, on track: TrackID)
    -> JournalKey
  {
    while true {
      let key = signalKey(signal, by: caller, on: track)
      guard passesOver(key, hasLimit: hasLimit, by: caller, on: track) else { return key }
    }
  }

  /// Passes over a wait because the task that comes to wait is cancelled; see
  /// ``passOver(_:key:visit:on:hasLimit:by:)``.
  package mutating func passOver(
    waitFor signal: String, at stay: Stay, hasLimit: Bool, by caller: CallingTask = .unknown
  ) throws -> PassedOver {
    let place = try activePlace(of: stay.visit, on: stay.track, to: "wait for a signal")
    guard journal != .off else { return .givenUp }
    let key = nextKey(of: signal, hasLimit: hasLimit, by: caller, on: stay.track)
    let known = entry(of: key, hasLimit: hasLimit, on: stay.track)
    if let passed = passOver(key, known, by: caller, on: stay.track) { return passed }
    if let wait = takeReopening(wait: key, for: signal, on: stay.track) {
      stopReopening(wait, of: place.visit, on: stay.track)
    }
    return .givenUp
  }

  /// Ends a wait that was open in the snapshot and does not come again.
  mutating func stopReopening(_ wait: PackedWait, of visit: VisitNode, on track: TrackID) {
    timers.dropWait(wait.number)
    self[track].forgetAsker()
    publish(
      .stoppedWaiting(Wait(signal: wait.signal, step: visit.info.id, visit: visit.id, number: wait.number)))
  }

  /// Closes, after a step has returned, something that was open in the snapshot and that the step has not asked for
  /// again.
  ///
  /// - Returns: Whether there was something to close; then there may be more.
  package mutating func closeReopening(on track: TrackID) -> Bool {
    guard let reopening = look(at: track, { $0.reopening }), let visit = look(at: track, { $0.visit }) else {
      return false
    }
    if let question = reopening.question {
      withdrawReopening(question, on: track)
      return true
    }
    guard let wait = reopening.waits.first else { return false }
    self[track].reopening = reopening.without(wait: wait.number)
    stopReopening(wait, of: visit, on: track)
    return true
  }

  package enum Sent: Sendable {
    /// Received by a task that waited for it.
    case received
    /// Stored until a step receives it.
    case buffered
    case duplicate
    case flowEnded
  }

  /// Sends a signal from outside.
  ///
  /// The signal goes to the wait that is open longest, of those whose type and condition it meets. Waits whose time
  /// limit has passed or whose task has given up are left out; the machine need not have been told of that yet. A signal
  /// that goes to none is buffered, unless waits are open and all of them are for another type.
  ///
  /// - Parameters:
  ///   - key: The key under which the signal counts once; `nil` if each call counts.
  ///   - size: The size of the value in a snapshot, in bytes; zero if the flow is not persisted.
  ///   - judge: Returns whether the value meets the condition of the wait of this number; `nil` to call the condition
  ///     itself.
  ///   - reserve: Reserves the wait of this number for the signal. Returns false if its task has given up.
  /// - Throws: A ``FlowError``, or the error of `judge` or `reserve`.
  package mutating func send(
    _ value: any Sendable, to signal: String, key: String?, size: Int = 0,
    at now: @autoclosure () -> Duration = .zero, judging judge: SignalBuffer.Judge? = nil,
    reserving reserve: (_ wait: Int) throws -> Bool = { _ in true }
  ) throws -> Sent {
    switch phase {
    case .idle: throw error(.notRunning, "no run has begun; wait for one with `settled()`")
    case .ended: return .flowEnded
    case .walking, .leaving, .compensating: break
    }
    let key = key.map { SignalBuffer.Key(signal: signal, key: $0) }
    if let key, signals.keys.contains(key) { return .duplicate }
    let now = timers.isEmpty ? .zero : now()
    // No `backUp` waits for a signal, so this one cannot be received.
    if isEnding || isIdleTooLong(at: now) { return .flowEnded }
    try checkSizes(of: signal, key: key?.key, size)
    var mismatch: SignalBuffer.Waiting?
    var hasMatch = false
    for (number, track) in signals.queues[signal] ?? [] {
      guard let waiting = waiting(number, on: track),
        !isTooLate(waiting.pairedQuestion.map { .question($0) } ?? .wait(number), on: track, at: now)
      else { continue }
      guard waiting.accepts(value) else {
        mismatch = mismatch ?? waiting
        continue
      }
      hasMatch = true
      if let condition = waiting.condition {
        guard try judge?(number) ?? condition.isMet(value) else { continue }
      }
      guard try reserve(number) else { continue }
      if let key { signals.remember(key) }
      endWait(waiting, on: track)
      perform(.resumeWait(number, .success(value)))
      if journal != .off { remember(.answered(value), as: waiting.key, on: track) }
      noteAnswer(under: waiting.key, of: waiting.isByChild ? .child : .step, on: track)
      noteFollowed(on: track)
      note(.outcome(by: waiting.isByChild ? .child : .step), on: track)
      somebodyIsThere(on: track, at: now)
      publish(.received(waiting.wait))
      if let question = waiting.pairedQuestion { withdraw(paired: question, on: track) }
      return .received
    }
    if let mismatch, !hasMatch {
      throw error(
        .typeMismatch, "the signal \"\(signal)\" is waited for with type \(mismatch.typeName), not \(type(of: value))",
        step: mismatch.wait.step)
    }
    let buffered = SignalBuffer.BufferedSignal(signal: signal, value: value, size: signal.utf8.count + size)
    try checkRoom(for: buffered)
    if let key { signals.remember(key) }
    signals.add(buffered)
    return .buffered
  }

  /// Takes an event's number for something that is no event, so that a host can write it down under that number.
  package mutating func takeNumber() { sequence += 1 }

  /// Whether a signal has come under this key.
  package func hasCome(_ key: String, of signal: String) -> Bool {
    signals.keys.contains(SignalBuffer.Key(signal: signal, key: key))
  }

  /// Ends a wait that its step gave up, or whose time limit has passed. Changes nothing if the wait was over already.
  ///
  /// - Parameter isGivenUp: Whether the task that waited is cancelled, so that it does not go on.
  package mutating func stopWaiting(
    _ number: Int, on track: TrackID = .main, isGivenUp: Bool = false, at now: @autoclosure () -> Duration? = nil
  ) {
    if let reopening = reopening(on: track), let visit = visit(of: track),
      let wait = reopening.waits.first(where: { $0.number == number })
    {
      remember(.overdue, as: wait.key, on: track)
      noteFollowed(on: track)
      self[track].reopening = reopening.without(wait: number)
      timers.dropWait(number)
      pauseIdling(on: track, at: now())
      return publish(
        .stoppedWaiting(Wait(signal: wait.signal, step: visit.info.id, visit: visit.id, number: number)))
    }
    guard let waiting = waiting(number, on: track) else { return }
    endWait(waiting, on: track)
    perform(.resumeWait(number, .success(TimeIsUp())))
    if isGivenUp { self[track].forgetAsker() }
    // While a visit is left or replayed, and after its step has returned, the step did not choose that: a replay waits
    // again.
    if journal != .off, look(at: track, { $0.phase == .walking && !$0.focus.hasReturned }) {
      if isGivenUp {
        noteGivenUp(waiting.key, on: track)
      } else {
        remember(.overdue, as: waiting.key, on: track)
        noteFollowed(on: track)
        note(.outcome(by: waiting.isByChild ? .child : .step), on: track)
      }
    }
    pauseIdling(on: track, at: now())
    publish(.stoppedWaiting(waiting.wait))
  }

  func waiting(_ number: Int, on track: TrackID) -> SignalBuffer.Waiting? {
    look(at: track) { $0.waits }.first { $0.wait.number == number }
  }

  mutating func endWait(_ waiting: SignalBuffer.Waiting, on track: TrackID) {
    let (signal, number) = (waiting.wait.signal, waiting.wait.number)
    if let condition = waiting.condition { discard(condition) }
    self[track].waits.removeAll { $0.wait.number == number }
    signals.queues[signal]?.removeAll { $0.number == number }
    if signals.queues[signal]?.isEmpty == true { signals.queues[signal] = nil }
    timers.dropWait(number)
  }

  /// Closes the waits of a track that is being left.
  mutating func closeWaits(on track: TrackID) {
    dropReopening(on: track, questions: false, waits: true)
    for waiting in look(at: track, { $0.waits }) {
      endWait(waiting, on: track)
      perform(.resumeWait(waiting.wait.number, .cancelled))
    }
  }

  /// Returns the waits that a step left open, in tasks that it did not wait for.
  package func openWaits(on track: TrackID) -> [Int] {
    look(at: track) { $0.waits }.map(\.wait.number)
  }

  /// Whether a wait is open on one of these tracks.
  func isWaited(on isMeant: (TrackID) -> Bool) -> Bool {
    signals.queues.contains { _, queue in queue.contains { isMeant($0.track) } }
  }
}

/// The limits of what a flow stores of signals, so that a sender cannot use up the room of everything else.
package enum SignalLimits {
  /// The greatest number of UTF-8 bytes of a signal's name, and of a key.
  package static let nameBytes = 256
  /// The greatest number of bytes of all buffered signals as stored, and so of a single one.
  package static let bufferedBytes = 1 << 20
  /// The greatest number of bytes of all remembered keys, each with its signal's name. 10,000 of usual length fit.
  package static let rememberedKeyBytes = 1 << 20
}

extension FlowMachine {
  /// Refuses a signal that is too large by itself, whether or not a step waits for it.
  func checkSizes(of signal: String, key: String?, _ size: Int) throws(FlowError) {
    let limit = SignalLimits.nameBytes
    guard signal.utf8.count <= limit else { throw error(.tooLarge, "a signal's name has at most \(limit) bytes") }
    guard key?.isEmpty != true else {
      throw error(.notStorable, "the signal's key is empty; give each signal a key of its own")
    }
    guard key?.utf8.count ?? 0 <= limit else {
      throw error(
        .tooLarge, "a signal's key has at most \(limit) bytes; use a digest of a longer text")
    }
    guard signal.utf8.count + size <= SignalLimits.bufferedBytes else {
      throw error(
        .tooLarge,
        "a signal has at most \(SignalLimits.bufferedBytes) bytes; store larger values elsewhere, and send a reference")
    }
  }

  /// Refuses a signal that would exceed the limits of the buffer. A signal always has room if a wait of the snapshot
  /// has not come for it again yet: other signals must not block it.
  func checkRoom(for signal: SignalBuffer.BufferedSignal) throws(FlowError) {
    let isFull = signals.buffer.count >= SignalBuffer.capacity
    guard isFull || signals.bufferedBytes + signal.size > SignalLimits.bufferedBytes else { return }
    guard !isAwaited(signal.signal) else { return }
    throw error(
      .signalsFull,
      isFull
        ? "\(SignalBuffer.capacity) signals are buffered; this one was refused, send it later"
        : "buffered signals have at most \(SignalLimits.bufferedBytes) bytes in all; this one was refused, send it later"
    )
  }

  /// Whether more waits of the snapshot are still to come for a signal than are buffered for them.
  private func isAwaited(_ signal: String) -> Bool {
    let waits = ([.main] + descendants(of: .main)).reduce(0) { count, track in
      count + look(at: track) { $0.reopening?.waits.count { $0.signal.hasBytes(of: signal) } ?? 0 }
    }
    return waits > signals.buffer.count { $0.signal.hasBytes(of: signal) }
  }

  /// Drops the buffered signals because an ending was accepted: no step will receive them, and the rollback may need
  /// the room.
  mutating func dropBufferedSignals() {
    guard !signals.buffer.isEmpty else { return }
    discard(signals.takeBuffer())
  }
}
