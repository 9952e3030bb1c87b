#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import Synchronization
  import Testing

  /// The writes of two stores.
  private final class Counts: Sendable {
    private let counts = Mutex([0, 0])

    /// Returns whether each store has written enough.
    func add(to index: Int) -> Bool {
      counts.withLock { counts in
        counts[index] += 1
        return counts.allSatisfy { $0 >= 100 }
      }
    }
  }

  @Suite("Several stores on one file", .timeLimit(.minutes(15)))
  struct SharedFileTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    @Test("a store learns without a poll of a flow that another store has made runnable")
    func due() async throws {
      try await withTwoStores { reader, writer in
        // The first change tells that the watcher looks: it may have begun after the first commits.
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
        // Waits until both watchers look.
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

    @Test("stores that write without a pause let each other write")
    func writing() async throws {
      try await withTwoStores { first, second in
        let counts = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, store) in [first, second].enumerated() {
            for player in 0..<4 {
              group.addTask {
                for number in 0... {
                  let id = FlowID("flow \(index) \(player) \(number)")
                  _ = try await store.commit(FlowWrite(Self.snapshot, to: id, expecting: .none))
                  if counts.add(to: index) { return }
                }
              }
            }
          }
          try await group.waitForAll()
        }
      }
    }

    /// Commits flows to a store until `found` returns. A change may be missed, but not all of them.
    private func committing(
      to store: SQLiteFlowStore, until found: @escaping @Sendable () async -> FlowID?
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

    private func withTwoStores(_ body: (SQLiteFlowStore, SQLiteFlowStore) async throws -> Void) async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      var options = SQLiteFlowStore.Options()
      options.busyTime = .seconds(600)
      let first = try await SQLiteFlowStore(file: path, clock: files.clock, options: options)
      let second = try await SQLiteFlowStore(file: path, clock: files.clock, options: options)
      try await body(first, second)
      await first.close()
      await second.close()
    }
  }
#endif
