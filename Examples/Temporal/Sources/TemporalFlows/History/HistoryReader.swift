internal import ActorFlow
internal import ActorFlowHosting
internal import GRPCCore
internal import TemporalProtocol

// Reading the events of a run, page by page.
extension TemporalClient {
  /// The number of events that a page is asked for.
  private static let pageEvents: Int32 = 256

  /// Adds the events that came with a task, and all further pages.
  func add(_ task: TemporalPollWorkflowTaskQueueResponse, to state: inout RunState) async throws {
    try state.add(task.history.events)
    var token = task.nextPageToken
    while !token.isEmpty {
      let page = try await historyPage(of: task.workflowExecution, after: token)
      try state.add(page.history.events)
      token = page.nextPageToken
    }
  }

  /// Reads a run as it is stored; `nil` if the server has no workflow of this id.
  ///
  /// - Parameter run: The run; empty for the latest.
  func readRun(of id: FlowID, _ run: String = "") async throws -> RunState? {
    var state = RunState(of: id)
    do { try await forEachPage(of: id, run) { try state.add($0) } } catch let error as RPCError
      where error.code == .notFound
    { return nil }
    return state.lastEvent == 0 ? nil : state
  }

  /// Reads a flow as it was committed last; `nil` if there is none, or none was committed.
  ///
  /// The events are read from the newest on, because the last snapshot is near the end. If others have ended the workflow,
  /// so has the flow.
  ///
  /// - Throws: `TemporalFlowError` with the code `flowEnded` if the workflow has ended and nothing was committed.
  func readFlow(_ id: FlowID) async throws -> StoredFlow? {
    var execution = TemporalWorkflowExecution()
    execution.workflowID = "\(id)"
    var request = TemporalGetWorkflowExecutionHistoryReverseRequest()
    request.namespace = namespace
    request.execution = execution
    request.maximumPageSize = 24
    var newest: TemporalHistoryEvent?
    repeat {
      let page: TemporalGetWorkflowExecutionHistoryReverseResponse
      do {
        page = try await repeating { [request] in
          try await self.call { try await $0.getWorkflowExecutionHistoryReverse(request, metadata: $1, options: $2) }
        }
      } catch let error as RPCError where error.code == .notFound { return nil }
      for event in page.history.events {
        if newest == nil { newest = event }
        guard let stored = try Self.stored(event, of: id) else { continue }
        return newest.flatMap { ForeignEnd($0.eventType) }?.ending(stored) ?? stored
      }
      request.nextPageToken = page.nextPageToken
    } while !request.nextPageToken.isEmpty
    guard let end = newest.flatMap({ ForeignEnd($0.eventType) }) else { return nil }
    throw TemporalFlowError(
      .flowEnded,
      "the workflow of the flow \"\(id)\" has \(end.word) before a worker had begun it; Temporal has the reason")
  }

  private static func stored(_ event: TemporalHistoryEvent, of id: FlowID) throws -> StoredFlow? {
    let found: (SnapshotRecord, [UInt8])?
    switch event.attributes {
    case .markerRecorded(let marker) where marker.markerName == SnapshotRecord.marker:
      found = try SnapshotRecord.read(marker.details)
    case .workflowStarted(let started): found = try SnapshotRecord.read(started.input.payloads)
    default: found = nil
    }
    guard let (record, bytes) = found else { return nil }
    return record.stored(try FlowSnapshot(decoding: bytes), of: id)
  }

  /// Reads the entries of a flow's history behind a number, oldest first.
  ///
  /// They are in the markers of the runs, which are read from the newest run back. The entries of runs that the
  /// namespace no longer retains are gone.
  ///
  /// - Throws: An `RPCError` with the code `notFound` if the server has no workflow of this id.
  func readHistory(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    var (entries, run): ([HistoryEntry], String?) = ([], "")
    while let current = run {
      var (ofRun, state): ([HistoryEntry], RunState) = ([], RunState(of: id))
      do {
        try await forEachPage(of: id, current) { events in
          try state.add(events)
          for case .markerRecorded(let marker) in events.compactMap(\.attributes)
          where marker.markerName == SnapshotRecord.marker {
            ofRun += try SnapshotRecord.entries(marker.details)
          }
        }
      } catch let error as RPCError where error.code == .notFound && !current.isEmpty { break }
      entries = ofRun + entries
      run = entries.first.map { $0.sequence <= sequence + 1 } == true ? nil : state.continuedRun
    }
    return Array(entries.filter { $0.sequence > sequence }.prefix(max(1, limit)))
  }

  private func forEachPage(
    of id: FlowID, _ run: String, _ body: ([TemporalHistoryEvent]) throws -> Void
  ) async throws {
    var execution = TemporalWorkflowExecution()
    (execution.workflowID, execution.runID) = ("\(id)", run)
    var token = TemporalGetWorkflowExecutionHistoryResponse().nextPageToken
    repeat {
      let page = try await historyPage(of: execution, after: token)
      try body(page.history.events)
      token = page.nextPageToken
    } while !token.isEmpty
  }

  private func historyPage(
    of execution: TemporalWorkflowExecution, after token: some Sequence<UInt8>
  ) async throws -> TemporalGetWorkflowExecutionHistoryResponse {
    var request = TemporalGetWorkflowExecutionHistoryRequest()
    request.namespace = namespace
    request.execution = execution
    request.maximumPageSize = Self.pageEvents
    request.nextPageToken = .init(token)
    return try await repeating { [request] in
      try await self.call { try await $0.getWorkflowExecutionHistory(request, metadata: $1, options: $2) }
    }
  }

  /// Repeats a call of which the server takes one only, six times and for five seconds at least: so long may a broken
  /// connection take. A call that is not sent is repeated if there was a connection before, and for five seconds.
  ///
  /// - Throws: The error of the last attempt, or of one that may have been done if there is one.
  func repeating<Reply: Sendable>(_ call: () async throws -> Reply) async throws -> Reply {
    let end = ContinuousClock.now + .seconds(5)
    var (pauses, attempts) = (CallPauses(), 1)
    var doubt: (any Error)?
    while true {
      do { return try await call() } catch {
        switch CallOutcome(error) {
        case .gone, .refused: throw error
        case .unsent:
          guard hasConnected, ContinuousClock.now < end else { throw doubt ?? error }
        case .unknown:
          guard attempts < 6 || ContinuousClock.now < end else { throw error }
          doubt = error
        }
        attempts += 1
        try await pauses.wait()
      }
    }
  }
}
