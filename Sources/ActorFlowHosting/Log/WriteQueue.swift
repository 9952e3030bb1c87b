import ActorFlow

/// The writes that wait for a group, and those on their way to the disk: who is refused, and when.
///
/// Each write is decided when it comes, against the state that the writes before it will leave. A refused write has
/// nothing to do with the disk, unless it was refused because of a write on its way: then it waits for that one, and is
/// decided again.
struct WriteQueue: Sendable {
  typealias Done = @Sendable (Result<Ending, FlowStoreError>) -> Void

  enum Ending: Sendable {
    case written
    /// The write was done before, under the same id.
    case repeated
  }

  struct Member: Sendable {
    let change: LogChange
    let done: Done
  }

  /// The reply to the caller of a write that needs no disk.
  struct Reply: Sendable {
    let done: Done
    let result: Result<Ending, FlowStoreError>

    func deliver() { done(result) }
  }

  private(set) var waiting: [Member] = []
  private(set) var inFlight: [Member] = []
  private var dependent: [Member] = []
  /// The state that the writes on their way will leave, by what they write.
  private var staged: [LogChange.Subject: LogChange.Found] = [:]
  /// Whether a thread takes groups from the queue.
  private(set) var isDrained = true

  /// Takes a write, or returns the reply to one that is not to be written.
  mutating func submit(_ member: Member, _ state: LogState) -> Reply? {
    let subject = member.change.subject
    let found = staged[subject] ?? member.change.found(in: state)
    switch member.change.decision(on: found) {
    case .write:
      staged[subject] = member.change.left
      waiting.append(member)
      return nil
    case .refuse where staged[subject] != nil, .repeated where staged[subject] != nil:
      dependent.append(member)
      return nil
    case .refuse(let error): return Reply(done: member.done, result: .failure(error))
    case .repeated: return Reply(done: member.done, result: .success(.repeated))
    }
  }

  /// Whether a thread has to begin to take groups; call it after ``submit(_:_:)``.
  mutating func begins() -> Bool {
    guard isDrained, !waiting.isEmpty else { return false }
    isDrained = false
    return true
  }

  /// Returns the writes of the next group, or `nil` if the thread has nothing to do any more.
  ///
  /// A deletion removes what earlier groups say of its flow. So it is in no group with a write that it removes.
  ///
  /// - Parameter isApart: Whether writes that may use the reserve share no group with others, which would take back what
  ///   the reserve has given.
  mutating func next(upTo bytes: Int, apart isApart: Bool = false) -> [Member]? {
    guard !waiting.isEmpty else {
      isDrained = true
      return nil
    }
    var size = 0
    var written: Set<LogChange.Subject> = []
    let end = waiting.firstIndex { member in
      defer { size += member.change.bytes }
      let isNew = written.insert(member.change.subject).inserted
      if member.change.isDeletion, !isNew { return true }
      if isApart, member.change.mayUseReserve != waiting[0].change.mayUseReserve { return true }
      return size > 0 && size + member.change.bytes > bytes
    }
    inFlight = Array(waiting[..<(end ?? waiting.count)])
    waiting.removeFirst(inFlight.count)
    return inFlight
  }

  /// Ends a group: the state has its writes now, or will never have them.
  ///
  /// The writes that were decided after a failed one, or that waited for one of the group, are decided again.
  ///
  /// - Parameter repeated: The writes of a failed group that come again.
  /// - Returns: The replies to those that are not to be written.
  mutating func finish(_ isWritten: Bool, _ state: LogState, repeating repeated: [Member] = []) -> [Reply] {
    inFlight = []
    staged = [:]
    var again = repeated
    if isWritten {
      for member in waiting { staged[member.change.subject] = member.change.left }
    } else {
      again += waiting
      waiting = []
    }
    again += dependent
    dependent = []
    return again.compactMap { submit($0, state) }
  }
}
