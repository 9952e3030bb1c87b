import ActorFlow

extension FlowHost {
  func delete(_ id: FlowID, reason: String, by principal: Principal?) async throws {
    try HostRequest.check(reason, "the reason of a deletion", of: id)
    let deletion = Deletion(reason: reason, principal: principal?.id)
    try await untilRemoved(id) { try await remove(id, deletion) }
  }

  /// Repeats `remove` while it returns false, and while the flow is written meanwhile, here or by another host.
  ///
  /// - Throws: The errors of `remove`; after five attempts a ``FlowStoreError`` that says so.
  func untilRemoved(_ id: FlowID, _ remove: () async throws -> Bool) async throws {
    var attempts = 0
    while true {
      do {
        guard try await remove() else { continue }
        shared.changed(id, wakeAt: nil)
        return shared.announceEnd(of: id)
      } catch let error as FlowStoreError {
        if error.code == .notFound { throw noSuchFlow(id) }
        // Look at the newer revision.
        attempts += 1
        guard FlowStoreError.isTakenOver(error), attempts < 5 else {
          throw error.code == .outcomeUnknown ? error : outlasted(error)
        }
        try refuseStopping()
      }
    }
  }

  /// Removes a flow, in memory or not. Returns false if the flow was about to be passivated; try again then.
  private func remove(_ id: FlowID, _ deletion: Deletion) async throws -> Bool {
    if let flow = live[id] {
      guard await flow.enter() else {
        await flow.isGoneOrOpen()
        try Task.checkCancellation()
        return false
      }
      await flow.dismiss(noSuchFlow(id))
      let (stored, fence) = (flow.committer.stored, flow.lease?.fence)
      do {
        if let stored { try await remove(stored, fence: fence, deletion) }
      } catch {
        await release(flow)
        throw error
      }
      await release(flow)
      return true
    }
    return try await behindDoor(of: id) {
      guard live[id] == nil else { return false }
      try await removeStored(id, deletion)
      return true
    }
  }

  private func removeStored(_ id: FlowID, _ deletion: Deletion) async throws {
    try refuseStopping()
    let leased = try await lease(of: id)
    let lease = leased?.lease
    do {
      guard let stored = if let leased { leased.flow } else { try await shared.store.load(id) } else {
        throw noSuchFlow(id)
      }
      try await remove(stored, fence: lease?.fence, deletion)
    } catch {
      await giveBack(lease)
      throw error
    }
    await giveBack(lease)
  }

  /// Removes a flow from the store, and tells the observers.
  ///
  /// - Parameter deletion: Who asked for it and why; nothing for `FlowHost.purge` and for a retention that is over.
  func remove(_ stored: StoredFlow, fence: Fence?, _ deletion: Deletion = Deletion()) async throws {
    try await remember(stored)
    try await shared.store.delete(stored, fence: fence)
    let (definition, version) = (stored.snapshot.definition, stored.snapshot.version)
    shared.observation?.report(
      .removed(by: deletion.principal, reason: deletion.reason),
      of: HostObservation.Subject(flow: stored.id, definition: definition, version: version))
  }
}

/// The principal and the reason of a deletion.
struct Deletion: Sendable {
  var reason = ""
  var principal: String?
}
