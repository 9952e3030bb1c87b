import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  /// Reports the version that each open flow would continue with, and the moves that name unknown steps.
  ///
  /// The report uses the definitions that are registered now. It changes nothing.
  ///
  /// - Throws: The store's error.
  public func plan() async throws -> MigrationPlan {
    struct Key: Hashable {
      let definition: String, version: Int, steps: [StepID], fate: MigrationPlan.Fate
    }
    var groups: [Key: MigrationPlan.Group] = [:]
    var known = KnownSteps(definitions)
    try await forEachFlow(FlowQuery(status: Set(FlowSnapshot.Status.allCases.filter { !$0.isTerminal }))) { flow in
      let fate: MigrationPlan.Fate
      do {
        guard let stored = try await shared.store.load(flow.id) else { return }
        let state = try shared.state(of: stored)
        // A flow with the status `failed` may have ended; an ended flow has no place in the plan.
        if state.machine.ending != nil { return }
        known.note(state.machine, of: flow.definition, flow.version)
        let definition = try resolve(stored, state).definition
        fate = definition.version == flow.version ? .stays : .moves(to: definition.version)
      } catch { fate = .parks((error as? FlowError)?.message ?? "\(error)") }
      let key = Key(definition: flow.definition, version: flow.version, steps: flow.steps, fate: fate)
      groups[
        key,
        default: MigrationPlan.Group(
          definition: flow.definition, version: flow.version, steps: flow.steps, fate: fate, count: 0, example: flow.id)
      ].count += 1
    }
    var plan = MigrationPlan()
    plan.unused = known.unusedMoves()
    plan.groups = groups.values.sorted {
      ($0.definition, $0.version, "\($0.steps)", $0.example.description)
        < ($1.definition, $1.version, "\($1.steps)", $1.example.description)
    }
    return plan
  }

  func forEachFlow(_ query: FlowQuery, _ body: (FlowSummary) async throws -> Void) async throws {
    var cursor: String?
    repeat {
      let page = try await shared.store.list(query, after: cursor, limit: 1_000)
      for flow in page.flows { try await body(flow) }
      cursor = page.cursor
    } while cursor != nil
  }

  /// Returns the definition that a stored flow continues with, and the flow's state in it.
  ///
  /// This is the newest version that declared moves lead to and that the flow fits, or else the flow's own version.
  ///
  /// - Throws: A `FlowError` with the code `unmigrated` that says what is missing.
  func resolve(_ stored: StoredFlow, _ state: HostedState) throws -> (definition: Definition, state: HostedState) {
    let versions = definitions[stored.snapshot.definition] ?? [:]
    var (version, machine) = (stored.snapshot.version, state.machine)
    var reasons: [String] = []
    var fitting = versions[version]
    while let next = versions.values.first(where: { $0.from == version }) {
      do {
        machine = try moved(machine, by: next.moves)
        if let problems = problems(of: machine, in: next) { throw problems }
        fitting = next
      } catch {
        reasons.append(
          "it cannot move to version \(next.version): \(error); add a move for that, or register the old version, too")
        break
      }
      version = next.version
    }
    if fitting?.version == stored.snapshot.version { machine = state.machine }
    guard let fitting else {
      if reasons.isEmpty { reasons.append(missing(stored, versions.keys.sorted())) }
      throw FlowError(.unmigrated, reasons.joined(separator: "; "), flow: stored.id, step: stored.snapshot.steps.first)
    }
    var moved = state
    moved.machine = machine
    return (fitting, moved)
  }

  private func moved(_ machine: MachineSnapshot, by moves: [Move]) throws -> MachineSnapshot {
    var state = StoredState(machine, values: shared.values)
    for move in moves { try move.apply(&state) }
    return state.machine
  }

  private func problems(of machine: MachineSnapshot, in definition: Definition) -> UnfitSnapshot? {
    // For an ended flow, only the places that a retry would compensate have to fit.
    let machine = machine.undoingAgain ?? machine
    do {
      _ = try FlowMachine(machine, of: "plan", names: definition.names, codec: shared.values, at: .zero)
    } catch { return error }
    let problems = machine.inputProblems(definition.names, codec: shared.values)
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
    guard snapshot.stored.status != stored.snapshot.status else { return stored }
    state.parked = nil
    guard let body = try? shared.body(of: state) else { return stored }
    (snapshot.steps, snapshot.tasks, snapshot.wakeAt, snapshot.body) = ([], [], nil, body)
    do {
      return try await shared.store.commit(
        snapshot, to: stored.id, expecting: stored.revision, fence: fence, appending: [])
    } catch  where FlowStoreError.isUnknown(error) {
      guard let found = try await shared.store.load(stored.id) else { throw noSuchFlow(stored.id) }
      return found
    } catch {
      // The next time the flow is loaded, the host tries again; it remembers the store's error.
      return stored
    }
  }

  /// Stores that a flow fits no registered version, and why, so that the flow can be found by its status.
  func park(_ stored: StoredFlow, _ state: HostedState, because error: FlowError, fence: Fence?) async {
    guard state.parked != error.message || stored.snapshot.status != .unmigrated else { return }
    var (snapshot, state) = (stored.snapshot, state)
    state.parked = error.message
    snapshot.status = .unmigrated
    let entry = note("unmigrated", stored, &state, error.message)
    guard let body = try? shared.body(of: state) else { return }
    snapshot.body = body
    // If this write fails, the flow stays as it is and is tried again; the host remembers the store's error.
    _ = try? await shared.store.commit(
      snapshot, to: stored.id, expecting: stored.revision, fence: fence, appending: [entry])
  }

  /// Makes a history entry for an action of the host, and gives it the flow's next sequence number.
  private func note(
    _ what: String, _ stored: StoredFlow, _ state: inout HostedState, _ detail: String? = nil
  ) -> HistoryEntry {
    state.machine.sequence += 1
    return HistoryEntry(
      sequence: state.machine.sequence, at: shared.clock.now, what: what, step: stored.snapshot.steps.first,
      detail: detail)
  }

  /// Frees the unmigrated flows that fit a registered definition now; called when a definition was registered.
  func free(_ name: String) async throws {
    var parked: [FlowID] = []
    try await forEachFlow(FlowQuery(definition: name, status: [.unmigrated])) { parked.append($0.id) }
    for id in parked {
      guard let stored = try await shared.store.load(id), var state = try? shared.state(of: stored),
        state.machine.ending != nil || (try? resolve(stored, state)) != nil
      else { continue }
      let lease = try await lease(of: id)
      if state.machine.ending != nil {
        _ = try? await indexedRight(stored, state, fence: lease?.fence)
      } else {
        var snapshot = stored.snapshot
        state.parked = nil
        snapshot.status = state.machine.fault == nil ? .runnable : .suspended
        let entry = note("freed", stored, &state)
        // Another host may have freed the flow. After a failed write it stays parked; the host remembers the error.
        if let body = try? shared.body(of: state) {
          snapshot.body = body
          _ = try? await shared.store.commit(
            snapshot, to: id, expecting: stored.revision, fence: lease?.fence, appending: [entry])
        }
      }
      await giveBack(lease)
    }
    shared.poll()
  }
}
