import ActorFlow

// An operator's change of what is stored of a flow, by the moves that lead from one version to the next.
extension FlowHost {
  @discardableResult
  func edit(
    _ id: FlowID, _ moves: [Move], forgetting steps: Set<StepID>, reason: String, by principal: Principal?, key: String?
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of an edit", of: id)
    guard !moves.isEmpty else {
      throw FlowError(.notStorable, "the edit is empty; give it at least one move", flow: id)
    }
    let edit = Edit(moves: moves, forgotten: steps)
    var names = ByteWriter()
    for text in edit.texts { names.string(text) }
    let request = HostRequest(.edit, "", names.bytes, key: key, by: principal, reason: reason)
    try request.checkKey(of: id)
    let view = try await reporting(request.described, on: id) {
      do { return try await untilWritten(id) { try await editOnce(id, edit, request) } } catch let error as FlowError
        where error.code == .erased
      {
        _ = await storeErasure(of: id)
        throw error
      }
    }
    guard view.status == .runnable else { return view }
    return await askedAgain(id) ?? view
  }

  /// Edits a flow; returns `nil` if it was in memory, and has left that now.
  private func editOnce(_ id: FlowID, _ edit: Edit, _ request: HostRequest) async throws -> FlowView? {
    if let flow = live[id] {
      guard await flow.enter() else {
        await flow.isGoneOrOpen()
        try Task.checkCancellation()
        return nil
      }
      do {
        // An edit that is refused disturbs no step. The state in memory may have moved to a version that is not stored.
        if let stored = flow.committer.stored {
          let state = try shared.state(of: stored)
          if try request.isApplied(to: state, of: id) {
            await release(flow)
            return FlowView(stored, state)
          }
          _ = try edited(stored, state, by: edit)
        }
        try await passivateAfterEffects(flow)
      } catch is CancellationError {
        // The flow was passivated meanwhile, or the caller is cancelled.
      } catch {
        await release(flow)
        throw error
      }
      _ = flow.close(evenIfUsed: true)
      await flow.passivate()
      await release(flow)
      await flow.isGone()
      try Task.checkCancellation()
      return nil
    }
    return try await behindDoor(of: id) {
      guard live[id] == nil else { return nil }
      return try await withStored(id, running: true) { try await self.edit($0, by: edit, for: request, fence: $1) }
    }
  }

  private func edit(
    _ stored: StoredFlow, by edit: Edit, for request: HostRequest, fence: Fence?
  ) async throws -> FlowView {
    let state = try await readState(of: stored, fence: fence)
    if try request.isApplied(to: state, of: stored.id) { return FlowView(stored, state) }
    var (edited, forgotten) = try edited(stored, state, by: edit)
    edited.unmigrated = nil
    edited.apply(request)
    var snapshot = stored.snapshot
    // The host activates the flow, and its steps ask again.
    snapshot.status = edited.machine.fault == nil ? .runnable : .suspended
    snapshot.steps = FlowCommitter.steps(of: edited.machine)
    snapshot.rollbackFailed = !edited.machine.undoFailures.isEmpty
    let open = Set(edited.machine.tracks.compactMap { $0.question?.number })
    snapshot.tasks.removeAll { task in Question.ID(task.question).map { !open.contains($0.number) } ?? true }
    var history: [HistoryEntry] = []
    let now = shared.clock.now
    for step in [nil] + forgotten.map(Optional.some) {
      edited.machine.sequence += 1
      history.append(
        HistoryEntry(
          sequence: edited.machine.sequence, at: now, what: step == nil ? "edited" : "forgotten", step: step,
          by: request.principal, detail: request.reason.isEmpty ? nil : request.reason))
    }
    try shared.write(&edited, to: &snapshot, of: stored.id)
    let write = FlowWrite(
      snapshot, to: stored.id, expecting: stored.revision, fence: fence, appending: history,
      carrying: request.carried.map { [$0] } ?? [], over: stored.snapshot.valueNumbers)
    do { return FlowView(try await shared.store.commit(write, of: edited.trace), edited) } catch let error
      as FlowStoreError where error.code == .tooLarge
    {
      throw FlowError(.tooLarge, "the edited flow is too large for the store", flow: stored.id, underlying: [error])
    }
  }

  /// Applies the moves of an edit, and checks that it forgets no step that it does not name, and that a registered version
  /// can go on with the result.
  ///
  /// - Returns: The state, and the steps that the moves have taken from it.
  private func edited(
    _ stored: StoredFlow, _ state: HostedState, by edit: Edit
  ) throws -> (state: HostedState, forgotten: [StepID]) {
    guard state.machine.ending == nil else {
      throw FlowError(.flowEnded, "the flow has ended, so there is nothing to edit", flow: stored.id)
    }
    var changed = StoredState(state.machine, values: shared.values)
    for move in edit.moves {
      if let step = move.subject?.step, !changed.has(step) {
        throw FlowError(
          .noSuchStep,
          "the edit names \"\(step)\", which the flow has not entered; it has entered "
            + changed.steps.map(\.path).joined(separator: ", "), flow: stored.id, step: step)
      }
      if let step = move.subject?.step, let value = move.value {
        try changed.refuse(missing: value, of: step, stored.id)
      }
      let known = changed.forgotten.count
      try move.apply(&changed)
      if move.forgets, changed.forgotten.count == known {
        throw FlowError(
          .badDefinition, "a step in focus cannot be forgotten; use `reenter` to enter another step", flow: stored.id,
          step: move.subject?.step)
      }
    }
    let unnamed = changed.forgotten.filter { step in !edit.forgotten.contains { changed.isMeant(step, by: $0) } }
    guard unnamed.isEmpty else {
      let paths = Set(unnamed.map(\.path)).sorted().joined(separator: ", ")
      throw FlowError(
        .compensationOwed,
        "the edit takes \(paths) from the flow, whose `backUp` is then never called: compensate by hand what was done, and "
          + "name the steps in `forgetting`", flow: stored.id, step: unnamed.first)
    }
    try refuse(unknown: edit.forgotten, in: stored, changed, before: state.machine)
    var edited = state
    edited.machine = changed.machine
    let (definition, resolved) = try resolve(stored, edited)
    if let problems = problems(of: resolved.machine, in: definition, isMoving: true) {
      throw FlowError(
        .unmigrated,
        "the edited flow does not fit version \(definition.version) of \"\(definition.name)\": \(problems)",
        flow: stored.id)
    }
    return (edited, changed.forgotten)
  }
}

extension FlowHost {
  /// Refuses a name in `forgetting` that is no step of the flow, before or after the edit, nor of a registered version.
  ///
  /// A known step may be named although the moves leave it where it is: one edit may be for many flows.
  private func refuse(
    unknown names: Set<StepID>, in stored: StoredFlow, _ changed: StoredState, before: MachineSnapshot
  ) throws(FlowError) {
    let known = StoredState(before, values: shared.values).steps + before.failedPlaces.map(\.visit.step)
    let declared = (definitions[stored.snapshot.definition] ?? [:]).values.flatMap(\.steps)
    let unknown = names.filter { name in
      !(known + changed.steps + changed.forgotten).contains { changed.isMeant($0, by: name) }
        && !declared.contains { name.withoutNumbers.means($0) }
    }
    guard let name = unknown.min(by: { $0.path < $1.path }) else { return }
    throw FlowError(
      .noSuchStep,
      "`forgetting` names \"\(name)\", which is no step of the flow and of no registered version; the flow has entered "
        + Set(known.map(\.path)).sorted().joined(separator: ", "), flow: stored.id, step: name)
  }
}

/// An edit as an operator asks for it.
private struct Edit: Sendable {
  let moves: [Move]
  /// The steps that the moves may take from the flow although their `backUp` is not called.
  let forgotten: Set<StepID>

  /// The edit in words, which tell it from another under the same key.
  var texts: [String] { moves.map(\.text) + forgotten.map { "forgetting \($0.path)" }.sorted() }
}

extension StoredState {
  /// Whether the flow has a place of a step, or may have to compensate one.
  fileprivate func has(_ step: StepID) -> Bool {
    !places(step).isEmpty || machine.failedPlaces.contains { step.means($0.visit.step) }
  }

  /// Refuses a move that names an answer, a record or a state that the step does not have.
  ///
  /// - Throws: A `FlowError` with the code `noSuchStep` that lists those that it has.
  fileprivate func refuse(missing key: StoredKey, of step: StepID, _ flow: FlowID) throws {
    let found = machine.foundKeys.filter { step.means($0.step) && $0.key.isLike(key) }.map(\.key)
    guard !found.contains(where: { $0.isMeant(by: key) }) else { return }
    let texts = Set(found.map { "\"\($0.text)\"" }).sorted().joined(separator: ", ")
    throw FlowError(
      .noSuchStep,
      "the edit names the \(key.kind) \"\(key.text)\" of \(step.path), which has "
        + (texts.isEmpty ? "none" : texts), flow: flow, step: step)
  }
}

extension Move {
  fileprivate var forgets: Bool { subject?.name == "forget" }

  /// The move in words, without its closure.
  fileprivate var text: String {
    guard let subject else { return "custom" }
    return [subject.name, subject.step.path, newName?.path, value?.text].compactMap(\.self).joined(separator: " ")
  }
}
