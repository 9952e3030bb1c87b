#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Foundation
  import Testing

  /// An audit of every byte that the tables, their indexes and their values apart have on the disk of the server.
  @Suite("Erasing in PostgreSQL", .needsServer, .timeLimit(.minutes(15))) struct ErasingTests {
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

    /// The marks that are found in any file of the schema.
    private func marks(_ marks: [String], in schema: String, _ connection: borrowing RawConnection) throws -> [String] {
      // What is in memory only is written first.
      try connection.execute("CHECKPOINT")
      return try marks.filter { mark in
        let found = try connection.texts(
          """
          WITH tables AS (
            SELECT c.oid, c.reltoastrelid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname = '\(schema)' AND c.relkind IN ('r', 'i')
          ), files AS (
            SELECT oid FROM tables UNION SELECT reltoastrelid FROM tables WHERE reltoastrelid <> 0
          )
          SELECT oid::regclass::text FROM files WHERE pg_relation_filepath(oid) IS NOT NULL
            AND position(convert_to('\(mark)', 'UTF8') IN pg_read_binary_file(pg_relation_filepath(oid))) > 0
          """)
        return !found.isEmpty
      }
    }

    @Test("once the documented tables are rewritten, no byte of a deleted flow and none of what was redacted is left")
    func audit() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      let host = FlowHost(store: store, clock: database.clock)
      let flows = try await host.register(flow)
      let redacted = ["redacted", "abandoned", "edited"]
      for name in ["deleted", "kept"] + redacted {
        let (clerk, author) = (Principal(id: "clerk of \(name)"), Principal(id: "author of \(name)"))
        try await flows.start(id: FlowID(name), with: "input of \(name)", labels: ["person": "label of \(name)"])
        let claim = host.flow(FlowID(name))
        let question = try #require(try await claim.settled().questions.first?.id)
        try await claim.note("note on \(name)", by: clerk)
        if name == "edited" {
          let better = Move.input(of: "describe") { (text: String) in "better \(text)" }
          try await claim.edit([better], reason: "reason of \(name)", by: clerk)
        }
        if name == "abandoned" {
          try await claim.abandon(reason: "reason of \(name)", by: author)
        } else {
          try await claim.answer(question, with: "story of \(name)", by: author)
        }
        _ = try await claim.settled()
      }
      try await host.flow("deleted").delete()
      for name in redacted { try await host.flow(FlowID(name)).redact(reason: "asked for it") }
      let gone = ["story of", "input of", "label of", "note on", "author of", "reason of"].flatMap { part in
        (["deleted"] + redacted).map { "\(part) \($0)" }
      }
      let connection = try RawConnection(database.url)
      #expect(!(try marks(gone, in: schema, connection)).isEmpty, "without a rewrite, bytes are left")
      // A transaction of another test that began before the deletion may still see what was deleted.
      var (left, attempts) = (gone, 0)
      while !left.isEmpty, attempts < 200 {
        for table in [
          "flows", "flow_values", "flow_history", "flow_labels", "flow_tasks", "flow_assignees", "flow_due",
          "flow_notes",
        ] { try connection.execute("VACUUM FULL \"\(schema)\".\(table)") }
        left = try marks(gone, in: schema, connection)
        attempts += 1
      }
      #expect(left == [])
      #expect(try marks(["story of kept", "label of kept", "author of kept"], in: schema, connection).count == 3)
      #expect(try await flows.outcome(of: "kept") == .finished("filed story of kept"))
      #expect(try await host.flow("redacted").history().contains { $0.what == "redacted" })
      try await host.shutDown()
      await store.close()
    }
  }
#endif
