#if PostgreSQL
  public import ActorFlow
  public import ActorFlowHosting

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  extension PostgreSQLFlowStore {
    /// Attaches a host under a name, and ends the epoch that the name had.
    ///
    /// See `LeasingFlowStore.attach(owner:for:as:after:)`.
    public func attach(
      owner: String, for time: Duration, as attempt: CommitID, after old: Epoch?
    ) async throws -> Epoch {
      let values: [SQLValue] = [
        now, .text(owner), .int(time.storedMicroseconds), .text(attempt.description), .int(old?.fence.number),
      ]
      let reply = try await perform(function("flow_attach", values, .isRecognized)) { kind in
        guard kind == "fenced" else { return }
        throw FlowStoreError(.fenced, "another process has attached under the name \(owner)")
      }
      return Epoch(owner: owner, fence: Fence(reply.first), until: reply.second.date)
    }

    /// Moves the time at which the next beat is overdue; see `LeasingFlowStore.beat(_:for:)`.
    public func beat(_ epoch: Epoch, for time: Duration) async throws -> Epoch {
      let values: [SQLValue] = [now, .text(epoch.owner), .int(epoch.fence.number), .int(time.storedMicroseconds)]
      let reply = try await perform(function("flow_beat", values, .isRecognized)) { try epoch.refuse($0) }
      return Epoch(owner: epoch.owner, fence: epoch.fence, until: reply.second.date)
    }

    /// Ends an epoch, so that others may take its flows at once; see `LeasingFlowStore.detach(_:)`.
    public func detach(_ epoch: Epoch) async throws {
      let values: [SQLValue] = [.text(epoch.owner), .int(epoch.fence.number)]
      _ = try await perform(function("flow_detach", values, .isRecognized)) { _ in }
    }

    /// Leases a flow to a host, and returns it as it is stored; see `LeasingFlowStore.acquire(_:under:)`.
    public func acquire(_ id: FlowID, under epoch: Epoch) async throws -> LeasedFlow {
      let leased = try await acquire(id, under: epoch) { function("flow_acquire", $0, .isRecognized) }
      guard let leased else { throw FlowStoreError(.unavailable, "the server has not leased the flow \(id.shown)") }
      return leased
    }

    /// Leases a flow to a host that can run these versions; see `LeasingFlowStore.acquire(_:under:serving:)`.
    public func acquire(
      _ id: FlowID, under epoch: Epoch, serving: [String: ClosedRange<Int>]
    ) async throws -> LeasedFlow? {
      let serving = serving.map { $0 }
      return try await acquire(id, under: epoch) { values in
        SQLStatement(
          sql: schema.sql(
            """
            WITH other AS MATERIALIZED (
              SELECT f.id FROM @schema.flows f WHERE f.id = $2 AND NOT EXISTS (
                SELECT 1 FROM unnest($6::text[], $7::bigint[], $8::bigint[]) s (definition, low, high)
                  WHERE s.definition = f.definition AND f.version BETWEEN s.low AND s.high)
                AND EXISTS (SELECT 1 FROM @schema.flow_hosts h WHERE h.name = $3 AND h.epoch = $4))
            SELECT 'other'::text, NULL::bigint, NULL::bigint, NULL::text, NULL::text, NULL::bytea FROM other
            UNION ALL
            SELECT r.* FROM (SELECT $2::text AS id WHERE NOT EXISTS (SELECT 1 FROM other)) wanted,
              LATERAL @schema.flow_acquire($1, wanted.id, $3, $4, $5) r
            """),
          values: values + [
            .texts(serving.map(\.key)), .ints(serving.map(\.value.lowerBound)),
            .ints(serving.map(\.value.upperBound)),
          ], repetition: .isRecognized)
      }
    }

    /// Leases a flow with a statement that takes the values of the function.
    private func acquire(
      _ id: FlowID, under epoch: Epoch, with statement: ([SQLValue]) -> SQLStatement
    ) async throws -> LeasedFlow? {
      let lease = FlowLease(of: id, under: epoch)
      var checked: Revision?
      while true {
        let values: [SQLValue] = [
          now, .text(id.description), .text(epoch.owner), .int(epoch.fence.number), .int(checked?.number),
        ]
        let acquired: Acquired
        do {
          acquired = try await pool.call(statement(values)) { reply in
            let reply = FunctionReply(reply)
            return Acquired(
              kind: reply.outcome?.kind, flow: Result { () throws(FlowStoreError) in try reply.stored },
              changes: reply.changes, notifiable: reply.notifiable)
          }
        } catch { throw error.ofAcquire(id) }
        tell(acquired.changes, acquired.notifiable)
        try epoch.refuse(acquired.kind)
        switch (acquired.kind, acquired.flow) {
        case ("other", _): return nil
        case ("leased", _): throw FlowStoreError(.leased, "the flow \(id.shown) is leased to another host")
        case ("unchecked", .success(let flow)): checked = flow?.revision
        case ("unchecked", .failure(let error)): throw error
        case (_, .success(let flow)): return LeasedFlow(lease, flow)
        case (_, .failure(let error)):
          // The server does not know what this version can read.
          try await release(lease)
          throw error
        }
      }
    }

    /// Releases a lease, so that others may take the flow at once; see `LeasingFlowStore.release(_:)`.
    public func release(_ lease: FlowLease) async throws {
      let values: [SQLValue] = [.text(lease.id.description), .text(lease.owner), .int(lease.fence.number)]
      _ = try await perform(function("flow_release", values, .isRecognized)) { _ in }
    }

    /// Leases flows that have work to do and no valid lease, those that are due longest first.
    ///
    /// Callers pass over flows that another one is just leasing, instead of waiting. See
    /// `LeasingFlowStore.claimDue(under:serving:limit:)`.
    public func claimDue(
      under epoch: Epoch, serving: [String: ClosedRange<Int>], limit: Int
    ) async throws -> [LeasedFlow] {
      let serving = serving.map { $0 }
      var (claimed, unreadable) = ([LeasedFlow](), [FlowID]())
      while true {
        let values: [SQLValue] = [
          now, .text(epoch.owner), .int(epoch.fence.number), .texts(serving.map(\.key)),
          .ints(serving.map(\.value.lowerBound)), .ints(serving.map(\.value.upperBound)), .int(limit - claimed.count),
          .texts(unreadable.map(\.description)),
        ]
        let found = try await pool.call(function("flow_claim", values, .isAnotherCall)) { reply in
          let (flows, rest) = FunctionReply.flows(reply)
          var found = Claimed(kind: rest.outcome?.kind, changes: rest.changes, notifiable: rest.notifiable)
          for reply in flows {
            do {
              if let flow = try reply.stored { found.flows.append(flow) }
            } catch {
              if let id = reply.flow?.id { found.unreadable.append(id) }
            }
          }
          return found
        }
        tell(found.changes, found.notifiable)
        try epoch.refuse(found.kind)
        claimed += found.flows.map { LeasedFlow(FlowLease(of: $0.id, under: epoch), $0) }
        if found.unreadable.isEmpty { return claimed }
        // Flows that cannot be read take no place among the others: the claim looks further.
        for id in found.unreadable {
          // Without announcing that they are due: every host would claim them again at once, and so on without end.
          let lease: [SQLValue] = [.text(id.description), .text(epoch.owner), .int(epoch.fence.number)]
          _ = try await pool.call(function("flow_release", lease, .isRecognized)) { _ in }
        }
        unreadable += found.unreadable
      }
    }

    /// Returns a page of the flows that are leased under an epoch; see `LeasingFlowStore.leased(to:after:limit:)`.
    public func leased(to epoch: Epoch, after cursor: String?, limit: Int) async throws -> LeasePage {
      let after = try cursor.map { try StoreCursor($0, parts: 1).parts[0] }
      let limit = max(1, limit)
      var flows = try await pool.call(
        statement(
          """
          SELECT l.id FROM @schema.flow_hosts h JOIN @schema.flow_leases l ON l.epoch = h.epoch
            WHERE h.name = $1 AND h.epoch = $2 AND ($3::text IS NULL OR l.id > $3) ORDER BY l.id LIMIT $4
          """,
          [.text(epoch.owner), .int(epoch.fence.number), .text(after), .int(limit < .max ? limit + 1 : limit)])
      ) { $0.rows.map { FlowID($0.text(0)) } }
      guard flows.count > limit else { return LeasePage(flows: flows, cursor: nil) }
      flows.removeLast()
      return LeasePage(flows: flows, cursor: flows.last.map { StoreCursor([$0.description]).description })
    }

    /// Returns the earliest time at which a flow that waits and is not leased becomes due.
    ///
    /// See `LeasingFlowStore.nextDue(serving:)`.
    public func nextDue(serving: [String: ClosedRange<Int>]) async throws -> Date? {
      let serving = serving.map { $0 }
      return try await pool.call(
        statement(
          """
          SELECT min(x.due_at) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) s (definition, low, high),
            LATERAL (
              SELECT d.due_at FROM @schema.flow_due d WHERE d.definition = s.definition AND NOT d.runnable
                AND d.due_at > (SELECT @schema.flow_now($4)) AND d.version BETWEEN s.low AND s.high
                AND NOT EXISTS (SELECT 1 FROM @schema.flow_leases l WHERE l.id = d.id)
              ORDER BY d.due_at LIMIT 1) x
          """,
          [
            .texts(serving.map(\.key)), .ints(serving.map(\.value.lowerBound)),
            .ints(serving.map(\.value.upperBound)), now,
          ])
      ) { $0.rows.first?.optionalDate(0) }
    }

    /// Returns the flows that are leased under an epoch and that another host wishes for.
    ///
    /// See `LeasingFlowStore.wanted(under:)`.
    public func wanted(under epoch: Epoch) async throws -> [FlowID] {
      try await pool.call(
        statement(
          """
          SELECT l.id FROM @schema.flow_hosts h JOIN @schema.flow_leases l ON l.epoch = h.epoch
            WHERE h.name = $1 AND h.epoch = $2 AND l.wanted
          """, [.text(epoch.owner), .int(epoch.fence.number)])
      ) { $0.rows.map { FlowID($0.text(0)) } }
    }

    /// A new stream of the store's changes from now on, made by any host on the database.
    ///
    /// Changes of this store arrive with their commit. Other stores on the database notify it of flows that can run at
    /// once, and of wishes and their ends; timers are found by polls. See `LeasingFlowStore.changes`.
    public var changes: AsyncStream<StoreChange>? {
      let stream = streams.stream()
      notifications.listen()
      return stream
    }

    /// Calls a function that returns an outcome, and gives its changes to the streams.
    private func perform(
      _ statement: SQLStatement, refusing refuse: @escaping @Sendable (String?) throws -> Void
    ) async throws -> (first: Int, second: StoredTime) {
      let (outcome, changes, notifiable) = try await pool.call(statement) { reply in
        let reply = FunctionReply(reply)
        try refuse(reply.outcome?.kind)
        return (reply.outcome, reply.changes, reply.notifiable)
      }
      tell(changes, notifiable)
      return (outcome?.first ?? 0, StoredTime(microseconds: Int64(outcome?.second ?? 0)))
    }
  }

  /// The reply to an acquire.
  private struct Acquired: Sendable {
    let kind: String?
    let flow: Result<StoredFlow?, FlowStoreError>
    let changes: [StoreChange]
    let notifiable: [StoreChange]
  }

  /// The reply to a claim.
  private struct Claimed: Sendable {
    let kind: String?
    let changes: [StoreChange]
    let notifiable: [StoreChange]
    var flows: [StoredFlow] = []
    var unreadable: [FlowID] = []
  }

  extension FlowStoreError {
    /// The error of an acquire: a flow that another transaction has locked is in use, and the store is not away.
    fileprivate func ofAcquire(_ id: FlowID) -> FlowStoreError {
      guard let error = underlying as? ServerError, error.isOfLock else { return self }
      return FlowStoreError(
        .leased, "the flow \(id.shown) is being changed in a transaction that has not ended", underlying: error)
    }
  }

  extension Epoch {
    fileprivate func refuse(_ kind: String?) throws(FlowStoreError) {
      guard kind == "fenced" else { return }
      throw FlowStoreError(.fenced, "the epoch \(fence) of the host \(owner) has ended")
    }
  }

  extension Duration {
    /// The microseconds of a time that is added to one of the store.
    fileprivate var storedMicroseconds: Int {
      Int(StoredTime(microseconds: 0).later(by: self).microseconds)
    }
  }
#endif
