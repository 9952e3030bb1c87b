import ActorFlow

// Flows that fit no registered version, or whose step asks something else than its stored answers say.
extension HostContext {
  /// Stores that a flow is unmigrated, and why, so that it can be found by its status. All else stays as it is stored.
  ///
  /// - Returns: The flow as it is stored then.
  /// - Throws: The store's error. The flow then stays as it is and is tried again; the host remembers the error.
  func markUnmigrated(_ stored: StoredFlow, _ state: HostedState, because error: FlowError, fence: Fence?) async throws
    -> (stored: StoredFlow, state: HostedState)
  {
    guard state.unmigrated != error.message || stored.snapshot.status != .unmigrated else { return (stored, state) }
    var (snapshot, state) = (stored.snapshot, state)
    state.unmigrated = error.message
    snapshot.status = .unmigrated
    let entry = note("unmigrated", stored, &state, error.message)
    try write(&state, to: &snapshot, of: stored.id)
    let marked = try await store.commit(
      FlowWrite(
        snapshot, to: stored.id, expecting: stored.revision, fence: fence, appending: [entry],
        over: stored.snapshot.valueNumbers), of: state.trace)
    observation?.report(
      .unmigrated(HostEvent.Failure(error)),
      of: HostObservation.Subject(
        flow: stored.id, definition: snapshot.definition, version: snapshot.version, trace: state.trace))
    return (marked, state)
  }

  /// Makes a history entry for an action of the host, and gives it the flow's next sequence number.
  func note(_ what: String, _ stored: StoredFlow, _ state: inout HostedState, _ detail: String? = nil) -> HistoryEntry {
    state.machine.sequence += 1
    return HistoryEntry(
      sequence: state.machine.sequence, at: clock.now, what: what, step: stored.snapshot.steps.first, detail: detail)
  }
}
