#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Testing

  @Suite("Several stores on one database", .needsServer, .timeLimit(.minutes(15)))
  struct SharedDatabaseTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    @Test("a store learns without a poll of a flow that another store has made runnable")
    func due() async throws {
      try await withTwoStores { reader, writer in
        // The first change tells that the store listens: it may have begun after the first commits.
        let changes = try #require(reader.changes)
        let seen = try await committing(to: writer) {
          for await case .due(let id, let definition, _) in changes where definition == "check" { return id }
          return nil
        }
        #expect(seen?.description.hasPrefix("flow") == true)
      }
    }

    @Test("a host learns of a wish of another store, and that one of the end of the lease")
    func wishes() async throws {
      try await withTwoStores { first, second in
        let ann = try await first.attach(owner: "ann", for: .seconds(60))
        let bob = try await second.attach(owner: "bob", for: .seconds(60))
        let (changesOfAnn, changesOfBob) = (try #require(first.changes), try #require(second.changes))
        // Waits until both stores listen.
        for (changes, other) in [(changesOfAnn, second), (changesOfBob, first)] {
          _ = try await committing(to: other) {
            for await case .due in changes { return "seen" as FlowID? }
            return nil
          }
        }
        _ = try await first.acquire("wished", under: ann)
        let error = await #expect(throws: FlowStoreError.self) { try await second.acquire("wished", under: bob) }
        #expect(error?.code == .leased)
        for await case .wanted(let id, let fence) in changesOfAnn {
          #expect(id == "wished" && fence == ann.fence)
          break
        }
        try await first.release(FlowLease(of: "wished", under: ann))
        for await case .freed(let id) in changesOfBob {
          #expect(id == "wished")
          break
        }
      }
    }

    @Test("hosts that end each other's overdue epochs all at once get on")
    func overdue() async throws {
      try await withTwoStores { first, second in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, store) in [first, second, first, second].enumerated() {
            group.addTask {
              var epoch = try await store.attach(owner: "host \(index)", for: .zero)
              for number in 0..<40 {
                do {
                  let leased = try await store.acquire(FlowID("flow \(number % 8)"), under: epoch)
                  let write = FlowWrite(
                    Self.snapshot, to: leased.lease.id, expecting: leased.flow?.revision ?? .none, fence: epoch.fence)
                  _ = try await store.commit(write)
                  _ = try await store.claimDue(under: epoch, serving: ["check": 1...1], limit: 4)
                } catch let error as FlowStoreError where error.code == .fenced {
                  epoch = try await store.attach(owner: "host \(index)", for: .zero)
                }
              }
            }
          }
          try await group.waitForAll()
        }
        let flows = try await first.list(FlowQuery(), after: nil, limit: 100).flows
        #expect(flows.count == 8)
      }
    }

    /// Commits flows to a store until `found` returns. A change may be missed, but not all of them.
    private func committing(
      to store: PostgreSQLFlowStore, until found: @escaping @Sendable () async -> FlowID?
    ) async throws -> FlowID? {
      try await withThrowingTaskGroup(of: FlowID?.self) { group in
        group.addTask { await found() }
        group.addTask {
          var last: StoredFlow?
          while !Task.isCancelled {
            if let last { try await store.delete(last.id, expecting: last.revision, fence: nil) }
            last = try await store.commit(
              FlowWrite(Self.snapshot, to: FlowID("flow-\(CommitID())"), expecting: .none))
          }
          return nil
        }
        let first = try await group.next() ?? nil
        group.cancelAll()
        return first
      }
    }

    private func withTwoStores(_ body: (PostgreSQLFlowStore, PostgreSQLFlowStore) async throws -> Void) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let (first, second) = (try await database.open(schema), try await database.open(schema))
      try await body(first, second)
      await first.close()
      await second.close()
    }
  }
#endif
