#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowTesting
  import Foundation
  import Testing

  @testable import ActorFlowSQLite

  @Suite("Opening a store in SQLite, and its errors", .timeLimit(.minutes(15)))
  struct OpeningTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    private func refused(
      _ path: String, _ code: FlowStoreError.Code, naming text: String, _ files: TestFiles
    ) async {
      let error = await #expect(throws: FlowStoreError.self) {
        try await SQLiteFlowStore(file: path, clock: files.clock)
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(text) == true, "\(String(describing: error))")
    }

    @Test("a path without a folder, of a folder, or of no file is unavailable, and named")
    func paths() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      await refused(files.path("missing/flows.db"), .unavailable, naming: "missing/flows.db", files)
      let folder = try files.newFolder()
      await refused(folder, .unavailable, naming: folder, files)
      // A name is taken as from the current folder at the time of the call, and not as a URI.
      let current = FileManager.default.currentDirectoryPath
      for path in ["missing/flows.db", "file:missing/flows.db"] {
        await refused(path, .unavailable, naming: "\(current)/\(path)", files)
      }
      for path in ["", ":memory:", "flows\u{0}.db"] {
        await refused(path, .unavailable, naming: "'\(path)' is not", files)
      }
    }

    @Test("a file that is no database is corrupted, and is left as it was")
    func noDatabase() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let text = String(repeating: "not a database ", count: 100)
      try Data(text.utf8).write(to: URL(fileURLWithPath: files.path("text")))
      await refused(files.path("text"), .corrupted, naming: "damaged", files)
      #expect(FileManager.default.contents(atPath: files.path("text")) == Data(text.utf8))
    }

    @Test("tables of a newer version are unsupportedFormat, and are left as they were")
    func newerSchema() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      try await SQLiteFlowStore(file: path, clock: files.clock).close()
      let database = try RawDatabase(path)
      try database.execute("INSERT INTO flow_schema VALUES (99, 0)")
      await refused(path, .unsupportedFormat, naming: "99", files)
      #expect(try database.texts("SELECT max(version) FROM flow_schema") == ["99"])
    }

    @Test("tables of version 1 get the times of inboxes when they are opened")
    func olderSchema() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      let first = try await SQLiteFlowStore(file: path, clock: files.clock)
      var snapshot = Self.snapshot
      let times = [nil, 30, 10, 20].map { $0.map { Date(timeIntervalSince1970: $0) } }
      snapshot.tasks = times.enumerated().map { number, due in
        OpenTask(
          question: "\(number)", step: "check/step", prompt: "Form", assignees: ["ann", "bob"], due: due,
          askedAt: Date(timeIntervalSince1970: 100 - Double(number)))
      }
      _ = try await first.commit(FlowWrite(snapshot, to: "flow", expecting: .none))
      await first.close()
      try RawDatabase(path).execute(
        """
        DELETE FROM flow_schema WHERE version > 1;
        \(Self.droppingChanges) DROP TABLE flow_starts;
        DROP INDEX flow_assignees_due; DROP INDEX flow_assignees_asked; DROP INDEX flow_tasks_due;
        DROP INDEX flow_tasks_asked; DROP INDEX flows_rollback_failed;
        ALTER TABLE flow_assignees DROP COLUMN asked_at; ALTER TABLE flow_assignees DROP COLUMN due_at;
        """)
      let store = try await SQLiteFlowStore(file: path, clock: files.clock)
      for (order, expected) in [(TaskQuery.Order.due, "2310"), (.asked, "3210"), (.flow, "0123")] {
        for names in [nil, ["bob"], ["ann", "bob"]] as [[String]?] {
          let page = try await store.tasks(TaskQuery(assignees: names, order: order), after: nil, limit: 9)
          #expect(page.tasks.map(\.task.question).joined() == expected)
        }
      }
      await store.close()
    }

    @Test("tables of version 2 get the times of starts with the next commits")
    func tablesWithoutStarts() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      let first = try await SQLiteFlowStore(file: path, clock: files.clock)
      for id in ["a", "b"] as [FlowID] {
        _ = try await first.commit(FlowWrite(Self.snapshot, to: id, expecting: .none))
      }
      await first.close()
      try RawDatabase(path).execute(
        "DELETE FROM flow_schema WHERE version > 2; \(Self.droppingChanges) DROP TABLE flow_starts;")
      let store = try await SQLiteFlowStore(file: path, clock: files.clock)
      let query = FlowQuery(startedBefore: .distantFuture)
      #expect(try await store.list(query, after: nil, limit: 9).flows.isEmpty)
      var snapshot = Self.snapshot
      snapshot.startedAt = files.clock.now.stored
      let written = try await store.commit(FlowWrite(snapshot, to: "a", expecting: Revision(1)))
      #expect(try await store.list(query, after: nil, limit: 9).flows == [FlowSummary(written)])
      let all = try await store.list(FlowQuery(), after: nil, limit: 9).flows
      #expect(all.map(\.startedAt) == [snapshot.startedAt, nil])
      try await store.delete("a", expecting: Revision(2), fence: nil)
      #expect(try RawDatabase(path).texts("SELECT count(*) FROM flow_starts") == ["0"])
      await store.close()
    }

    /// The statements that take the fourth version of the tables back.
    private static let droppingChanges = """
      DROP INDEX flow_history_changes; ALTER TABLE flow_history DROP COLUMN change; DROP TABLE flow_last_change;
      """

    @Test("flows of tables of version 3 come first when changes are read, in pages of any size, and then those to come")
    func tablesWithoutChanges() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      let first = try await SQLiteFlowStore(file: path, clock: files.clock)
      let entry = HistoryEntry(sequence: 1, at: files.clock.now.stored, what: "noted")
      for id in ["c", "a", "b"] as [FlowID] {
        _ = try await first.commit(FlowWrite(Self.snapshot, to: id, expecting: .none, appending: [entry]))
      }
      await first.close()
      try RawDatabase(path).execute("DELETE FROM flow_schema WHERE version > 3; \(Self.droppingChanges)")
      let store = try await SQLiteFlowStore(file: path, clock: files.clock)
      var (cursor, found) = (String?.none, [FlowID]())
      for number in 0..<5 {
        if number == 3 {
          _ = try await store.commit(
            FlowWrite(
              Self.snapshot, to: "a", expecting: Revision(1),
              appending: [HistoryEntry(sequence: 2, at: files.clock.now.stored, what: "noted")]))
        }
        let page = try await store.changed(FlowQuery(), after: cursor, limit: 1)
        found += page.changes.map(\.flow.id)
        cursor = page.cursor
      }
      #expect(found == ["c", "a", "b", "a"])
      let error = await #expect(throws: FlowStoreError.self) {
        _ = try await store.changed(FlowQuery(), after: StoreCursor(["99", "0"]).description, limit: 1)
      }
      #expect(error?.code == .notFound && error?.message.contains("restored from a backup") == true)
      await store.close()
    }

    @Test("a page of an inbox by time is read from an index, without sorting")
    func inboxIndexes() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      try await SQLiteFlowStore(file: path, clock: files.clock).close()
      let database = try RawDatabase(path)
      for order in TaskQuery.Order.allCases {
        for name in [nil, "ann"] {
          let time = order == .flow ? nil : StoredTime(microseconds: 1)
          let cursor = TaskCursor(order: order, time: time, flow: 1, question: "q", place: 0)
          for cursor in [nil, cursor] {
            let query = TaskQuery(order: order)
            for part in query.parts(after: cursor) {
              let plan = try database.plan(of: TaskList(part, of: name, query, after: cursor).sql)
              #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(order) \(plan)")
              #expect(plan.first?.contains("SEARCH") == true || order == .flow, "\(order) \(plan)")
            }
          }
        }
      }
    }

    @Test("tables that a newer version changes while the store is open refuse reads and writes")
    func newerSchemaWhileOpen() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      let store = try await SQLiteFlowStore(file: path, clock: files.clock)
      let writes = (0..<3).map { FlowWrite(Self.snapshot, to: FlowID("flow \($0)"), expecting: .none) }
      _ = try await store.load("flow 0")
      let database = try RawDatabase(path)
      try database.execute("INSERT INTO flow_schema VALUES (99, 0)")
      for result in await store.commit(writes) {
        let error = #expect(throws: FlowStoreError.self) { try result.get() }
        #expect(error?.code == .unsupportedFormat)
      }
      let error = await #expect(throws: FlowStoreError.self) { try await store.load("flow 0") }
      #expect(error?.code == .unsupportedFormat)
      #expect(try database.texts("SELECT count(*) FROM flows") == ["0"])
      await store.close()
    }

    @Test("a file that is gone or empty when the store opens it again is an error, and gets no new tables")
    func gone() async throws {
      for isReplaced in [false, true] {
        let files = try TestFiles()
        defer { files.remove() }
        let (path, disk) = (files.path("flows.db"), CrashableDisk())
        let store = try await files.open(path, on: disk)
        let write = FlowWrite(Self.snapshot, to: "flow", expecting: .none)
        let first = try await store.commit(write)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        if isReplaced { try Data().write(to: URL(fileURLWithPath: path)) }
        // After an error of the disk the store opens a new connection.
        disk.failNextSync()
        _ = try? await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: first.revision))
        let error = await #expect(throws: FlowStoreError.self) { try await store.commit(write) }
        #expect(error?.code == (isReplaced ? .corrupted : .unavailable), "\(String(describing: error))")
        await #expect(throws: FlowStoreError.self) { try await store.load("flow") }
        #expect(FileManager.default.contents(atPath: path) == (isReplaced ? Data() : nil))
        await store.close()
      }
    }

    /// A store that waits for the file however busy the machine is.
    private static var patient: SQLiteFlowStore.Options {
      var options = SQLiteFlowStore.Options()
      options.busyTime = .seconds(600)
      return options
    }

    @Test("a write waits while another process writes, and gives up after the busy time")
    func waits() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      var options = SQLiteFlowStore.Options()
      options.busyTime = .milliseconds(300)
      let hasty = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock, options: options)
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock, options: Self.patient)
      let database = try RawDatabase(files.path("flows.db"))
      try database.execute("BEGIN IMMEDIATE")
      let began = ContinuousClock.now
      let error = await #expect(throws: FlowStoreError.self) {
        try await hasty.commit(FlowWrite(Self.snapshot, to: "hasty", expecting: .none))
      }
      #expect(error?.code == .unavailable)
      #expect(.now - began >= .milliseconds(300))
      await hasty.close()
      let write = Task.immediate { try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none)) }
      try database.execute("ROLLBACK")
      #expect(try await write.value.revision == Revision(1))
      await store.close()
    }

    @Test("the tables stand beside those of the application")
    func besideOthers() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("orders.db")
      let database = try RawDatabase(path)
      try database.execute("CREATE TABLE orders (id TEXT); INSERT INTO orders VALUES ('1')")
      let store = try await SQLiteFlowStore(file: path, clock: files.clock)
      _ = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none))
      await store.close()
      #expect(try database.texts("SELECT id FROM orders") == ["1"])
    }

    @Test("opening a file at once from many stores makes the tables once")
    func atOnce() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let path = files.path("flows.db")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let store = try await SQLiteFlowStore(file: path, clock: files.clock, options: Self.patient)
            _ = try await store.commit(FlowWrite(Self.snapshot, to: "flow \(number)", expecting: .none))
            await store.close()
          }
        }
        try await group.waitForAll()
      }
      let database = try RawDatabase(path)
      #expect(try database.texts("SELECT version FROM flow_schema") == ["1", "2", "3", "4"])
      #expect(try database.texts("SELECT count(*) FROM flows") == ["8"])
    }

    @Test("a transaction that another process keeps open makes writes unavailable, and reads go on")
    func busy() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      var options = SQLiteFlowStore.Options()
      options.busyTime = .milliseconds(20)
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock, options: options)
      let write = FlowWrite(Self.snapshot, to: "flow", expecting: .none)
      let database = try RawDatabase(files.path("flows.db"))
      try database.execute("BEGIN IMMEDIATE")
      // Several at once wait for the lock once, together.
      let others = (0..<3).map { FlowWrite(Self.snapshot, to: FlowID("other \($0)"), expecting: .none) }
      for case .failure(let error) in await store.commit([write] + others) {
        #expect(error.code == .unavailable)
        #expect(error.message.contains("busyTime"))
      }
      #expect(try await store.load("flow") == nil)
      try database.execute("ROLLBACK")
      #expect(try await store.commit(write).revision == Revision(1))
      await store.close()
    }

    @Test("a full disk refuses a write as unavailable, changes nothing, and writes go on when there is room")
    func full() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let disk = CrashableDisk()
      let store = try await files.open(files.path("flows.db"), on: disk)
      let first = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none))
      disk.isFull = true
      let write = FlowWrite(Self.snapshot, to: "flow", expecting: first.revision)
      let error = await #expect(throws: FlowStoreError.self) { try await store.commit(write) }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("full") == true)
      #expect(try await store.load("flow") == first)
      disk.isFull = false
      #expect(try await store.commit(write).revision == Revision(2))
      await store.close()
    }

    @Test("a sync that fails makes the outcome unknown, and a repetition with the same id settles it")
    func failedSync() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let disk = CrashableDisk()
      let store = try await files.open(files.path("flows.db"), on: disk)
      let first = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none))
      disk.failNextSync()
      let entry = HistoryEntry(sequence: 1, at: files.clock.now, what: "moved")
      let write = FlowWrite(Self.snapshot, to: "flow", expecting: first.revision, appending: [entry])
      let error = await #expect(throws: FlowStoreError.self) { try await store.commit(write) }
      #expect(error?.code == .outcomeUnknown)
      #expect(try await store.commit(write).revision == Revision(2))
      #expect(try await store.history(of: "flow", after: 0, limit: 9) == [entry])
      await store.close()
    }

    @Test("a file that can only be read is unavailable")
    func readOnly() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let disk = CrashableDisk()
      try await files.open(files.path("flows.db"), on: disk).close()
      disk.isReadOnly = true
      let error = await #expect(throws: FlowStoreError.self) { try await files.open(files.path("flows.db"), on: disk) }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("can only be read") == true, "\(String(describing: error))")
    }

    @Test("people can read the views")
    func views() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      var snapshot = Self.snapshot
      snapshot.status = .waiting
      snapshot.steps = ["check/step"]
      snapshot.wakeAt = Date(timeIntervalSince1970: 1_767_225_600.5)
      snapshot.tasks = [
        OpenTask(
          question: "q", step: "check/step", prompt: "Form", assignees: ["ann", "bob"], askedAt: files.clock.now)
      ]
      _ = try await store.commit(FlowWrite(snapshot, to: "flow", expecting: .none))
      let database = try RawDatabase(files.path("flows.db"))
      #expect(
        try database.texts("SELECT id || ' ' || status || ' ' || steps || ' ' || due FROM flow_overview")
          == [#"flow waiting ["check/step"] 2026-01-01 00:00:00.500"#])
      #expect(
        try database.texts("SELECT assignee || ' ' || id || ' ' || prompt FROM flow_inbox ORDER BY 1")
          == ["ann flow Form", "bob flow Form"])
      await store.close()
    }

    @Test("a row that cannot be read hides no other one in the lists")
    func damagedRows() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      var snapshot = Self.snapshot
      snapshot.tasks = [
        OpenTask(question: "q", step: "check/step", prompt: "Form", assignees: ["ann"], askedAt: files.clock.now)
      ]
      for id in ["a", "b", "c", "d", "e"] as [FlowID] {
        _ = try await store.commit(FlowWrite(snapshot, to: id, expecting: .none))
      }
      let database = try RawDatabase(files.path("flows.db"))
      try database.execute(
        """
        UPDATE flows SET labels = 'no JSON' WHERE id = 'a';
        UPDATE flows SET steps = 'no JSON' WHERE id = 'b';
        UPDATE flows SET status = 'frozen' WHERE id = 'd';
        UPDATE flow_tasks SET assignees = 'no JSON' WHERE flow IN (SELECT number FROM flows WHERE id = 'c')
        """)
      #expect(try await store.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["c", "e"])
      #expect(try await store.list(FlowQuery(status: [.runnable]), after: nil, limit: 9).flows.map(\.id) == ["c", "e"])
      #expect(try await store.tasks(TaskQuery(), after: nil, limit: 9).tasks.map(\.flow) == ["b", "d", "e"])
      await store.close()
    }

    @Test("a claim passes over flows that cannot be read, however many come first")
    func damagedClaims() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      for number in 0..<9 {
        _ = try await store.commit(FlowWrite(Self.snapshot, to: FlowID("flow \(number)"), expecting: .none))
        files.clock.advance(by: .seconds(1))
      }
      try RawDatabase(files.path("flows.db")).execute("UPDATE flows SET snapshot = x'00' WHERE id < 'flow 7'")
      let epoch = try await store.attach(owner: "ann", for: .seconds(60), as: CommitID(), after: nil)
      for id in ["flow 7", "flow 8"] as [FlowID] {
        let claimed = try await store.claimDue(under: epoch, serving: ["check": 1...1], limit: 1)
        #expect(claimed.map(\.lease.id) == [id])
      }
      #expect(try await store.claimDue(under: epoch, serving: ["check": 1...1], limit: 1).isEmpty)
      await store.close()
    }

    @Test("lists find the same flows whatever index serves them")
    func indexes() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      let soon = files.clock.now.addingTimeInterval(60)
      var number = 0
      for status in [FlowSnapshot.Status.runnable, .waiting, .suspended, .finished] {
        for version in [1, 2] {
          for wakeAt in [nil, soon, soon.addingTimeInterval(600)] {
            let definition = number % 3 == 0 ? "order" : "check"
            var snapshot = FlowSnapshot(definition: definition, version: version, status: status)
            if status == .waiting { snapshot.wakeAt = wakeAt }
            snapshot.labels = ["kind": "\(version)"]
            number += 1
            _ = try await store.commit(FlowWrite(snapshot, to: FlowID("flow \(number)"), expecting: .none))
          }
        }
      }
      let all = try await store.list(FlowQuery(), after: nil, limit: 100).flows
      #expect(all.count == 24)
      for status in [nil, [.runnable], [.waiting], [.suspended], [.runnable, .waiting]] as [Set<FlowSnapshot.Status>?] {
        for (definition, version) in [(nil, nil), ("check", nil), ("check", 2)] as [(String?, Int?)] {
          for label in [nil, FlowQuery.Label("kind", "2")] {
            for dueBefore in [nil, soon.addingTimeInterval(1)] {
              var query = FlowQuery()
              (query.status, query.definition, query.version) = (status, definition, version)
              (query.label, query.dueBefore) = (label, dueBefore)
              var (found, cursor) = ([FlowID](), String?.none)
              repeat {
                let page = try await store.list(query, after: cursor, limit: 2)
                found += page.flows.map(\.id)
                cursor = page.cursor
              } while cursor != nil
              #expect(found == all.filter(query.matches).map(\.id), "\(query)")
            }
          }
        }
      }
      await store.close()
    }

    @Test("a closed store refuses calls as unavailable")
    func closed() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      await store.close()
      await store.close()
      for call in [
        { _ = try await store.load("flow") },
        { _ = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none)) },
      ] as [@Sendable () async throws -> Void] {
        let error = await #expect(throws: FlowStoreError.self) { try await call() }
        #expect(error?.code == .unavailable)
      }
      for await change in try #require(store.changes) { Issue.record("\(change)") }
    }
  }
#endif
