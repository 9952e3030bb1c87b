#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowTesting
  import Testing

  @testable import ActorFlowPostgreSQL

  /// Flows that are changed in transactions with rows of the caller's.
  @Suite("Transactions in PostgreSQL", .needsServer, .timeLimit(.minutes(15)))
  struct TransactionTests {
    private struct Form: Prompt, Codable {
      typealias Answer = String
      static let promptName = "TransactionTests.Form"
      var text: String
    }

    private struct Boom: Error {}

    /// A database with a table of orders, a store, and a host that has the flow of the tests.
    private func withShop(_ body: (Shop) async throws -> Void) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      let shop = Shop(
        store: store, host: FlowHost(store: store, clock: database.clock, owner: "host"), database: database,
        orders: "\"\(try database.schema(of: store))\".orders")
      try RawConnection(database.url).execute("CREATE TABLE \(shop.orders) (id text PRIMARY KEY, city text)")
      try await body(shop)
      await store.close()
    }

    private struct Shop: Sendable {
      let store: PostgreSQLFlowStore
      let host: FlowHost
      let database: TestDatabase
      /// The name of the table.
      let orders: String

      /// The ids in the table, as another connection sees them.
      var rows: [String] {
        get throws { try RawConnection(database.url).texts("SELECT id FROM \(orders) ORDER BY id") }
      }

      /// A flow that asks, writes an order in a transaction, and asks again.
      func registered(at host: FlowHost? = nil) async throws -> RegisteredFlow<String, String> {
        try await (host ?? self.host).register(
          Flow("order") { [store, orders] in
            Step("pay") { (input: String, context: StepContext) in
              let answer = try await context.ask(Form(text: "first"))
              try await context.once("row", in: store) { transaction, _ in
                try await transaction.execute("INSERT INTO \(orders) VALUES ($1, $2)", [answer, nil])
              }
              return try await context.ask(Form(text: "second"))
            }
          })
      }

      func text(_ id: FlowID) async throws -> String? {
        try await host.flow(id).settled().questions.first?.prompt(as: Form.self).text
      }
    }

    @Test("an order and its flow are written together or not at all", arguments: [true, false])
    func start(commits: Bool) async throws {
      try await withShop { shop in
        let flows = try await shop.registered()
        do {
          try await shop.store.transaction { transaction in
            let rows = try await transaction.query(
              "INSERT INTO \(shop.orders) VALUES ($1, $2) RETURNING id, length(city)", ["o", "Zürich \" \\ ,{}"])
            #expect(rows == [["o", "14"]])
            // Labels and an id with all that could be mistaken in a statement.
            try await flows.start(
              id: "o'\"\\ü", with: "-",
              labels: ["a\"b\\": "{,}\n\"\u{301}'", "n": "NULL"], in: transaction)
            #expect(try await shop.store.load("o'\"\\ü") == nil)
            if !commits { throw Boom() }
          }
          #expect(commits)
        } catch is Boom {}
        #expect(try shop.rows == (commits ? ["o"] : []))
        let found = try await shop.store.load("o'\"\\ü")
        #expect((found != nil) == commits)
        guard commits else { return }
        #expect(try await shop.text("o'\"\\ü") == "first")
        let label = FlowQuery(label: .init("a\"b\\", "{,}\n\"\u{301}'"))
        #expect(try await shop.host.count(label) == 1)
        #expect(try await shop.host.flow("o'\"\\ü").history().count >= 2)
      }
    }

    @Test("the work of a step and its record are written together")
    func once() async throws {
      try await withShop { shop in
        let flows = try await shop.registered()
        try await flows.start(id: "o", with: "-")
        #expect(try await shop.text("o") == "first")
        try await shop.host.flow("o").answer(Form.self, with: "17")
        #expect(try await shop.text("o") == "second")
        #expect(try shop.rows == ["17"])
        try await shop.host.flow("o").answer(Form.self, with: "done")
        #expect(try await shop.host.flow("o").settled().status == .finished)
        // The same row again is refused by the table: the step fails, and nothing is recorded.
        try await flows.start(id: "p", with: "-")
        #expect(try await shop.text("p") == "first")
        try await shop.host.flow("p").answer(Form.self, with: "17")
        let view = try await shop.host.flow("p").settled()
        #expect(view.status == .suspended && view.failure?.contains("23505") == true)
        try RawConnection(shop.database.url).execute("DELETE FROM \(shop.orders)")
        try await shop.host.flow("p").retry()
        #expect(try await shop.text("p") == "second")
        #expect(try shop.rows == ["17"])
      }
    }

    @Test("a connection that breaks before or after COMMIT leaves no doubt", arguments: [true, false])
    func severed(afterwards: Bool) async throws {
      try await withShop { shop in
        try await shop.registered().start(id: "o", with: "-")
        #expect(try await shop.text("o") == "first")
        let question = try #require(try await shop.host.flow("o").view().questions.first?.id)
        let harness = shop.database.harness
        let error = await #expect(throws: FlowStoreError.self) {
          try await shop.store.transaction { transaction in
            try await transaction.execute("INSERT INTO \(shop.orders) VALUES ('x', NULL)")
            try await shop.host.flow("o").answer(question, with: "17", in: transaction)
            try await harness.sever?(shop.store, afterwards ? .afterTheWrite : .beforeTheWrite)
          }
        }
        #expect(error?.code == .outcomeUnknown || !afterwards)
        #expect(try shop.rows.contains("x") == afterwards)
        #expect(try await shop.text("o") == (afterwards ? "second" : "first"))
        #expect(try shop.rows == (afterwards ? ["17", "x"] : []))
      }
    }

    @Test("a transaction of another client is asked of the server, also after a savepoint", arguments: 0..<4)
    func joining(number: Int) async throws {
      try await withShop { shop in
        let flow = try await shop.registered().start(id: "o", with: "-")
        #expect(flow.status == .runnable)
        #expect(try await shop.text("o") == "first")
        var change: PendingChange?
        do {
          // The store's own transactions stand for a client's.
          try await shop.store.withTransaction { client in
            let transaction = shop.store.joining { try await client.query($0, $1) }
            try await client.execute("SAVEPOINT before")
            change = try await shop.host.flow("o").answer(Form.self, with: "17", in: transaction)
            if number == 1 { try await client.execute("ROLLBACK TO before") }
            if number == 2 { throw Boom() }
          }
        } catch is Boom {}
        if number == 3 { change = nil }
        let isCommitted = number == 0 || number == 3
        switch try await change?.settle() {
        case .committed: #expect(number == 0)
        case .rolledBack: #expect(number == 1 || number == 2)
        case nil: _ = try await shop.host.catchUp()
        }
        #expect(try await shop.text("o") == (isCommitted ? "second" : "first"))
        #expect(try shop.rows == (isCommitted ? ["17"] : []))
      }
    }

    @Test("many transactions at once wait for a connection, and each is whole")
    func many() async throws {
      try await withShop { shop in
        let flows = try await shop.registered()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<24 {
            group.addTask {
              do {
                try await shop.store.transaction { transaction in
                  try await transaction.execute("INSERT INTO \(shop.orders) VALUES ($1, NULL)", ["o\(number)"])
                  try await flows.start(id: FlowID("o\(number)"), with: "-", in: transaction)
                  if number % 3 == 0 { throw Boom() }
                }
              } catch is Boom {}
            }
          }
          try await group.waitForAll()
        }
        let ids = try await shop.host.list(FlowQuery()).flows.map(\.id.description)
        #expect(Set(ids) == Set(try shop.rows) && ids.count == 16)
      }
    }
  }
#endif
