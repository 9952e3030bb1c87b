#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import Foundation
  import Testing

  /// An audit of every byte that the database has on the disk.
  @Suite("Erasing in SQLite", .timeLimit(.minutes(15))) struct ErasingTests {
    private struct Statement: Prompt, Codable {
      typealias Answer = String
      static let promptName = "Statement"
      let text: String
    }

    private let flow = Flow<String, String>("claim") {
      Step("describe") { (input: String, context: StepContext) in
        let story = try await context.ask(Statement(text: "what has happened, \(input)?"))
        return try await context.once("file") { _ in "filed \(story)" }
      }
    }

    /// Turns each byte, so that none is found as it was.
    private struct Turning: BodyCodec {
      func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body.map { $0 ^ 0xA5 } }
      func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body.map { $0 ^ 0xA5 } }
    }

    /// The marks that are found in any file of the folder.
    private func marks(_ marks: [String], in files: TestFiles) throws -> [String] {
      try self.marks(marks, in: files.path(""))
    }

    private func marks(_ marks: [String], in folder: String) throws -> [String] {
      let bytes = try FileManager.default.contentsOfDirectory(atPath: folder).map {
        try Data(contentsOf: URL(fileURLWithPath: folder + $0))
      }
      return marks.filter { mark in bytes.contains { $0.range(of: Data(mark.utf8)) != nil } }
    }

    @Test("no byte of a deleted flow and none of what was redacted is left, and all else is as it was")
    func audit() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      let host = FlowHost(store: store, clock: files.clock)
      let flows = try await host.register(flow)
      // A long story fills pages of its own.
      func story(of name: String) -> String { String(repeating: "story of \(name) ", count: 2_000) }
      let redacted = ["redacted", "abandoned", "edited"]
      for name in ["deleted", "kept"] + redacted {
        try await flows.start(id: FlowID(name), with: "input of \(name)", labels: ["person": "label of \(name)"])
        let claim = host.flow(FlowID(name))
        let question = try #require(try await claim.settled().questions.first?.id)
        try await claim.note("note on \(name)", by: Principal(id: "clerk of \(name)"))
        if name == "edited" {
          let better = Move.input(of: "describe") { (text: String) in "better \(text)" }
          try await claim.edit([better], reason: "reason of \(name)", by: Principal(id: "clerk of \(name)"))
        }
        if name == "abandoned" {
          try await claim.abandon(reason: "reason of \(name)", by: Principal(id: "author of \(name)"))
        } else {
          try await claim.answer(question, with: story(of: name), by: Principal(id: "author of \(name)"))
        }
        _ = try await claim.settled()
      }
      try await host.flow("deleted").delete()
      for name in redacted { try await host.flow(FlowID(name)).redact(reason: "asked for it") }
      let gone = ["story of", "input of", "label of", "note on", "author of", "reason of"].flatMap { part in
        (["deleted"] + redacted).map { "\(part) \($0)" }
      }
      #expect(!(try marks(gone, in: files)).isEmpty, "without erasing, bytes are left")
      try await store.erase()
      #expect(try marks(gone, in: files) == [])
      #expect(try marks(["story of kept", "label of kept", "author of kept"], in: files).count == 3)
      #expect(try await flows.outcome(of: "kept") == .finished("filed " + story(of: "kept")))
      #expect(try await host.flow("redacted").history().contains { $0.what == "redacted" })
      // The store goes on, and each connection sees the new file.
      try await flows.start(id: "next", with: "input of next")
      #expect(try await host.flow("next").settled().status == .waiting)
      #expect(try await host.list().flows.count == 5)
      try await host.shutDown()
      await store.close()
      let again = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.count == 5)
      await again.close()
    }

    @Test("with a codec, no file ever has a byte of what was said, but for labels and names")
    func coded() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let store = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      var options = FlowHost.Options()
      options.codec = Turning()
      let host = try FlowHost(store: store, clock: files.clock, options: options)
      let flows = try await host.register(flow)
      try await flows.start(id: "x", with: "input of x", labels: ["person": "label of x"])
      try await host.flow("x").note("note on x", by: Principal(id: "clerk of x"))
      let question = try #require(try await host.flow("x").settled().questions.first?.id)
      #expect(try marks(["label of x", "clerk of x"], in: files).count == 2)
      let said = ["input of x", "story of x", "note on x", "reason of x", "what has happened", "filed"]
      #expect(try marks(said, in: files) == [])
      try await host.flow("x").edit(
        [.input(of: "describe") { (text: String) in text + " and input of x" }], reason: "reason of x")
      try await host.flow("x").answer(question, with: String(repeating: "story of x ", count: 2_000))
      _ = try await host.flow("x").settled()
      #expect(try marks(said, in: files) == [])
      #expect(try await host.flow("x").history().contains { $0.detail == "note on x" })
      try await host.shutDown()
      await store.close()
      #expect(try marks(said, in: files) == [])
    }

    @Test("a crash at any sync of an erasure loses no flow, and the next erasure removes the bytes")
    func crashed() async throws {
      let snapshot = FlowSnapshot(definition: "check", version: 1, status: .finished, body: Array("secret of x".utf8))
      var count = 0
      while true {
        let files = try TestFiles()
        defer { files.remove() }
        let disk = CrashableDisk()
        let store = try await files.open(files.newFolder() + "/flows.db", on: disk)
        _ = try await store.commit(FlowWrite(snapshot, to: "x", expecting: .none))
        var kept = snapshot
        kept.body = Array("what is kept".utf8)
        _ = try await store.commit(FlowWrite(kept, to: "y", expecting: .none))
        try await store.delete("x", expecting: Revision(1), fence: nil)
        let hold = disk.hold(after: disk.syncs + count)
        let folder = try files.newFolder()
        let hasReached = try await withThrowingTaskGroup(of: Bool.self) { group in
          group.addTask {
            for await _ in hold.reached { return true }
            return false
          }
          // Ends with an error when the disk crashes.
          group.addTask {
            try? await store.erase()
            return false
          }
          let first = try await group.next() ?? false
          group.cancelAll()
          try disk.crash(to: folder)
          return first
        }
        await store.close()
        let next = try await files.open(folder + "/flows.db", on: CrashableDisk())
        #expect(try await next.load("x") == nil)
        #expect(try await next.load("y")?.snapshot.body == kept.body)
        try await next.erase()
        #expect(try marks(["secret of x", "what is kept"], in: folder + "/") == ["what is kept"])
        await next.close()
        guard hasReached else { break }
        count += 1
      }
      #expect(count > 1)
    }

    @Test("while another connection reads, the bytes are not gone, and the error says so; later they are")
    func busy() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      var options = SQLiteFlowStore.Options()
      options.busyTime = .milliseconds(50)
      let path = files.path("flows.db")
      let store = try await SQLiteFlowStore(file: path, clock: files.clock, options: options)
      let snapshot = FlowSnapshot(
        definition: "check", version: 1, status: .finished, body: Array("secret of x".utf8))
      _ = try await store.commit(FlowWrite(snapshot, to: "x", expecting: .none))
      try await store.delete("x", expecting: Revision(1), fence: nil)
      let reader = try RawDatabase(path)
      try reader.execute("BEGIN; SELECT * FROM flows")
      let error = await #expect(throws: FlowStoreError.self) { try await store.erase() }
      #expect(error?.code == .unavailable && error?.message.contains("erase() again") == true)
      // Calls go on.
      _ = try await store.commit(FlowWrite(snapshot, to: "y", expecting: .none))
      try await store.delete("y", expecting: Revision(1), fence: nil)
      try reader.execute("COMMIT")
      try await store.erase()
      #expect(try marks(["secret of x"], in: files) == [])
      await store.close()
      let closed = await #expect(throws: FlowStoreError.self) { try await store.erase() }
      #expect(closed?.code == .unavailable)
    }
  }
#endif
