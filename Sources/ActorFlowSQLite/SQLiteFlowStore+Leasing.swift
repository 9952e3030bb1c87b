#if SQLite
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  extension SQLiteFlowStore {
    /// Attaches a host under a name, and ends the epoch that the name had.
    ///
    /// See `LeasingFlowStore.attach(owner:for:as:after:)`.
    public func attach(
      owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
    ) async throws -> Epoch {
      try await writer.write { try $0.attach(owner, for: time, as: attempt, after: old) }
    }

    /// Moves the time at which the next beat is overdue; see `LeasingFlowStore.beat(_:for:)`.
    public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
      try await writer.write { try $0.beat(epoch, for: time) }
    }

    /// Ends an epoch, so that others may take its flows at once; see `LeasingFlowStore.detach(_:)`.
    public func detach(_ epoch: Epoch) async throws {
      try await writer.write { transaction in
        if try transaction.isValid(epoch) { try transaction.end(epoch.fence.number) }
      }
    }

    /// Leases a flow to a host, and returns it as it is stored; see `LeasingFlowStore.acquire(_:under:)`.
    public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
      try await writer.write { try $0.acquire(id, under: epoch) }.get()
    }

    /// Leases a flow to a host that can run these versions; see `LeasingFlowStore.acquire(_:under:serving:)`.
    public func acquire(
      _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
    ) async throws -> LeasedFlow? {
      try await writer.write { transaction -> Result<LeasedFlow?, FlowStoreError> in
        guard try transaction.serves(id, under: epoch, serving) else { return .success(nil) }
        return try transaction.acquire(id, under: epoch).map(Optional.some)
      }.get()
    }

    /// Releases a lease, so that others may take the flow at once; see `LeasingFlowStore.release(_:)`.
    public func release(_ lease: FlowLease) async throws {
      try await writer.write { transaction in
        guard try transaction.isValid(lease.fence, of: lease.owner) else { return }
        if try transaction.endLease(of: lease.id, under: lease.fence.number) { try transaction.announceDue(lease.id) }
      }
    }

    /// Leases flows that have work to do and no valid lease, those that are due longest first.
    ///
    /// See `LeasingFlowStore.claimDue(under:serving:limit:)`.
    public func claimDue(
      under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
    ) async throws -> [LeasedFlow] {
      try await writer.write { try $0.claimDue(under: epoch, serving: serving, limit: limit) }
    }

    /// Returns a page of the flows that are leased under an epoch; see `LeasingFlowStore.leased(to:after:limit:)`.
    public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
      let after = try cursor.map { try StoreCursor($0, parts: 1).parts[0] }
      return try await readers.read { database in
        var conditions = Conditions()
        conditions.add("h.name = ? AND h.epoch = ?", .text(epoch.owner), .int(epoch.fence.number))
        if let after { conditions.add("l.id > ?", .text(after)) }
        var flows = try database.all(
          """
          SELECT l.id FROM flow_hosts h JOIN flow_leases l ON l.epoch = h.epoch \(conditions.sql)
            ORDER BY l.id LIMIT ?
          """, conditions.values + [.int(limit < .max ? max(1, limit) + 1 : limit)]
        ) { FlowID($0.text(0)) }
        guard flows.count > max(1, limit) else { return LeasePage(flows: flows, cursor: nil) }
        flows.removeLast()
        return LeasePage(flows: flows, cursor: flows.last.map { StoreCursor([$0.description]).description })
      }
    }

    /// Returns the earliest time at which a flow that waits and is not leased becomes due.
    ///
    /// See `LeasingFlowStore.nextDue(serving:)`.
    public func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
      let now = StoredTime(clock.now)
      return try await readers.read { database in
        var earliest: Date?
        for (definition, versions) in serving {
          let due = try database.first(
            """
            SELECT f.wake_at FROM flows f WHERE f.definition = ? AND f.version BETWEEN ? AND ? AND f.wake_at > ?
              AND f.status = 'waiting' AND NOT EXISTS (SELECT 1 FROM flow_leases l WHERE l.id = f.id)
              ORDER BY f.wake_at LIMIT 1
            """, .text(definition), .int(versions.lowerBound), .int(versions.upperBound), .time(now)
          ) { $0.date(0) }
          if let due { earliest = min(earliest ?? due, due) }
        }
        return earliest
      }
    }

    /// Returns the flows that are leased under an epoch and that another host wishes for.
    ///
    /// See `LeasingFlowStore.wanted(under:)`.
    public func wanted(under epoch: Epoch) async throws -> [FlowID] {
      try await readers.read { database in
        try database.all(
          """
          SELECT l.id FROM flow_hosts h JOIN flow_leases l ON l.epoch = h.epoch
            WHERE h.name = ? AND h.epoch = ? AND l.wanted = 1
          """, .text(epoch.owner), .int(epoch.fence.number)
        ) { FlowID($0.text(0)) }
      }
    }

    /// A new stream of the store's changes from now on, made by any host on the file.
    ///
    /// Changes of this store arrive with their commit, and those of other stores on the file are looked for while there
    /// is a stream, 50 times a second. See `LeasingFlowStore.changes`.
    public var changes: AsyncStream<StoreChange>? {
      let stream = streams.stream()
      watcher.begin()
      return stream
    }
  }

  extension WriteTransaction {
    private struct Lease {
      let epoch: Int
      let isWanted: Bool
    }

    private func lease(of id: FlowID) throws -> Lease? {
      try database.first("SELECT epoch, wanted FROM flow_leases WHERE id = ?", .text(id.description)) {
        Lease(epoch: $0.int(0), isWanted: $0.bool(1))
      }
    }

    /// The time at which the beat of an epoch is overdue, or `nil` if the epoch has ended.
    private func overdue(_ epoch: Int) throws -> StoredTime? {
      try database.first("SELECT overdue_at FROM flow_hosts WHERE epoch = ?", .int(epoch)) { $0.time(0) }
    }

    /// A lease's row is removed when its epoch ends, so a row is a lease.
    func checkLease(of id: FlowID, fence: Fence?) throws {
      let lease = try lease(of: id)
      if let fence {
        guard lease?.epoch == fence.number else {
          throw FlowStoreError(.fenced, "the flow \(id.shown) is not leased under the fence \(fence)")
        }
      } else if let lease, let overdue = try overdue(lease.epoch), overdue > now {
        throw FlowStoreError(.leased, "the flow \(id.shown) is leased to a host")
      }
    }

    func isValid(_ epoch: Epoch) throws -> Bool { try isValid(epoch.fence, of: epoch.owner) }

    func isValid(_ fence: Fence, of owner: String) throws -> Bool {
      try database.first(
        "SELECT 1 FROM flow_hosts WHERE name = ? AND epoch = ?", .text(owner), .int(fence.number)
      ) { _ in true } ?? false
    }

    private func check(_ epoch: Epoch) throws {
      guard try isValid(epoch) else {
        throw FlowStoreError(.fenced, "the epoch \(epoch.fence) of the host \(epoch.owner) has ended")
      }
    }

    /// Ends an epoch and its leases.
    func end(_ epoch: Int) throws {
      let leases = try database.all("SELECT id, wanted FROM flow_leases WHERE epoch = ?", .int(epoch)) {
        (id: FlowID($0.text(0)), isWanted: $0.bool(1))
      }
      try database.run("DELETE FROM flow_hosts WHERE epoch = ?", .int(epoch))
      try database.run("DELETE FROM flow_leases WHERE epoch = ?", .int(epoch))
      for lease in leases {
        if lease.isWanted { changes.append(.freed(lease.id)) }
        try announceDue(lease.id)
      }
    }

    /// Ends the lease of a flow, if there is one, and if it is under the epoch; returns whether it was.
    @discardableResult
    func endLease(of id: FlowID, under epoch: Int? = nil) throws -> Bool {
      guard let lease = try lease(of: id), epoch == nil || lease.epoch == epoch else { return false }
      try database.run("DELETE FROM flow_leases WHERE id = ?", .text(id.description))
      if lease.isWanted { changes.append(.freed(id)) }
      return true
    }

    /// Announces when a flow is due, if it is not leased.
    func announceDue(_ id: FlowID) throws {
      let due = try database.first(
        """
        SELECT f.definition, iif(f.status = 'runnable', f.changed_at, f.wake_at) FROM flows f WHERE f.id = ?
          AND (f.status = 'runnable' OR f.status = 'waiting' AND f.wake_at IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM flow_leases l WHERE l.id = f.id)
        """, .text(id.description)
      ) { (definition: $0.text(0), at: $0.date(1)) }
      if let due { changes.append(.due(id, definition: due.definition, at: due.at)) }
    }

    fileprivate func attach(
      _ owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
    ) throws -> Epoch {
      let present = try database.first(
        "SELECT epoch, attempt FROM flow_hosts WHERE name = ?", .text(owner)
      ) { (epoch: $0.int(0), attempt: $0.text(1)) }
      if let present {
        if present.attempt == attempt.description {
          return try beat(Epoch(owner: owner, fence: Fence(present.epoch), until: .distantPast), for: time)
        }
        if let old, old.fence.number != present.epoch {
          throw FlowStoreError(.fenced, "another process has attached under the name \(owner)")
        }
        try end(present.epoch)
      }
      try database.run("UPDATE flow_epochs SET last = last + 1")
      let epoch = try database.first("SELECT last FROM flow_epochs") { $0.int(0) } ?? 0
      let until = now.later(by: time)
      try database.run(
        "INSERT INTO flow_hosts VALUES (?, ?, ?, ?)", .text(owner), .int(epoch), .text(attempt.description),
        .time(until))
      return Epoch(owner: owner, fence: Fence(epoch), until: until.date)
    }

    fileprivate func beat(_ epoch: Epoch, for time: Duration) throws -> Epoch {
      try check(epoch)
      var epoch = epoch
      let until = now.later(by: time)
      try database.run("UPDATE flow_hosts SET overdue_at = ? WHERE epoch = ?", .time(until), .int(epoch.fence.number))
      epoch.until = until.date
      return epoch
    }

    /// Leases a flow. The refusal with `leased` is a result and not an error: the wish that it leaves is committed.
    fileprivate func acquire(_ id: FlowID, under epoch: Epoch) throws -> Result<LeasedFlow, FlowStoreError> {
      try check(epoch)
      let flow = try StoredFlow.find(id, in: database)
      if let lease = try lease(of: id), lease.epoch != epoch.fence.number {
        if let overdue = try overdue(lease.epoch), overdue > now {
          if !lease.isWanted {
            try database.run("UPDATE flow_leases SET wanted = 1 WHERE id = ?", .text(id.description))
            changes.append(.wanted(id, under: Fence(lease.epoch)))
          }
          return .failure(FlowStoreError(.leased, "the flow \(id.shown) is leased to another host"))
        }
        try end(lease.epoch)
      }
      try addLease(of: id, under: epoch)
      return .success(LeasedFlow(FlowLease(of: id, under: epoch), flow))
    }

    /// Whether a flow is one of these versions, or is not stored yet.
    fileprivate func serves(
      _ id: FlowID, under epoch: Epoch, _ serving: [String: ClosedRange<Int>]
    ) throws -> Bool {
      try check(epoch)
      let version = try database.first(
        "SELECT definition, version FROM flows WHERE id = ?", .text(id.description)
      ) { (definition: $0.text(0), number: $0.int(1)) }
      guard let version else { return true }
      return serving.contains {
        $0.key.utf8.elementsEqual(version.definition.utf8) && $0.value.contains(version.number)
      }
    }

    private func addLease(of id: FlowID, under epoch: Epoch) throws {
      try database.run(
        "INSERT OR IGNORE INTO flow_leases (id, epoch) VALUES (?, ?)", .text(id.description), .int(epoch.fence.number))
    }

    fileprivate func claimDue(
      under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
    ) throws -> [LeasedFlow] {
      try check(epoch)
      guard limit > 0 else { return [] }
      for (definition, versions) in serving {
        // CROSS JOIN keeps the order: an epoch has few leases, and a definition may have very many flows.
        let overdue = try database.all(
          """
          SELECT h.epoch FROM flow_hosts h WHERE h.overdue_at <= ? AND h.epoch <> ? AND EXISTS (
            SELECT 1 FROM flow_leases l CROSS JOIN flows f ON f.id = l.id WHERE l.epoch = h.epoch AND f.definition = ?
              AND f.version BETWEEN ? AND ? AND (f.status = 'runnable' OR f.status = 'waiting' AND f.wake_at <= ?))
          """, .time(now), .int(epoch.fence.number), .text(definition), .int(versions.lowerBound),
          .int(versions.upperBound), .time(now)
        ) { $0.int(0) }
        for ended in overdue { try end(ended) }
      }
      var read = limit
      while true {
        let due = try dueFirst(serving: serving, limit: read)
        let flows = try decodable(due.prefix(read), limit: limit)
        // Flows that cannot be read take no place among the others: the claim looks further.
        if flows.count >= limit || due.count < read {
          return try flows.map { flow in
            try addLease(of: flow.id, under: epoch)
            return LeasedFlow(FlowLease(of: flow.id, under: epoch), flow)
          }
        }
        read = read > .max / 2 ? .max : read * 2
      }
    }

    /// The ids of flows that are due and not leased, in the order of their times. Right are as many as `limit` says:
    /// each rule has given no more.
    private func dueFirst(serving: [String: ClosedRange<Int>], limit: Int) throws -> [FlowID] {
      var due: [(id: FlowID, at: StoredTime)] = []
      let rules = [("runnable", "changed_at", StoredTime(microseconds: .max)), ("waiting", "wake_at", now)]
      for (definition, versions) in serving {
        for (status, time, latest) in rules {
          due += try database.all(
            """
            SELECT f.id, f.\(time) FROM flows f WHERE f.status = '\(status)' AND f.definition = ?
              AND f.version BETWEEN ? AND ? AND f.\(time) <= ?
              AND NOT EXISTS (SELECT 1 FROM flow_leases l WHERE l.id = f.id) ORDER BY f.\(time) LIMIT ?
            """, .text(definition), .int(versions.lowerBound), .int(versions.upperBound), .time(latest), .int(limit)
          ) { (id: FlowID($0.text(0)), at: $0.time(1)) }
        }
      }
      return due.sorted { $0.at < $1.at }.map(\.id)
    }

    /// The first flows of a list that can be read, at most `limit`. The others are left alone.
    private func decodable(_ ids: some Sequence<FlowID>, limit: Int) throws -> [StoredFlow] {
      var flows: [StoredFlow] = []
      for id in ids where flows.count < limit {
        do {
          if let flow = try StoredFlow.find(id, in: database) { flows.append(flow) }
        } catch is FlowStoreError {
          continue
        }
      }
      return flows
    }
  }
#endif
