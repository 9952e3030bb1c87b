import ActorFlow

// Changes of a flow that no coordinator makes: the flow leaves memory, and what is stored of it is written anew.
extension FlowHost {
  /// Repeats `body` while it returns `nil`, and while the flow is written meanwhile, here or by another host.
  ///
  /// - Throws: The errors of `body`; after five attempts a ``FlowStoreError`` that says so.
  func untilWritten(_ id: FlowID, _ body: () async throws -> FlowView?) async throws -> FlowView {
    var attempts = 0
    while true {
      do {
        if let view = try await body() { return view }
      } catch let error as FlowStoreError {
        attempts += 1
        guard FlowStoreError.isTakenOver(error), attempts < 5 else {
          throw error.code == .outcomeUnknown ? error : outlasted(error)
        }
        try refuseStopping()
      } catch is ErasedKey {
        // The key was erased between reading and writing.
        attempts += 1
        guard attempts < 5 else { throw HostContext.erased(id) }
      }
    }
  }

  /// Lets a flow in memory that has ended, or whose key was erased, leave it. The flow may be in memory again, or still be
  /// there, when this function returns: try again then.
  ///
  /// - Throws: `error` if the flow is open; `CancellationError`.
  func passivate(_ flow: LiveFlow, of id: FlowID, else error: FlowError) async throws {
    guard await flow.enter() else {
      await flow.isGoneOrOpen()
      return try Task.checkCancellation()
    }
    if flow.committer.state.machine.ending != nil {
      _ = flow.close(evenIfUsed: true)
      await flow.passivate()
    } else if let stored = flow.committer.stored, shared.isErased(stored) {
      await flow.dismiss(HostContext.erased(id))
    } else {
      await release(flow)
      throw error
    }
    await release(flow)
    await flow.isGone()
    try Task.checkCancellation()
  }

  /// Calls `body` with a flow as it is stored, under its lease. Call it behind the flow's door, while the flow is not in
  /// memory.
  ///
  /// - Parameter running: Whether a version that the flow fits is needed, see ``lease(of:running:)``.
  func withStored<Result>(
    _ id: FlowID, running: Bool = false, _ body: (StoredFlow, Fence?) async throws -> Result
  ) async throws -> Result {
    try refuseStopping()
    let leased = try await lease(of: id, running: running)
    do {
      guard let stored = if let leased { leased.flow } else { try await shared.store.load(id) } else {
        throw noSuchFlow(id)
      }
      let result = try await body(stored, leased?.lease.fence)
      await giveBack(leased?.lease)
      return result
    } catch {
      await giveBack(leased?.lease)
      throw error
    }
  }
}
