import ActorFlow

extension FlowHost {
  func delete(_ id: FlowID) async throws {
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
        await flow.isGoneOrOpen()
        try Task.checkCancellation()
        return false
      }
      await flow.dismiss(noSuchFlow(id))
      let (stored, fence) = (flow.committer.stored, flow.lease?.fence)
      do {
        if let stored {
          try await remember(stored)
          try await shared.store.delete(stored, fence: fence)
        }
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
    let leased = try await lease(of: id)
    let lease = leased?.lease
    do {
      guard let stored = if let leased { leased.flow } else { try await shared.store.load(id) } else {
        throw noSuchFlow(id)
      }
      try await remember(stored)
      try await shared.store.delete(stored, fence: lease?.fence)
    } catch {
      await giveBack(lease)
      throw error
    }
    await giveBack(lease)
  }
}
