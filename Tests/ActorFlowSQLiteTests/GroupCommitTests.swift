#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import Foundation
  import Testing

  @Suite("Group commit in SQLite", .timeLimit(.minutes(15)))
  struct GroupCommitTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    private static func write(_ id: FlowID, from revision: Int = 0, entries: [HistoryEntry] = []) -> FlowWrite {
      FlowWrite(snapshot, to: id, expecting: Revision(revision), appending: entries)
    }

    /// The revision that a write led to, or `nil` if it was refused.
    private static func revision(_ result: Result<StoredFlow, FlowStoreError>) -> Int? {
      if case .success(let flow) = result { flow.revision.number } else { nil }
    }

    private func withStore(_ body: (SQLiteFlowStore, CrashableDisk) async throws -> Void) async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let disk = CrashableDisk()
      let store = try await files.open(files.path("flows.db"), on: disk)
      // Opens the files, whose syncs are not counted below.
      _ = try await store.commit(Self.write("first"))
      try await body(store, disk)
      await store.close()
    }

    @Test("writes that wait for a sync share the next one")
    func shared() async throws {
      try await withStore { (store, disk) async throws in
        let hold = disk.hold(after: disk.syncs)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { _ = try await store.commit(Self.write("holding")) }
          for await _ in hold.reached { break }
          // An immediate task runs until it waits, and then its call is in the queue.
          for number in 0..<50 {
            group.addImmediateTask { _ = try await store.commit(Self.write(FlowID("waiting \(number)"))) }
          }
          let before = disk.syncs
          disk.release(hold)
          try await group.waitForAll()
          #expect(disk.syncs - before == 2, "one for the write that was held, one for all that waited")
        }
        #expect(try await store.list(FlowQuery(), after: nil, limit: 100).flows.count == 52)
      }
    }

    @Test("a write returns after its own sync while others go on to the next one")
    func answered() async throws {
      try await withStore { (store, disk) async throws in
        let hold = disk.hold(after: disk.syncs)
        let first = Task { try await store.commit(Self.write("first in line")) }
        for await _ in hold.reached { break }
        let second = Task.immediate { try await store.commit(Self.write("second in line")) }
        // From the next sync on the disk stands still, as it would for a caller that did all later calls too.
        let next = disk.hold(after: disk.syncs + 1)
        disk.release(hold)
        // If it waited for the second one, this would wait until the time of the suite is over.
        #expect(try await first.value.revision == Revision(1))
        disk.release(next)
        #expect(try await second.value.revision == Revision(1))
      }
    }

    @Test("closing a store does the calls that were queued before, and refuses later ones")
    func closing() async throws {
      try await withStore { (store, disk) async throws in
        let hold = disk.hold(after: disk.syncs)
        let first = Task { try await store.commit(Self.write("first in line")) }
        for await _ in hold.reached { break }
        let queued = Task.immediate { try await store.commit(Self.write("queued")) }
        let closing = Task.immediate { await store.close() }
        // Refused at once, although the disk stands still.
        let error = await #expect(throws: FlowStoreError.self) { try await store.commit(Self.write("late")) }
        #expect(error?.code == .unavailable)
        disk.release(hold)
        await closing.value
        #expect(try await first.value.revision == Revision(1))
        #expect(try await queued.value.revision == Revision(1))
      }
    }

    @Test("a refused write of a group leaves the others, and nothing of its own")
    func refused() async throws {
      try await withStore { (store, disk) async throws in
        let entry = HistoryEntry(sequence: 1, at: .distantPast, what: "moved")
        let before = disk.syncs
        let results = await store.commit([
          Self.write("a", entries: [entry]), Self.write("first", from: 7, entries: [entry]), Self.write("b"),
        ])
        #expect(disk.syncs - before == 1)
        #expect(results.map(Self.revision) == [1, nil, 1])
        #expect(try await store.history(of: "first", after: 0, limit: 9) == [])
      }
    }

    @Test("a write that is refused after it has written leaves nothing of its own")
    func refusedLate() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      let first = try await store.commit(Self.write("damaged"))
      // The column is read to remove the rows of old labels, which is after the flow's own row was written.
      try RawDatabase(files.path("flows.db")).execute("UPDATE flows SET labels = 'no JSON'")
      let results = await store.commit([Self.write("a"), Self.write("damaged", from: 1), Self.write("b")])
      #expect(results.map(Self.revision) == [1, nil, 1])
      guard case .failure(let error) = results[1] else { return }
      #expect(error.code == .corrupted)
      #expect(try await store.load("damaged") == first)
      await store.close()
    }

    @Test("a write that breaks the transaction of its group fails alone")
    func broken() async throws {
      try await withStore { (store, _) async throws in
        // The database refuses an entry of the same number twice.
        let entry = HistoryEntry(sequence: 1, at: .distantPast, what: "moved")
        let results = await store.commit([
          Self.write("a", entries: [entry]), Self.write("broken", entries: [entry, entry]), Self.write("b"),
        ])
        #expect(results.map(Self.revision) == [1, nil, 1])
        #expect(try await store.load("broken") == nil)
        #expect(try await store.history(of: "a", after: 0, limit: 9).count == 1)
      }
    }

    @Test("a failed sync fails every write of its group with an unknown outcome")
    func failedSync() async throws {
      try await withStore { (store, disk) async throws in
        disk.failNextSync()
        let writes = [Self.write("a"), Self.write("b")]
        for result in await store.commit(writes) {
          guard case .failure(let error) = result else {
            Issue.record("a write was acknowledged without a sync")
            continue
          }
          #expect(error.code == .outcomeUnknown)
        }
        let again = await store.commit(writes)
        #expect(again.map(Self.revision) == [1, 1])
      }
    }
  }
#endif
