public import ActorFlow
public import ActorFlowHosting
internal import Foundation
internal import GRPCCore

// Reading flows. Nothing is activated, and no worker is asked.
extension TemporalFlows {
  /// Returns a flow as it was committed last, from the history of its workflow.
  ///
  /// A flow whose workflow others have ended is shown as ended, without steps and timers: `abandoned` if the workflow was
  /// terminated, `cancelled` if it was cancelled, `failed` if it has timed out. The view still has the questions that were
  /// open, and an answer to them is refused with `flowEnded`.
  ///
  /// - Throws: ``TemporalFlowError``: `noSuchFlow` if there is no such flow, or no worker has begun it yet; `flowEnded` if
  ///   its workflow has ended before a worker had begun it; `outcomeUnknown`, `unavailable`. A `FlowStoreError` with the
  ///   code `corrupted` or `unsupportedFormat`.
  public func view(_ id: FlowID) async throws -> FlowView {
    try RequestTexts.checkExists(id)
    let stored: StoredFlow?
    do { stored = try await client.readFlow(id) } catch let error as FlowStoreError { throw error } catch {
      throw TemporalFlowError.ofCall(error)
    }
    guard let stored else {
      throw TemporalFlowError(.noSuchFlow, "there is no flow \"\(id)\", or no worker has begun it yet")
    }
    var hosting = FlowHost.Options()
    hosting.codec = options.codec
    return try await FlowHost(store: OneFlow(stored), options: hosting).flow(id).view()
  }

  /// Waits until a flow waits for an answer, a signal or a timer, is suspended, or has ended, and returns it.
  ///
  /// - Parameters:
  ///   - id: The flow, which may be about to be begun.
  ///   - revision: The revision that the flow must have reached, as a request has returned it.
  ///   - time: The longest time to wait.
  /// - Returns: The settled flow, or the flow as it is when the time is over.
  /// - Throws: As ``view(_:)`` when the time is over; `CancellationError`.
  public func settled(
    _ id: FlowID, after revision: Revision = .none, within time: Duration = .seconds(10)
  ) async throws -> FlowView {
    try RequestTexts.checkExists(id)
    let end = ContinuousClock.now + time
    var pauses = CallPauses(from: .milliseconds(5), to: .milliseconds(100))
    while true {
      do {
        let view = try await view(id)
        let isSettled = view.status != .runnable && view.revision >= revision
        if isSettled || ContinuousClock.now >= end { return view }
      } catch let error as TemporalFlowError where error.code == .noSuchFlow && ContinuousClock.now < end {
        // A worker is about to begin it.
      }
      try await pauses.wait()
    }
  }

  /// Returns the history of a flow, oldest first: its changes, their times and the principals who made them.
  ///
  /// The entries are in the runs of the workflow. Those of runs that the namespace no longer retains are gone.
  ///
  /// - Throws: ``TemporalFlowError`` with the code `noSuchFlow`.
  public func history(of id: FlowID, after sequence: Int = 0, limit: Int = 1_000) async throws -> [HistoryEntry] {
    try RequestTexts.checkExists(id)
    do { return try await client.readHistory(of: id, after: sequence, limit: limit) } catch {
      throw TemporalFlowError.ofCall(error)
    }
  }

  /// Returns a page of the flows that match a query.
  ///
  /// Lists are eventually consistent, and show a flow as it came to rest last: one that a worker runs at this moment
  /// may have gone on. Everything of the query holds; Temporal narrows the list down by the definition and, with
  /// search attributes, by status and label, and the rest is compared here.
  ///
  /// - Parameters:
  ///   - query: The flows to list.
  ///   - cursor: The cursor of the previous page; `nil` for the first page.
  ///   - limit: The greatest number of flows to return, at most 1,000.
  /// - Throws: A `FlowStoreError`: `unavailable`; `notFound` for a cursor of another list.
  public func list(_ query: FlowQuery = FlowQuery(), after cursor: String? = nil, limit: Int = 100) async throws
    -> FlowPage
  {
    try await lister.list(query, after: cursor, limit: limit)
  }
}

/// A store of one flow, from which a host makes the flow's view.
private struct OneFlow: FlowStore {
  let flow: StoredFlow

  init(_ flow: StoredFlow) { self.flow = flow }

  private static var isReadOnly: FlowStoreError { FlowStoreError(.unavailable, "the flow is only looked at") }

  func load(_ id: FlowID) async throws -> StoredFlow? { id == flow.id ? flow : nil }
  func commit(_ write: FlowWrite) async throws -> StoredFlow { throw Self.isReadOnly }
  func delete(_ id: FlowID, expecting revision: Revision, fence: Fence?) async throws { throw Self.isReadOnly }
  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage { throw Self.isReadOnly }
  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage { throw Self.isReadOnly }
  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] { [] }
  func note(_ key: String) async throws -> StoreNote? { nil }
  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws { throw Self.isReadOnly }
}
