import ActorFlow

// Flows that are suspended because a step failed, and go on again. The host's own changes have history entries, too,
// numbered between those of the flow's events.
extension FlowCommitter {
  /// Suspends the flow because its own change cannot be stored, however often it is tried: it has a value between two
  /// steps that registration could not check, or is too large. The flow stays as it is stored until `retry` or
  /// `abandon`, with what was held back.
  func standStill(because error: any Error) async {
    var (stored, state) = latest
    guard let base = stored.take() else { return await stop(error) }
    let held = self.held
    var snapshot = held?.snapshot ?? base.snapshot
    state = held?.state ?? state
    index(&snapshot, by: state)
    let step = (error as? FlowError)?.step ?? snapshot.steps.first ?? ""
    let failure = StoredFailure(error)
    state.machine.fault = PackedFault(step: step, error: failure)
    snapshot.status = .suspended
    do {
      try await write(&snapshot, &state, after: base, "suspended", step, failure.message)
      shared.observation?.report(.suspended(step, HostEvent.Failure(error)), of: subject)
    } catch {
      // The flow is activated again later, and is suspended when a write succeeds.
      shared.note(error, in: .marking, of: id, definition)
    }
    await stop(error)
  }

  /// Lets a suspended flow go on.
  func free(for request: HostRequest) async throws {
    var (stored, state) = latest
    guard let fault = state.machine.retry(), let base = stored.take() else { return }
    var snapshot = base.snapshot
    snapshot.status = .runnable
    try await write(&snapshot, &state, after: base, "retried", fault.step, request.reason, for: request)
  }

  /// Lets a flow that has ended retry the `backUp`s that threw. Returns false if there are none.
  func undoAgain(for request: HostRequest) async throws -> Bool {
    var (stored, state) = latest
    guard let machine = state.machine.undoingAgain, let base = stored.take() else { return false }
    state.machine = machine
    var snapshot = base.snapshot
    (snapshot.status, snapshot.rollbackFailed) = (.runnable, false)
    try await write(&snapshot, &state, after: base, "retried", nil, request.reason, for: request)
    return true
  }

  /// Writes the entry of a request that changes nothing else, for a flow that no coordinator runs: it is suspended, has
  /// ended, or is not in use.
  func remark(_ remark: HostRequest.Remark, for request: HostRequest) async throws {
    var (stored, state) = latest
    guard let base = stored.take() else { return }
    var snapshot = base.snapshot
    // The note of a flow that goes on names no step, whether the flow is in use or not.
    let step = state.machine.fault?.step ?? (state.machine.ending == nil ? nil : snapshot.steps.first)
    try await write(&snapshot, &state, after: base, remark.what, step, remark.detail, for: request)
  }

  private func write(
    _ snapshot: inout FlowSnapshot, _ state: inout HostedState, after base: StoredFlow, _ what: String,
    _ step: StepID?, _ detail: String? = nil, for request: HostRequest? = nil
  ) async throws {
    if let request {
      try request.refuseRepetition(after: state)
      state.apply(request)
    }
    state.machine.sequence += 1
    index(&snapshot, by: state)
    try shared.write(&state, to: &snapshot, of: id)
    let entry = HistoryEntry(
      sequence: state.machine.sequence, at: shared.clock.now, what: what, step: step, by: request?.principal,
      detail: detail.flatMap { $0.isEmpty ? nil : $0 })
    try await write(snapshot, state, after: base, appending: [entry], for: request)
    if request != nil { retire() }
  }
}

extension MachineSnapshot {
  /// Whether the flow stands where another snapshot has it.
  func differsOnlyInSequence(from other: MachineSnapshot) -> Bool {
    var other = other
    other.sequence = sequence
    return self == other
  }

  /// Returns this snapshot with the number of the latest history entry, and as that of a suspended flow, if the host has
  /// written an entry of its own meanwhile: that the flow is suspended, or unmigrated. So the result of a `once` that was
  /// under way is recorded, and nothing else changes.
  func standing(as stored: MachineSnapshot) -> MachineSnapshot {
    guard sequence < stored.sequence else { return self }
    var standing = self
    standing.sequence = stored.sequence
    if standing.fault == nil { standing.fault = stored.fault }
    return standing
  }
}
