import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Removing the flows that are older than the retention of their definition. A note in the store says which host makes
// the present pass, and when the next one is due, so that several hosts do not list and lease the same flows. The note
// only saves work: each flow is removed under its lease, and only if its state says that it is expired.
extension FlowHost {
  /// Removes expired flows of the registered definitions, page by page, until the calling task is cancelled. Returns at
  /// once if no definition has a retention.
  func removeExpired() async {
    var passes: [String: RetentionPass] = [:]
    for (name, versions) in definitions {
      guard let newest = versions.keys.max(), let retention = versions[newest]?.retention else { continue }
      passes[name] = RetentionPass(retention, owner: owner, interval: shared.options.retentionInterval)
    }
    while let next = passes.values.map(\.next).min(), !Task.isCancelled {
      await shared.clock.rest(until: next)
      for name in passes.keys.sorted() where !Task.isCancelled {
        guard var pass = passes[name], pass.next <= shared.clock.now else { continue }
        do { try await go(on: name, &pass) } catch {
          // The store is away, or refuses this host, which `run()` finds out. The pass goes on where it was.
          shared.note(error, in: .removing)
          pass.next = shared.clock.date(after: shared.failurePause)
        }
        passes[name] = pass
      }
    }
  }

  /// Looks at one page of flows, if this host makes the present pass.
  private func go(on name: String, _ pass: inout RetentionPass) async throws {
    let key = "retention:\(name)"
    try await checkDeployment()
    let found = pass.note == nil ? try await shared.store.note(key) : nil
    guard let claim = pass.claim(found, at: shared.clock.now) else { return }
    if claim.note != claim.replaced {
      pass.tried = claim.note
      do { try await shared.store.setNote(claim.note, under: key, replacing: claim.replaced) } catch let error
        as FlowStoreError where error.code == .conflict
      { return pass.lose() }
    }
    pass.note = claim.note
    let expired = pass.retention.expired(at: shared.clock.now)
    let query = FlowQuery(definition: name, status: expired.listed)
    let page = try await shared.store.list(query, after: pass.cursor, limit: 100)
    try await remove(page.flows.filter(expired.mayContain), if: expired)
    if Task.isCancelled || isStopping { return }
    pass.looked(upTo: page.cursor, at: shared.clock.now)
  }

  /// The number of flows that are removed at once, so that a store on a disk writes several removals with one sync.
  private static let removedAtOnce = 16

  private func remove(_ flows: [FlowSummary], if expired: ExpiredFlows) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, flow) in flows.enumerated() {
        if index >= Self.removedAtOnce { try await group.next() }
        group.addTask { try await self.remove(flow, if: expired) }
      }
      try await group.waitForAll()
    }
  }

  private func remove(_ flow: FlowSummary, if expired: ExpiredFlows) async throws {
    guard !Task.isCancelled, !isStopping, live[flow.id] == nil else { return }
    if flow.status == .suspended, try await isOpen(flow) { return }
    var report = PurgeReport()
    try await purge(flow.id, if: expired, &report)
    // Kept although it is expired: an operator has to look at it, or another host has it.
    for (id, error) in report.kept {
      shared.note(error, in: .removing, of: id, definitions[flow.definition]?[flow.version])
    }
  }
}

/// The passes over the flows of one definition, as one host sees them: decides, and calls nothing.
struct RetentionPass: Sendable {
  let retention: FlowHost.Retention
  /// The name of the host.
  let owner: String
  let interval: Duration
  /// The date at which there is something to do.
  var next = Date.distantPast
  /// The note that makes the present pass this host's, if it is.
  var note: StoreNote?
  /// The note that this host has written last. The reply may have been lost.
  var tried: StoreNote?
  /// The last page that this pass has looked at.
  private(set) var cursor: String?

  init(_ retention: FlowHost.Retention, owner: String, interval: Duration) {
    (self.retention, self.owner, self.interval) = (retention, owner, interval)
  }

  /// Returns the note by which this host begins or continues a pass, and the note it replaces; `nil` if another host
  /// makes the pass, or has made it and the next one is not due.
  ///
  /// - Parameter found: The note in the store, if this host makes no pass.
  mutating func claim(_ found: StoreNote?, at now: Date) -> (note: StoreNote, replaced: StoreNote?)? {
    let end = now.addingTimeInterval(interval / .seconds(1))
    if let note {
      // A long pass moves the end of its claim when half of the time is over.
      let half = now.addingTimeInterval(interval / .seconds(2))
      if let until = note.until, until > half { return (note, note) }
    } else if let found, found == tried {
      return (found, found)
    } else {
      cursor = nil
      if let until = found?.until, until > now {
        // A time beyond the interval is of a host with another interval or clock.
        next = min(until, end)
        return nil
      }
    }
    return (StoreNote(Array(owner.utf8), until: end).stored, note ?? found)
  }

  /// Notes that another host has begun a pass.
  mutating func lose() { note = nil }

  /// Notes that a page was looked at; the last one has no cursor.
  mutating func looked(upTo cursor: String?, at now: Date) {
    self.cursor = cursor
    guard cursor == nil else { return }
    next = note?.until ?? now
    (note, tried) = (nil, nil)
  }
}
