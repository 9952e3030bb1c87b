import ActorFlow

// The commit after which a flow leaves memory. It ends the flow's lease, which saves the store a call.
extension FlowCommitter {
  /// Commits a machine after which no code of a step runs until the next request; see ``FlowPersistence/LastCommit``.
  ///
  /// The lease ends with the commit if the flow is passivated then, and no other request uses the flow. Callers that
  /// come during the commit wait until the flow is gone, and load it again.
  ///
  /// - Returns: Whether the lease has ended. The flow must be passivated then, and nothing more is written here.
  func commitLast(
    _ machine: FlowMachine, _ events: [NavigationEvent], for cause: (any TransactionalCause)?
  ) async throws -> Bool {
    let hasEnded = machine.phase == .ended
    let users = cause is HostRequest ? 1 : 0
    guard fence != nil, let memory, memory.close(hasEnded ? .max : users, hasEnded) else {
      try await commit(machine, events, for: cause)
      return false
    }
    do { try await commit(machine, events, for: cause, releasing: true) } catch {
      memory.reopen()
      throw error
    }
    // Nothing was written if the flow is stored as it is.
    guard hasReleased else {
      memory.reopen()
      return false
    }
    return true
  }
}

/// The parts of a flow in memory that its commits need.
struct FlowMemory: Sendable {
  /// Passivates the flow.
  let passivate: @Sendable () async -> Void
  /// Closes the flow to new users, if it has no more users than the given number and is not to stay in memory. The
  /// second argument says whether the flow has ended. Returns whether this call has closed the flow.
  let close: @Sendable (_ users: Int, _ hasEnded: Bool) -> Bool
  /// Opens the flow again.
  let reopen: @Sendable () -> Void
}
