import ActorFlow

// Changes that acknowledge nothing wait for the next commit. They are packed and checked at once, so that only the store
// can refuse them later.
extension FlowCommitter {
  /// Holds a machine back until the next commit, which includes it. Its events are announced here at once.
  ///
  /// - Throws: The error of a commit that could never be done. The flow is suspended and passivated then.
  func hold(_ machine: FlowMachine, _ events: [NavigationEvent]) async throws {
    do { try hold(machine, events, try packed(machine)) } catch {
      await giveUp(error)
      throw error
    }
    shared.announce(events, of: id, isLast: false)
  }

  private func hold(_ machine: FlowMachine, _ events: [NavigationEvent], _ packed: MachineSnapshot) throws {
    var (stored, state) = latest
    state.machine = packed
    let now = shared.clock.now
    let tasks = stored?.snapshot.tasks ?? []
    let snapshot = try snapshot(of: machine, &state, at: now, tasks: tasks, for: nil)
    // No request has brought these events about, so their entries name no principal.
    let history = (held?.history ?? []) + events.map { HistoryEntry($0, at: now, tasks: tasks, for: nil) }
    try hold(Held(snapshot: snapshot, state: state, history: history))
  }

  /// Writes what is held back, if no commit has included it. If that fails, the flow's event streams end: they have
  /// shown events that the store does not have. No commit may be under way.
  func flushHeld() async {
    guard let held else { return }
    do { try await write(held.snapshot, held.state, after: stored, appending: [], for: nil) } catch {
      shared.note(error, in: .flushing, of: id, definition)
      shared.announceEnd(of: id)
    }
  }
}
