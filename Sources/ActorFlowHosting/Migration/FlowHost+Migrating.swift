import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Returns the definition that a stored flow continues with, and the flow's state in it.
  ///
  /// This is the last version that declared moves lead to, that takes the flow and that the flow fits, or else the flow's own version, if it
  /// can read the flow.
  ///
  /// - Parameter applied: Called for each move that has changed the flow, with its index among its definition's.
  /// - Throws: A `FlowError` with the code `unmigrated` that says what is missing.
  func resolve(
    _ stored: StoredFlow, _ state: HostedState, noting applied: (Definition, Int) -> Void = { _, _ in }
  ) throws -> (definition: Definition, state: HostedState) {
    let versions = definitions[stored.snapshot.definition] ?? [:]
    var (version, machine) = (stored.snapshot.version, state.machine)
    var reasons: [String] = []
    var fitting = versions[version]
    while let next = versions.values.first(where: { $0.from == version }) {
      do {
        guard try next.takes(stored, StoredState(machine, values: shared.values), from: version) else {
          reasons.append(
            "version \(next.version) does not take it, because of its `where:`; register the old version, too")
          break
        }
        let moved = try moved(machine, by: next, noting: applied)
        if let problems = problems(of: moved, in: next, isMoving: true) { throw problems }
        (fitting, machine) = (next, moved)
      } catch {
        let reason = (error as? FlowError)?.message ?? "\(error)"
        reasons.append(
          "it cannot move to version \(next.version): \(reason); add a move for that, or register the old version, too")
        break
      }
      version = next.version
    }
    if let own = fitting, own.version == stored.snapshot.version, state.machine.ending == nil,
      let problems = problems(of: machine, in: own, isMoving: false)
    {
      reasons.insert("version \(own.version) cannot go on with it: \(problems)", at: 0)
      fitting = nil
    }
    guard let fitting else {
      if reasons.isEmpty { reasons.append(missing(stored, versions.keys.sorted())) }
      throw FlowError(.unmigrated, reasons.joined(separator: "; "), flow: stored.id, step: stored.snapshot.steps.first)
    }
    var moved = state
    moved.machine = machine
    return (fitting, moved)
  }

  private func moved(
    _ machine: MachineSnapshot, by definition: Definition, noting applied: (Definition, Int) -> Void
  ) throws -> MachineSnapshot {
    var state = StoredState(machine, values: shared.values)
    for (index, move) in definition.moves.enumerated() {
      let before = state.machine
      try move.apply(&state)
      if state.machine != before { applied(definition, index) }
    }
    return state.machine
  }

  /// Returns the reasons why a flow does not fit a definition.
  ///
  /// - Parameter isMoving: Whether the flow comes from another version, so that all of it must fit. On its own version a
  ///   flow that cannot read a value of a step it has passed goes on.
  func problems(of machine: MachineSnapshot, in definition: Definition, isMoving: Bool) -> UnfitSnapshot? {
    // For an ended flow, only the places that a retry would compensate have to fit.
    let machine = machine.undoingAgain ?? machine
    if isMoving {
      do {
        _ = try FlowMachine(machine, of: "plan", names: definition.names, codec: shared.values, at: .zero)
      } catch { return error }
    }
    let problems = StoredValueCheck(machine, in: definition, codec: shared.values, isMoving: isMoving).problems
    return problems.isEmpty ? nil : UnfitSnapshot(problems)
  }

  private func missing(_ stored: StoredFlow, _ known: [Int]) -> String {
    "version \(stored.snapshot.version) of \"\(stored.snapshot.definition)\" is not registered at this host"
      + (known.isEmpty
        ? ", and no other version is" : "; it has \(known.map(String.init).joined(separator: ", "))")
      + "; register it, or a newer one with `from:` and the moves that lead there"
  }

  // MARK: - Flows without a fitting version

  /// Corrects the stored status of an ended flow that the store still lists as open, so that hosts stop loading it.
  ///
  /// Any other flow is returned as it is stored.
  ///
  /// - Throws: The store's error if the outcome of the write is unknown and the flow cannot be read again.
  func indexedRight(_ stored: StoredFlow, _ state: HostedState, fence: Fence?) async throws -> StoredFlow {
    var (snapshot, state) = (stored.snapshot, state)
    snapshot.status = state.status(indexedAs: snapshot.status)
    guard state.machine.ending != nil, snapshot.stored.status != stored.snapshot.status else { return stored }
    state.unmigrated = nil
    do { try shared.write(&state, to: &snapshot, of: stored.id) } catch {
      shared.note(error, in: .marking, of: stored.id)
      return stored
    }
    (snapshot.steps, snapshot.tasks, snapshot.wakeAt) = ([], [], nil)
    do {
      return try await shared.store.commit(
        FlowWrite(
          snapshot, to: stored.id, expecting: stored.revision, fence: fence, over: stored.snapshot.valueNumbers),
        of: state.trace)
    } catch  where FlowStoreError.isUnknown(error) {
      guard let found = try await shared.store.load(stored.id) else { throw noSuchFlow(stored.id) }
      return found
    } catch {
      // The next time the flow is loaded, the host tries again.
      shared.note(error, in: .marking, of: stored.id)
      return stored
    }
  }

  /// Frees the unmigrated flows that fit a registered definition now; called when a definition was registered.
  func free(_ name: String) async throws {
    var unmigrated: [FlowID] = []
    try await forEachFlow(FlowQuery(definition: name, status: [.unmigrated])) { unmigrated.append($0.id) }
    for id in unmigrated { try await behindDoor(of: id) { if live[id] == nil { try await free(id) } } }
    shared.poll()
  }

  /// Returns the state of an unmigrated flow; `nil` if it cannot be read. If its key was erased, that is stored.
  private func stateToFree(_ stored: StoredFlow) async throws -> HostedState? {
    do { return try shared.state(of: stored) } catch is ErasedKey {
      let lease = try await lease(of: stored.id)?.lease
      await shared.markErased(stored, fence: lease?.fence)
      await giveBack(lease)
    } catch {
      // The flow stays unmigrated. Its next request, or an operator, meets the error again.
      shared.note(error, in: .marking, of: stored.id)
    }
    return nil
  }

  private func free(_ id: FlowID) async throws {
    // A flow that cannot be read, or that still fits no version, stays unmigrated. Its status says so.
    guard let stored = try await shared.store.load(id), var state = try await stateToFree(stored),
      state.machine.ending != nil || (try? resolve(stored, state)) != nil
    else { return }
    let lease = try await lease(of: id)?.lease
    if state.machine.ending != nil {
      do { _ = try await indexedRight(stored, state, fence: lease?.fence) } catch {
        shared.note(error, in: .marking, of: id)
      }
    } else {
      var snapshot = stored.snapshot
      state.unmigrated = nil
      snapshot.status = state.machine.fault == nil ? .runnable : .suspended
      let entry = shared.note("freed", stored, &state)
      do {
        try shared.write(&state, to: &snapshot, of: id)
        _ = try await shared.store.commit(
          FlowWrite(
            snapshot, to: id, expecting: stored.revision, fence: lease?.fence, appending: [entry],
            over: stored.snapshot.valueNumbers), of: state.trace)
      } catch {
        // Another host may have freed the flow. After any other error it stays unmigrated.
        shared.note(error, in: .marking, of: id)
      }
    }
    await giveBack(lease)
  }
}
