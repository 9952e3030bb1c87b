import ActorFlow

// Failed `backUp`s are called again beside their flow: a coordinator of its own has their places on its stack and does
// nothing but roll back, and its commits change only what the flow says of these places. Meanwhile the flow is in memory
// for nothing else, so neither has to expect the other's changes.
extension FlowHost {
  @discardableResult
  func compensateAgain(
    _ id: FlowID, _ step: StepID?, reason: String, by principal: Principal?, key: String?
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a compensation", of: id)
    let request = HostRequest(
      .compensateAgain, step?.path ?? "", [], key: key, by: principal, reason: reason, isLeave: true)
    let view = try await perform(request, on: id, evenStopped: true, evenEnded: true) { flow in
      let owed = try flow.committer.state.machine.owed(at: step, of: id)
      guard flow.closeToCompensate() else {
        try await passivateAfterEffects(flow)
        // The request is applied to the flow as it is read next.
        throw CancellationError()
      }
      // Users that came before are refused, and wait until the flow is gone.
      await flow.coordinator.passivate()
      // A caller that goes away interrupts no `backUp`, as in any rollback.
      try await shielded { try await self.compensate(owed, beside: flow.committer, for: request) }
    }
    if view.status == .runnable { await goOn(id) }
    return view
  }

  private nonisolated func compensate(
    _ visits: Set<Int>, beside committer: FlowCommitter, for request: HostRequest
  ) async throws {
    let state = committer.state
    let places = state.machine.compensatingAside { failure in
      failure.place.map { visits.contains($0.visit.id) } ?? false
    }
    guard let places else { return }
    let rollback = RollbackAside(of: visits, beside: committer, for: request)
    let settings = settings(of: committer, state) { try await rollback.commit($0) }
    let machine: FlowMachine
    do {
      machine = try FlowMachine(
        places, of: committer.id, names: committer.definition.names, codec: shared.values,
        at: Duration(from: state.startedAt, to: shared.clock.now))
    } catch {
      throw FlowError(
        .unmigrated, "the `backUp`s that failed do not fit the flow's definition: \(error)", flow: committer.id,
        step: error.problems.first?.step)
    }
    await FlowCoordinator(resuming: machine, settings: settings).activate()
    try rollback.check()
  }
}

/// The calls of failed `backUp`s beside a flow: commits for their coordinator what they come to.
private final class RollbackAside: Sendable {
  private let committer: FlowCommitter
  private let request: HostRequest
  private let progress: Lock<Progress>

  private struct Progress: Sendable {
    /// The visits whose `backUp` has not ended yet.
    var visits: Set<Int>
    var failures: [FlowError] = []
    /// The error of a commit.
    var loss: (any Error)?
  }

  init(of visits: Set<Int>, beside committer: FlowCommitter, for request: HostRequest) {
    (self.committer, self.request) = (committer, request)
    progress = Lock(Progress(visits: visits))
  }

  /// Commits a machine for the coordinator. The commit in which the last `backUp` has ended is that of the request.
  func commit(_ machine: FlowMachine) async throws {
    var visits = progress.withLock { $0.visits }
    do {
      let ended = try await committer.commit(aside: try committer.packed(machine), awaiting: &visits, for: request)
      let failures = ended.compactMap { compensation in
        compensation.error.map { FlowError(.stepFailed, $0.message, flow: committer.id, step: compensation.step) }
      }
      progress.withLock { progress in
        progress.visits = visits
        progress.failures += failures
      }
    } catch {
      progress.withLock { progress in if progress.loss == nil { progress.loss = error } }
      throw error
    }
  }

  /// - Throws: The error of a commit; a `FlowError` with the code `rollbackFailed` if a `backUp` has thrown again.
  func check() throws {
    let progress = progress.withLock { $0 }
    if let loss = progress.loss { throw loss }
    guard !progress.failures.isEmpty else { return }
    throw FlowError(
      .rollbackFailed, "\(progress.failures.count) of the flow's `backUp`s failed again", flow: committer.id,
      underlying: progress.failures)
  }
}

extension FlowCommitter {
  /// Commits what a flow that compensates beside this one has come to. The request is applied when all is done.
  ///
  /// - Returns: The `backUp`s that have ended.
  fileprivate func commit(
    aside: MachineSnapshot, awaiting visits: inout Set<Int>, for request: HostRequest
  ) async throws -> [MachineSnapshot.Compensation] {
    var (stored, state) = latest
    guard let base = stored.take() else { return [] }
    let before = state.machine
    let ended = state.machine.takeOver(aside, awaiting: &visits)
    guard !ended.isEmpty || state.machine != before else { return [] }
    let isDone = visits.isEmpty
    if isDone {
      try request.refuseRepetition(after: state)
      state.apply(request)
    }
    let now = shared.clock.now
    var history: [HistoryEntry] = []
    for compensation in ended {
      state.machine.sequence += 1
      let detail = [request.reason, compensation.error?.message ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
      history.append(
        HistoryEntry(
          sequence: state.machine.sequence, at: now,
          what: compensation.error == nil ? "compensated" : "compensationFailed", step: compensation.step,
          by: request.principal, detail: detail.isEmpty ? nil : detail))
    }
    var snapshot = base.snapshot
    snapshot.rollbackFailed = !state.machine.undoFailures.isEmpty
    index(&snapshot, by: state)
    try shared.write(&state, to: &snapshot, of: id)
    try await write(
      snapshot, state, after: base, appending: history, for: isDone ? request : nil, leaving: true)
    return ended
  }
}

extension MachineSnapshot {
  /// The visits whose `backUp` has thrown and can be called again.
  ///
  /// - Throws: A `FlowError` with the code `notActive` if there is none.
  fileprivate func owed(at step: StepID?, of flow: FlowID) throws(FlowError) -> Set<Int> {
    let places = undoFailures.compactMap(\.place)
    let meant = places.filter { step?.matches($0.visit.step) ?? true }
    guard meant.isEmpty else { return Set(meant.map(\.visit.id)) }
    let steps = Set(places.map(\.visit.step.path)).sorted().joined(separator: ", ")
    throw FlowError(
      .notActive,
      steps.isEmpty
        ? "no `backUp` of the flow has failed that could be called again"
        : "no `backUp` of a step called \"\(step ?? "")\" has failed; those of \(steps) have", flow: flow, step: step)
  }
}
