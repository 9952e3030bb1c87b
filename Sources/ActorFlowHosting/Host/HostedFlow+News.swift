import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HostedFlow {
  /// The entries of the flow's history, as they come into the store: those of all hosts, from the first one after a
  /// number on.
  ///
  /// ```swift
  /// for try await entry in host.flow("order-17").news(after: seen) { print(entry.sequence, entry.what) }
  /// ```
  ///
  /// The entries come in order, without gaps. Keep the ``HistoryEntry/sequence`` of the latest one, and go on after it
  /// later, in another process or at another host: nothing is missed, however long that takes. An iteration ends when the
  /// flow has ended and its last entry was returned. If the key of the flow was erased, it ends after the entries that are
  /// stored, without the details and answers that have passed the codec.
  ///
  /// Entries are read from the store in pages of 256, at the pace of the reader. A commit at this host is seen at once,
  /// and one at another host with the next look at the store, every ``FlowHost/Options/pollInterval``. Reading activates
  /// nothing. The guard ``FlowHost/Options/access`` is asked before each page. For events of this host alone, without any
  /// look at the store, see ``events``.
  ///
  /// Each iteration throws a `FlowError` with the code `noSuchFlow` if there is no such flow, if it is deleted, or if a
  /// new flow of its id has begun since; `CancellationError` if the iterating task is cancelled; errors of the store, after
  /// which another iteration may go on.
  ///
  /// - Parameter sequence: The number after which the entries begin, the ``HistoryEntry/sequence`` of an earlier entry; 0
  ///   for all. Take no number of ``events``: it may be ahead of the store, and such a number throws `noSuchFlow`.
  public func news(after sequence: Int = 0) -> FlowNews { FlowNews(flow: self, sequence: sequence) }

  /// Waits until the flow has another revision than the given one, at any host: for a page that is to show the present
  /// state without asking again and again.
  ///
  /// A commit at this host is seen at once, and one at another host with the next look at the store, every
  /// ``FlowHost/Options/pollInterval``. Nothing is activated.
  ///
  /// - Parameters:
  ///   - revision: The ``FlowView/revision`` that the caller knows.
  ///   - time: The longest time to wait, by the host's clock.
  /// - Returns: The flow with its new revision, or `nil` if it has not changed in that time.
  /// - Throws: As ``view()``; `CancellationError` if the calling task is cancelled.
  public func changed(after revision: Revision, within time: Duration = .seconds(10)) async throws -> FlowView? {
    let shared = host.shared
    let deadline = shared.clock.date(after: time)
    let listener = shared.store.listen(to: id)
    defer { shared.store.forget(listener, of: id) }
    try await allow(.look)
    while true {
      try Task.checkCancellation()
      let view = try await host.view(id)
      if view.revision != revision { return view }
      guard shared.clock.now < deadline else { return nil }
      await shared.wait(for: listener, atMostUntil: deadline)
    }
  }
}

/// The entries of a flow's history as they come into the store; see ``HostedFlow/news(after:)``.
public struct FlowNews: AsyncSequence, Sendable {
  let flow: HostedFlow
  let sequence: Int

  /// Begins an iteration after the number that the sequence was made with. Each iteration reads for itself.
  public func makeAsyncIterator() -> Iterator { Iterator(flow: flow, sequence: sequence) }

  /// An iteration over the entries.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let flow: HostedFlow
    /// The number of the latest entry that was returned.
    var sequence: Int
    /// The entries that were read and not returned yet, latest first.
    private var page: [HistoryEntry] = []
    private var isOver = false
    /// The start of the flow that is read, which tells it from a later one of its id.
    private var startedAt: Date?

    init(flow: HostedFlow, sequence: Int) { (self.flow, self.sequence) = (flow, sequence) }

    /// Waits for the next entry; `nil` when the flow has ended, or its key was erased, and its last entry was returned.
    public mutating func next() async throws -> HistoryEntry? {
      if page.isEmpty, !isOver { try await read() }
      guard let entry = page.popLast() else { return nil }
      sequence = entry.sequence
      return entry
    }

    /// Reads the next page, and waits until there is one or the flow has ended.
    private mutating func read() async throws {
      let (host, id) = (flow.host, flow.id)
      let shared = host.shared
      let listener = shared.store.listen(to: id)
      defer { shared.store.forget(listener, of: id) }
      while true {
        try Task.checkCancellation()
        try await flow.allow(.look)
        let hasPage = try await readPage()
        let latest = try await standing()
        guard latest.hasSequence, startedAt == nil || latest.startedAt == nil || startedAt == latest.startedAt else {
          page = []
          throw begunAnew
        }
        startedAt = latest.startedAt ?? startedAt
        if hasPage { return }
        if latest.isOver {
          // The last entries may have come since the page was read.
          if try await !readPage() { isOver = true }
          return
        }
        await shared.wait(for: listener, atMostUntil: .distantFuture)
      }
    }

    /// A look at a flow, as far as its news are concerned.
    private struct Standing {
      /// The start of the flow; `nil` if the row of an erased flow does not say.
      var startedAt: Date?
      /// Whether the history has come to the number of the latest entry that was returned.
      var hasSequence: Bool
      /// Whether no entries come but those that are stored: the flow has ended, or its key is erased.
      var isOver: Bool
    }

    private func standing() async throws -> Standing {
      let (host, id) = (flow.host, flow.id)
      guard let stored = try await host.shared.store.load(id) else { throw host.noSuchFlow(id) }
      do {
        let state = try host.shared.state(of: stored)
        return Standing(
          startedAt: state.startedAt, hasSequence: state.machine.sequence >= sequence,
          isOver: state.machine.ending != nil)
      } catch is ErasedKey {
        let last = try await host.shared.store.history(of: id, after: Swift.max(0, sequence - 1), limit: 1)
        return Standing(
          startedAt: stored.snapshot.startedAt, hasSequence: sequence <= 0 || !last.isEmpty, isOver: true)
      }
    }

    private mutating func readPage() async throws -> Bool {
      let entries = try await flow.host.shared.store.history(of: flow.id, after: sequence, limit: 256)
      page = entries.reversed().map(\.withoutTokens)
      return !page.isEmpty
    }

    private var begunAnew: FlowError {
      FlowError(
        .noSuchFlow,
        "the flow's history does not reach the number: the flow was deleted, and one with its id has begun since, or the "
          + "number is another flow's; read its news from the start, after 0",
        flow: flow.id)
    }
  }
}

extension HostContext {
  /// Waits until a flow is written at this host, but no longer than until the next look at the store is due.
  func wait(for listener: AsyncEvent, atMostUntil deadline: Date) async {
    let end = min(deadline, clock.date(after: options.pollInterval))
    await withTaskGroup { [clock] group in
      group.addTask { await clock.rest(until: end) }
      group.addTask { await listener.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}

/// The tasks that wait for writes at this host: those of one flow, or those of any flow, under `nil`.
final class StoreListeners: Sendable {
  private let waiting = Lock<[FlowID?: [AsyncEvent]]>([:])

  func add(_ listener: AsyncEvent, to id: FlowID?) { waiting.withLock { $0[id, default: []].append(listener) } }

  func remove(_ listener: AsyncEvent, of id: FlowID?) {
    waiting.withLock { waiting in
      waiting[id]?.removeAll { $0 === listener }
      if waiting[id]?.isEmpty == true { waiting[id] = nil }
    }
  }

  /// Wakes the tasks that wait for writes of a flow or of any flow.
  func wake(_ id: FlowID) {
    let listeners = waiting.withLock { $0.isEmpty ? [] : ($0[id] ?? []) + ($0[nil] ?? []) }
    for listener in listeners { listener.signal() }
  }
}
