import ActorFlow

// Flows whose key was erased, so that nothing of their state can be read any more.
extension HostContext {
  /// Stores that the key of an open flow was erased, so that the flow is found by its status, is in no inbox, and no host
  /// claims it again. Nothing is written for a flow that has ended: no host claims it anyway.
  ///
  /// The state stays as it is stored, so the flow goes on if its key comes back. There is no entry in the history, because
  /// its number is in the state. If the write fails, the next activation of the flow tries it again.
  func markErased(_ stored: StoredFlow, fence: Fence?) async {
    var snapshot = stored.snapshot
    guard snapshot.status != .erased, !snapshot.status.isTerminal else { return }
    (snapshot.status, snapshot.tasks, snapshot.wakeAt) = (.erased, [], nil)
    do {
      // Hosts that write an earlier format do not know the status.
      guard try await max(snapshot.format, Int(writtenFormat(like: snapshot))) >= 9 else { return }
      _ = try await store.commit(
        FlowWrite(
          snapshot, to: stored.id, expecting: stored.revision, fence: fence, over: stored.snapshot.valueNumbers),
        of: TraceContext())
      reportErased(stored)
    } catch { note(error, in: .marking, of: stored.id) }
  }

  /// Reports that the key of an open flow was erased.
  func reportErased(_ stored: StoredFlow) {
    let (definition, version) = (stored.snapshot.definition, stored.snapshot.version)
    observation?.report(
      .erased,
      of: HostObservation.Subject(flow: stored.id, definition: definition, version: version, trace: TraceContext()))
  }

  /// Whether the key of a stored flow was erased.
  func isErased(_ stored: StoredFlow) -> Bool {
    do { _ = try state(of: stored) } catch { return error is ErasedKey }
    return false
  }

  static func erased(_ id: FlowID) -> FlowError {
    FlowError(.erased, "the key of the flow's data was erased, so the flow cannot be read and does not go on", flow: id)
  }
}

extension FlowHost {
  /// Returns the state of a flow that is about to be activated or changed. If its key was erased, that is stored.
  ///
  /// - Throws: A `FlowError` with the code `erased`; as ``HostContext/state(of:)``.
  func readState(of stored: StoredFlow, fence: Fence?) async throws -> HostedState {
    do { return try shared.state(of: stored) } catch is ErasedKey {
      await shared.markErased(stored, fence: fence)
      throw HostContext.erased(stored.id)
    }
  }

  /// Stores that the key of a flow was erased while the flow was in memory, and takes it from there, without waiting for
  /// its steps.
  ///
  /// - Returns: Whether the key was erased.
  func storeErasure(of id: FlowID) async -> Bool {
    if let flow = live[id], let stored = flow.committer.stored {
      guard shared.isErased(stored) else { return false }
      await shared.markErased(stored, fence: flow.lease?.fence)
      await flow.dismiss(HostContext.erased(id))
      return true
    }
    // The flow has left memory: activating it stores that.
    do {
      await release(try await take(id))
      return false
    } catch { return (error as? FlowError)?.code == .erased }
  }

  /// Runs a request; an erased key that it meets is thrown as a `FlowError`.
  nonisolated func namingErased<Result>(
    _ id: FlowID, _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch is ErasedKey { throw HostContext.erased(id) }
  }

  /// Returns the view of a flow whose key was erased: what its row says, and nothing of its state. The state is gone if
  /// the flow was redacted since.
  nonisolated func erasedView(_ stored: StoredFlow) async throws -> FlowView {
    var startedAt = stored.snapshot.startedAt
    if startedAt == nil { startedAt = try await shared.store.history(of: stored.id, after: 0, limit: 1).first?.at }
    var state = HostedState(startedAt: startedAt ?? stored.changedAt, input: .placeholder)
    state.unmigrated = HostContext.erased(stored.id).message
    state.isRedacted = stored.snapshot.isStateRemoved
    var erased = stored
    (erased.snapshot.status, erased.snapshot.tasks, erased.snapshot.wakeAt) = (.erased, [], nil)
    return FlowView(erased, state, isErased: true)
  }
}

extension FlowSnapshot {
  /// Whether a redaction has removed the state of a flow whose key was erased. The body of every other flow has bytes.
  ///
  /// Such a flow never goes on, also if its key comes back.
  var isStateRemoved: Bool { body.isEmpty && (status == .erased || status.isTerminal) }
}
