import ActorFlow

extension FlowHost {
  /// Reports the version that each open flow would continue with, the stored values that cannot be checked, and the
  /// moves that have no effect.
  ///
  /// The report uses the definitions that are registered now. It changes nothing. Stored values are decoded where their
  /// types are known: inputs and states of steps from the definition, everything else from the `stores:` of
  /// ``register(_:version:from:moves:where:stores:retention:)``. A flow with any other value is reported as unchecked.
  ///
  /// - Throws: The store's error.
  public func plan() async throws -> MigrationPlan {
    struct Key: Hashable {
      let definition: String, version: Int, steps: [StepID], fate: MigrationPlan.Fate
    }
    var groups: [Key: MigrationPlan.Group] = [:]
    var unchecked: [MigrationPlan.UncheckedFlow] = []
    var moves = MoveUse(definitions)
    try await forEachFlow(FlowQuery(status: Set(FlowSnapshot.Status.allCases.filter { !$0.isTerminal }))) { flow in
      let fate: MigrationPlan.Fate
      do {
        guard let stored = try await shared.store.load(flow.id) else { return }
        let state = try shared.state(of: stored)
        // A flow with the status `failed` may have ended; an ended flow has no place in the plan.
        if state.machine.ending != nil { return }
        moves.note(state.machine, of: flow.definition, flow.version)
        let (definition, moved) = try resolve(stored, state) { moves.applied($1, of: $0) }
        let values = self.unchecked(moved, in: definition)
        if !values.isEmpty {
          unchecked.append(
            MigrationPlan.UncheckedFlow(
              flow: flow.id, definition: definition.name, version: definition.version, values: values))
        }
        fate =
          if !values.isEmpty {
            .unchecked(version: definition.version)
          } else {
            definition.version == flow.version ? .stays : .moves(to: definition.version)
          }
      } catch is ErasedKey {
        fate = .erased
      } catch { fate = .unmigrated((error as? FlowError)?.message ?? "\(error)") }
      let key = Key(definition: flow.definition, version: flow.version, steps: flow.steps, fate: fate)
      groups[
        key,
        default: MigrationPlan.Group(
          definition: flow.definition, version: flow.version, steps: flow.steps, fate: fate, count: 0, example: flow.id)
      ].count += 1
    }
    var plan = MigrationPlan()
    (plan.unused, plan.applied) = (moves.unused(), moves.applied())
    plan.unchecked = unchecked.sorted { $0.flow.description < $1.flow.description }
    plan.groups = groups.values.sorted {
      ($0.definition, $0.version, "\($0.steps)", $0.example.description)
        < ($1.definition, $1.version, "\($1.steps)", $1.example.description)
    }
    return plan
  }

  /// Returns the values of a flow of which no definition says whether they can be read.
  private func unchecked(_ state: HostedState, in definition: Definition) -> [MigrationPlan.UncheckedValue] {
    let check = StoredValueCheck(
      state.machine, in: definition, codec: shared.values, isMoving: false, listing: true)
    guard let reason = state.unmigrated else { return check.unchecked }
    let step = state.machine.main.places.last?.visit.step ?? ""
    return check.unchecked + [
      MigrationPlan.UncheckedValue(step: step, kind: .standstill, key: nil, type: "", reason: reason)
    ]
  }

  func forEachFlow(_ query: FlowQuery, _ body: (FlowSummary) async throws -> Void) async throws {
    var cursor: String?
    repeat {
      let page = try await shared.store.list(query, after: cursor, limit: 1_000)
      for flow in page.flows { try await body(flow) }
      cursor = page.cursor
    } while cursor != nil
  }
}
