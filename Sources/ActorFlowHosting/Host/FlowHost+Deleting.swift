public import ActorFlow

extension FlowHost {
  /// Removes a flow with its history. Nothing is undone; abandon it first if something is to be.
  ///
  /// Nothing of the flow is read, so one whose definition or version is not registered, or whose state cannot be read any
  /// more, is removed as any other. If it is in memory here, it is put away first; who has a request under way, or waits
  /// for one, gets `noSuchFlow`, unless it is in the store by then. While another host runs it, this waits for its lease.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`, `notRunning` if the host has stopped. What the store throws; so
  ///   a ``FlowStoreError`` with the code `outcomeUnknown` if nobody knows whether the flow was removed.
  public func delete(_ id: FlowID) async throws {
    var attempts = 0
    while true {
      do {
        guard try await remove(id) else { continue }
        office.changed(id, wakeAt: nil)
        return office.announceEnd(of: id)
      } catch let error as FlowStoreError {
        if error.code == .notFound { throw noSuchFlow(id) }
        // It was written meanwhile, here or by another host: then that is what is to be removed.
        attempts += 1
        guard FlowStoreError.isTakenOver(error), attempts < 5 else {
          throw error.code == .outcomeUnknown ? error : outlasted(error)
        }
        try refuseStopping()
      }
    }
  }

  /// Removes a flow that is in memory, or one that is not. False: it was about to be put away; it is to be tried again.
  private func remove(_ id: FlowID) async throws -> Bool {
    if let flow = live[id] {
      guard await flow.enter() else {
        await flow.isGone()
        try Task.checkCancellation()
        return false
      }
      await flow.dismiss(noSuchFlow(id))
      let (stored, fence) = (flow.ledger.stored, flow.lease.withLock { $0?.fence })
      do {
        if let stored { try await office.store.delete(stored, fence: fence) }
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
      guard let stored = try await office.store.load(id) else { throw noSuchFlow(id) }
      try await office.store.delete(stored, fence: lease?.fence)
    } catch {
      await giveBack(lease)
      throw error
    }
    await giveBack(lease)
  }
}
