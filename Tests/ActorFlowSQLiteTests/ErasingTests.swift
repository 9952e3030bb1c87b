#if SQLite
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import ActorFlowTesting
  import Foundation
  import Testing

  /// An audit of every byte that the database has on the disk.
  @Suite("Erasing in SQLite", .timeLimit(.minutes(5))) struct ErasingTests {
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

    /// The marks that are found in any file of the folder.
    private func marks(_ marks: [String], in files: TestFiles) throws -> [String] {
      let folder = files.path("")
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
      for name in ["deleted", "redacted", "kept"] {
        try await flows.start(id: FlowID(name), with: "input of \(name)", labels: ["person": "label of \(name)"])
        let claim = host.flow(FlowID(name))
        let question = try #require(try await claim.settled().questions.first?.id)
        try await claim.note("note on \(name)", by: Principal(id: "clerk of \(name)"))
        try await claim.answer(question, with: story(of: name), by: Principal(id: "author of \(name)"))
        _ = try await claim.settled()
      }
      try await host.flow("deleted").delete()
      try await host.flow("redacted").redact(reason: "asked for it")
      let gone = ["story", "input", "label", "note", "author"].flatMap { part in
        (part == "note" ? ["on"] : ["of"]).flatMap { word in
          ["deleted", "redacted"].map { "\(part) \(word) \($0)" }
        }
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
      #expect(try await host.list().flows.count == 3)
      try await host.shutDown()
      await store.close()
      let again = try await SQLiteFlowStore(file: files.path("flows.db"), clock: files.clock)
      #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.count == 3)
      await again.close()
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
