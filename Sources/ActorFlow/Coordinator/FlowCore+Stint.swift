// One stint: what the flow's task does from one leave to the next.
extension FlowCore {
  /// Rolls back as far as the machine says, then walks until the flow ends, fails or is left.
  ///
  /// A walk that was left ends the stint: its task is cancelled, or is about to be, and must run no rollback.
  func stint() async {
    while !hasEnded {
      let turn: FlowMachine.Turn
      do { turn = try await nextTurn() } catch { return halt(error) }
      switch turn {
      case .ended: return
      case .again: continue
      case .compensate(let place, let reason):
        let error = await compensate(place, reason)
        do { try await decide { Decision($0.compensated(error)) } } catch { return halt(error) }
      case .start:
        guard await walk(from: nil) else { return }
      case .proceed(let place):
        guard await walk(from: place) else { return }
      case .reload(let place):
        guard let renewed = await reload(place), await walk(from: renewed) else { return }
      }
    }
  }

  private func nextTurn() async throws -> FlowMachine.Turn {
    try await decide { machine in
      let (turn, event) = machine.turn()
      var decision = Decision(turn, event: event)
      switch turn {
      case .start, .proceed, .reload: decision.startsWalk = true
      case .compensate, .again, .ended: break
      }
      return decision
    }
  }

  private func compensate(_ place: Place, _ reason: LeaveReason) async -> (any Error)? {
    guard let backUp = place.node.body.backUp, let instance = place.instance else { return nil }
    let context = RollbackContext(runtime: self, info: place.node.info, visit: place.visit.id, reason: reason)
    var thrown: (any Error)?
    do { try await backUp(instance, context) } catch { thrown = error }
    _ = try? await decideWalking(commits: false) { Decision($0.returned()) }
    await waitForRunningWork()
    return thrown
  }

  /// A new instance for a place that is visited on.
  private func reload(_ place: Place) async -> Place? {
    do {
      let instance = try await place.node.body.make?()
      return try await decideWalking { Decision($0.reloaded(instance)) }
    } catch {
      _ = await failed(place.node.info.id, error)
      return nil
    }
  }

  /// Waits until no `once` of the place on top is under way: what the outside world did is recorded before the flow
  /// moves on.
  func waitForRunningWork() async {
    while let cell = registerForRunningWork() {
      _ = try? await cell.uncancellableValue()
    }
  }

  private func registerForRunningWork() -> Cell? {
    withState { state in
      guard state.machine.hasRunningWork else { return nil }
      let cell = Cell()
      state.onceWaiters.append(cell)
      return cell
    }
  }

  /// A decision of the run's own could not be committed.
  func halt(_ error: any Error) {
    var effects = withState { state in
      let step = state.machine.position.step ?? "?"
      return state.adopt(Decision((), event: state.machine.halt(step, error)))
    }
    effects.perform()
  }
}
