import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The one write of a change that is made in a transaction. The flow's committer waits here, in the middle of the commit,
/// until it is known what has become of the transaction. So nothing is decided, run or announced before.
final class PendingWrite: Sendable {
  let transaction: any FlowTransaction
  private let clock: any WallClock
  /// Reads the flow again, after the committer has given it up.
  private let reading: @Sendable () async throws -> FlowView
  private let state = Lock(State())
  /// Provides the flow as it is written, or the error of a change that was refused before.
  private let filed = OneShot()
  /// Signaled when it is known what has become of the write, or when nothing settles the change any more.
  private let news = AsyncEvent()

  private struct State: Sendable {
    var write: FlowWrite?
    var fate = TransactionFate.undecided
    /// Whether the committer has stopped waiting.
    var isOver = false
    /// The whole change, which ends after the commit.
    var task: Task<FlowView, any Error>?
  }

  init(
    in transaction: any FlowTransaction, clock: any WallClock, reading: @escaping @Sendable () async throws -> FlowView
  ) {
    (self.transaction, self.clock, self.reading) = (transaction, clock, reading)
  }

  // MARK: - The committer's side

  /// Whether the next write is to be made in the transaction. Later writes of the same request are the flow's own.
  var isOpen: Bool {
    state.withLock { state in
      if case .committed = state.fate { false } else { true }
    }
  }

  /// Makes the write in the transaction.
  func write(_ write: FlowWrite) async throws -> StoredFlow {
    // A change that was rolled back is not made again.
    if state.withLock({ $0.isOver }) { throw RolledBackCommit() }
    do {
      let stored = try await transaction.write(write)
      state.withLock { $0.write = write }
      return stored
    } catch let error as FlowStoreError where error.code == .outcomeUnknown {
      throw FlowStoreError(.unavailable, "the transaction has ended in the middle of the write", underlying: error)
    }
  }

  /// Lets the caller go on with its transaction, and returns when that is committed.
  ///
  /// - Throws: ``RolledBackCommit`` if nothing is stored; a ``FlowStoreError`` with the code `outcomeUnknown` if that is
  ///   not known when the time is over, or when nothing settles the change any more.
  func wait(showing view: FlowView, for time: Duration, by clock: any WallClock) async throws {
    filed.fulfil(.success(view))
    let deadline = clock.date(after: time)
    await withTaskGroup { group in
      group.addTask { await clock.rest(until: deadline) }
      group.addTask { await self.news.wait() }
      await group.next()
      group.cancelAll()
    }
    var failure: (any Error)?
    do { _ = try await askStore() } catch { failure = error }
    let fate = state.withLock { state in
      state.isOver = true
      return state.fate
    }
    switch fate {
    case .committed: return
    case .rolledBack: throw RolledBackCommit()
    case .undecided:
      throw FlowStoreError(
        .outcomeUnknown, "the flow was changed in a transaction that was not settled within \(time)",
        underlying: failure)
    }
  }

  // MARK: - The caller's side

  /// Waits until the flow is written in the transaction, and returns it.
  ///
  /// - Throws: The error of a change that was refused before.
  func view() async throws -> FlowView {
    guard let view = try await filed.value() as? FlowView else { throw CancellationError() }
    return view
  }

  /// Begins the change in a task of its own, because the caller goes on with its transaction in the middle of the commit.
  func begin(at host: FlowHost, _ change: @escaping @Sendable () async throws -> FlowView) {
    let task = host.changing { [filed] in
      // Nothing that the flow does after the change is in the transaction.
      try await PendingChanges.$current.withValue(nil) {
        do {
          let view = try await change()
          filed.fulfil(.success(view))
          return view
        } catch {
          filed.fulfil(.failure(error))
          throw error
        }
      }
    }
    state.withLock { $0.task = task }
  }

  /// Waits until the flow is written in the transaction, or ``isOver(_:)`` is called without an error.
  func isFiled() async throws { _ = try await filed.value() }

  /// Notes that the change has ended, whether the flow was written or not.
  func isOver(_ error: (any Error)? = nil) {
    filed.fulfil(error.map { .failure($0) } ?? .success(()))
  }

  /// Whether the flow was written in the transaction.
  var isWritten: Bool { state.withLock { $0.write != nil } }

  /// Lets the committer stop waiting, because nothing settles the change any more.
  func dismiss() { news.signal() }

  /// Finds out what has become of the transaction, and lets the flow go on.
  ///
  /// - Returns: The flow as the change has left it; `nil` if the change was rolled back.
  /// - Throws: The error of the store if that cannot be found out at present.
  func settle() async throws -> FlowView? {
    let fate = try await decide()
    let result = await state.withLock { $0.task }?.result
    guard fate == .committed else { return nil }
    do { return try result?.get() } catch let error as FlowStoreError where error.code == .outcomeUnknown {
      // The committer had stopped waiting before it was known.
      return try await reading()
    }
  }

  /// Finds out what has become of the transaction, and lets the committer go on.
  func decide() async throws -> TransactionFate {
    defer { news.signal() }
    return try await decided()
  }

  /// Asks until the transaction has ended. Its end may be on the way to the database when the caller has lost the
  /// connection.
  private func decided() async throws -> TransactionFate {
    // A change that was found done has no write.
    guard isWritten else { return .committed }
    let pauses = Backoff.exponential(from: .milliseconds(1), limit: .milliseconds(250))
    for attempt in 1... {
      let fate = try await askStore()
      guard fate == .undecided else { return fate }
      try Task.checkCancellation()
      await HostContext.pause(pauses.delay(after: attempt), by: clock)
    }
    return .undecided
  }

  private func askStore() async throws -> TransactionFate {
    let (write, known) = state.withLock { ($0.write, $0.fate) }
    guard known == .undecided, let write else { return known }
    let fate = try await transaction.fate(of: write)
    state.withLock { if $0.fate == .undecided { $0.fate = fate } }
    return fate
  }
}
