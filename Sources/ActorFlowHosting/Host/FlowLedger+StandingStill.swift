import ActorFlow

// Flows that stand still, and go on again. What the host itself does to a flow has an entry in its history, too, between
// those of the flow's events.
extension FlowLedger {
  /// What the flow itself did cannot be stored, however often it is tried: a value between two steps that no registration
  /// could see, or too much of everything. It stands still where it stood, until somebody lets it try again.
  func standStill(because error: any Error) async {
    guard var snapshot = stored?.snapshot else { return await stop(error) }
    var state = state
    index(&snapshot, by: state)
    let step = (error as? FlowError)?.step ?? snapshot.steps.first ?? ""
    let failure = StoredFailure(error)
    state.machine.fault = PackedFault(step: step, error: failure)
    snapshot.status = .failed
    // If that cannot be written either, it is tried again, and stands still when it can.
    try? await write(&snapshot, &state, "parked", step, failure.message)
    await stop(error)
  }

  /// A flow that stands still is to go on.
  func free() async throws {
    guard let fault = state.machine.fault, var snapshot = stored?.snapshot else { return }
    var state = state
    state.machine.fault = nil
    snapshot.status = .runnable
    try await write(&snapshot, &state, "retried", fault.step)
  }

  /// What could not be undone when the flow ended is to be tried again. False: there is nothing.
  func undoAgain() async throws -> Bool {
    guard let machine = state.machine.undoingAgain, var snapshot = stored?.snapshot else { return false }
    var state = state
    state.machine = machine
    (snapshot.status, snapshot.rollbackFailed) = (.runnable, false)
    try await write(&snapshot, &state, "retried", nil)
    return true
  }

  private func write(
    _ snapshot: inout FlowSnapshot, _ state: inout HostedState, _ what: String, _ step: StepID?, _ detail: String? = nil
  ) async throws {
    let request = HostRequest.current
    if let request { state.apply(request) }
    state.machine.sequence += 1
    index(&snapshot, by: state)
    snapshot.body = try office.body(of: state)
    let entry = HistoryEntry(
      sequence: state.machine.sequence, at: office.clock.now, what: what, step: step, by: request?.principal,
      detail: detail)
    try await write(snapshot, state, appending: [entry])
  }
}

extension MachineSnapshot {
  /// The same, of a flow that stands still by now: what it had begun once is recorded, and else nothing happens.
  func standing(as stored: MachineSnapshot) -> MachineSnapshot {
    guard let fault = stored.fault, self.fault == nil, sequence < stored.sequence else { return self }
    var standing = self
    (standing.fault, standing.sequence) = (fault, stored.sequence)
    return standing
  }
}
