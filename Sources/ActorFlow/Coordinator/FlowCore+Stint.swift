// One stint: what the flow's task does from one leave to the next.
extension FlowCore {
  /// Rolls back as far as the machine says, then walks until the flow ends, fails or is left.
  ///
  /// A walk that was left ends the stint: its task is cancelled, or is about to be, and must run no rollback.
  func stint() async {
    while await rollBack() {
      guard await walk(), !hasEnded else { return }
    }
  }

  /// Takes turns until there is something to walk, from the place on top; false: the run has ended, or was left
  /// meanwhile.
  ///
  /// Beside the walk and not around it, so that a waiting flow keeps no room for it.
  @inline(never)
  private func rollBack() async -> Bool {
    var turn = await nextTurn()
    while true {
      switch turn {
      case .ended: return false
      case .again: turn = await nextTurn()
      case .compensate(let place, let reason): turn = await nextTurn(after: backUp(place, reason))
      case .start, .proceed: return true
      case .reload(let place): return await reload(place) != nil
      }
    }
  }

  /// What comes next.
  ///
  /// - Parameter backUp: What became of the `backUp` that the turn before asked for. It goes in together with the
  ///   question for the next turn, because a rollback of many places is made of little else.
  @inline(never)
  private func nextTurn(after backUp: Result<Void, any Error>? = nil) async -> FlowMachine.Turn {
    do {
      while true {
        let turn = try await decide { Self.nextTurn(of: &$0, after: backUp) }
        if let turn { return turn }
        await waitForRunningWork()
      }
    } catch {
      await halt(error)
      return .ended
    }
  }

  /// Nil: a `once` of the `backUp` is still under way.
  private static func nextTurn(
    of machine: inout FlowMachine, after backUp: Result<Void, any Error>?
  ) -> Decision<FlowMachine.Turn?> {
    if let backUp {
      _ = machine.returned()
      if machine.hasRunningWork { return Decision(nil) }
      if case .failure(let error) = backUp { machine.compensated(error) } else { machine.compensated(nil) }
    }
    let (turn, event) = machine.turn()
    var decision = Decision<FlowMachine.Turn?>(turn, event: event)
    switch turn {
    case .start, .proceed, .reload: decision.startsWalk = true
    case .compensate, .again, .ended: break
    }
    return decision
  }

  @inline(never)
  private func backUp(_ place: Place, _ reason: LeaveReason) async -> Result<Void, any Error> {
    guard let backUp = place.node.body.backUp, let instance = place.instance else { return .success(()) }
    let context = RollbackContext(runtime: self, info: place.node.info, visit: place.visit.id, reason: reason)
    do { return .success(try await backUp(instance, context)) } catch { return .failure(error) }
  }

  /// A new instance for a place that is visited on.
  @inline(never)
  private func reload(_ place: Place) async -> Place? {
    do {
      let instance = try await place.node.body.make?()
      return try await decideWalking { Decision($0.reloaded(instance)) }
    } catch {
      _ = await failed(place.node, error)
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

  /// A decision of the run's own could not be committed. Waits for a commit under way: what that one adopts would
  /// otherwise bring the run back to life.
  func halt(_ error: any Error) async {
    _ = try? await decide(commits: false) { machine in
      let step = machine.position.step ?? "?"
      return Decision((), event: machine.halt(step, error))
    }
  }
}
