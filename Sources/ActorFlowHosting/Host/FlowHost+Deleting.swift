public import ActorFlow

extension FlowHost {
  /// Removes a flow with its history. No `backUp` is called; to undo what the flow did, abandon it first.
  ///
  /// The flow's state is not decoded. So a flow whose definition or version is not registered, or whose state can no
  /// longer be read, is removed like any other. If the flow is in memory here, it is passivated first. Its requests
  /// that are under way or waiting throw `noSuchFlow`, unless they are in the store by then. While another host runs
  /// the flow, this function waits for the lease.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`, or `hostStopping` if the host has stopped. Errors of the store,
  ///   such as a ``FlowStoreError`` with the code `outcomeUnknown` if it is not known whether the flow was removed.
  public func delete(_ id: FlowID) async throws {
    var attempts = 0
    while true {
      do {
        guard try await remove(id) else { continue }
        shared.changed(id, wakeAt: nil)
        return shared.announceEnd(of: id)
      } catch let error as FlowStoreError {
        if error.code == .notFound { throw noSuchFlow(id) }
        // The flow was written meanwhile, here or by another host. Remove the newer revision.
        attempts += 1
        guard FlowStoreError.isTakenOver(error), attempts < 5 else {
          throw error.code == .outcomeUnknown ? error : outlasted(error)
        }
        try refuseStopping()
      }
    }
  }

  /// Removes a flow, in memory or not. Returns false if the flow was about to be passivated; try again then.
  private func remove(_ id: FlowID) async throws -> Bool {
    if let flow = live[id] {
      guard await flow.enter() else {
        await flow.isGone()
        try Task.checkCancellation()
        return false
      }
      await flow.dismiss(noSuchFlow(id))
      let (stored, fence) = (flow.committer.stored, flow.lease.withLock { $0?.fence })
      do {
        if let stored { try await shared.store.delete(stored, fence: fence) }
      } catch {
        await release(flow)
        throw error
      }
      await release(flow)
      return true
    }
    return try await behindDoor(of: id) {
      guard live[id] == nil else { return false }
      try await removeStored(id)
      return true
    }
  }

  private func removeStored(_ id: FlowID) async throws {
    try refuseStopping()
    let lease = try await lease(of: id)
    do {
      guard let stored = try await shared.store.load(id) else { throw noSuchFlow(id) }
      try await shared.store.delete(stored, fence: lease?.fence)
    } catch {
      await giveBack(lease)
      throw error
    }
    await giveBack(lease)
  }
}
