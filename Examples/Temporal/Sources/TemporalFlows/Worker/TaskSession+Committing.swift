internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import TemporalProtocol

// The commits of a flow: a marker in the completion of the task.
extension TaskSession {
  /// The number of bytes that a snapshot may have, of the 2 MiB that Temporal takes in one payload.
  static let snapshotBytes = (2 << 20) - (64 << 10)

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    try await alone {
      if let stored, lastCommit == write.commit { return stored }
      guard phase == .open else {
        throw FlowStoreError(.fenced, "the task of the flow \(id) is over, or another worker has it")
      }
      guard write.snapshot.status != .unmigrated else {
        // Temporal gives the task out again until a worker has a version that fits.
        isUnserved = true
        throw FlowStoreError(.unavailable, "no version at this worker fits the flow \(id); the task is given back")
      }
      guard (stored?.revision ?? .none) == write.expecting else {
        throw FlowStoreError(
          .conflict, "the flow \(id) has revision \(stored?.revision.number ?? 0), not \(write.expecting)")
      }
      let bytes = write.snapshot.encoded()
      guard bytes.count <= Self.snapshotBytes else {
        throw FlowStoreError(
          .tooLarge,
          "the snapshot has \(bytes.count) bytes; at most \(Self.snapshotBytes) are stored, because Temporal takes 2 MiB in "
            + "one payload. Keep large values elsewhere, and their names in the flow")
      }
      return try await store(bytes, write)
    }
  }

  private func store(_ bytes: [UInt8], _ write: FlowWrite) async throws -> StoredFlow {
    let next = StoredFlow(
      id: id, revision: write.expecting.next, snapshot: write.snapshot.stored,
      changedAt: Date(microseconds: settings.clock.now.wholeMicroseconds))
    let carried = carry(write, next)
    let record = SnapshotRecord(
      revision: next.revision.number, commit: write.commit, changedAt: next.changedAt.wholeMicroseconds,
      cursor: reachedCursor)
    var marker = TemporalCommand()
    marker.commandType = .recordMarker
    marker.recordMarker.markerName = SnapshotRecord.marker
    marker.recordMarker.details = try record.details(bytes, history: write.history)
    // The workflow is ended, and continued by a new run, in a completion of its own: the server refuses both while a
    // signal waits, and that must not refuse the commit.
    let isLast = write.releases && open.isEmpty && failure == nil && !endsWorkflow(next) && !isLong
    let commands = [marker] + (isLast ? try restingCommands(next) : [])
    switch try await complete(commands, goesOn: !isLast, as: write.commit) {
    case .done:
      (stored, lastCommit, doubt) = (next, write.commit, nil)
      if isLast { listed = SummaryRecord(next) }
      return next
    case .lost:
      throw FlowStoreError(.fenced, "the task of the flow \(id) has timed out, and another worker may have the flow")
    case .refused(let reason):
      takeBack(carried)
      throw FlowStoreError(.unavailable, "the server has refused the write of the flow \(id): \(reason)")
    case .unknown(let error):
      takeBack(carried)
      doubt = write.commit
      throw FlowStoreError(
        .outcomeUnknown, "the server has not answered to the write of the flow \(id)", underlying: error)
    }
  }

  /// Notes the outcome of the requests that a write carries, so that the same completion tells it.
  ///
  /// The write that carries a `compensateAgain` is the last of several, and does not say whether a `backUp` has thrown
  /// again: the host does so afterwards.
  private func carry(_ write: FlowWrite, _ next: StoredFlow) -> [OpenRequest] {
    let carried = open.values.filter { $0.request.isCarried(by: write) && $0.request.carried.kind != .compensateAgain }
    for entry in carried {
      guard case .update(let update) = entry.request.source else {
        decide(entry.request, TemporalUpdateOutcome())
        continue
      }
      let result = UpdateResult(
        revision: next.revision.number, delivery: update.arguments.signal == nil ? nil : "accepted",
        digest: update.request.digest)
      decide(entry.request, .success(result))
    }
    return carried
  }

  /// Forgets the outcome of requests whose write was not done, or perhaps not.
  private func takeBack(_ carried: [OpenRequest]) {
    for entry in carried {
      open[entry.request.name] = entry
      switch entry.request.source {
      case .update(let update): outcomes.removeAll { $0.update.id == update.id }
      case .arrival(let arrival): applied.remove(arrival.event)
      }
    }
  }

  /// The last event of other systems up to which all are applied.
  var reachedCursor: Int64 {
    var cursor = state.cursor
    for arrival in state.arrivals {
      guard applied.contains(arrival.event) else { break }
      cursor = arrival.event
    }
    return cursor
  }

  /// Whether the workflow is ended with the flow. A flow of which a `backUp` has failed waits for an operator.
  func endsWorkflow(_ flow: StoredFlow) -> Bool { flow.snapshot.status.isTerminal && !flow.snapshot.rollbackFailed }

  /// Whether the run is so long that a new one is to continue it.
  var isLong: Bool { state.lastEvent >= settings.runEvents || state.size >= settings.runBytes }
}
