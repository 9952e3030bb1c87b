#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Foundation
  import RandomPrograms
  import Testing

  /// The time of each call with 1,000 waiting flows, and with a hundred and a thousand times as many. `.ci/long scale` runs
  /// it, and sets the greatest number.
  @Suite("Very many flows in PostgreSQL", .needsServer, .timeLimit(.minutes(240))) struct ScaleTests {
    private static let most = ProcessInfo.processInfo.environment["ACTORFLOW_FLOWS"].flatMap { Int($0) }
    private static let rounds = 201
    /// The questions of each person, and the flows with each label.
    private static let (perPerson, perTenant) = (20, 100)
    private static let due = 100

    private struct Approval: AssignedPrompt, Codable {
      typealias Answer = String
      static let promptName = "Approval"
      let person: String
      var assignees: [String] { [person] }
      var due: Date? { Date(timeIntervalSince1970: 0) }
    }

    private let flow = Flow<String, String>("order") {
      Step("approve") { (person: String, context: StepContext) in
        try await context.ask(Approval(person: person), within: .seconds(86_400)) ?? "late"
      }
      Step("confirm") { (text: String, context: StepContext) in
        try await context.ask(Approval(person: "nobody")) + text
      }
    }

    @Test(
      "with 1,000,000 waiting flows no call takes more than twice as long as with 1,000",
      .enabled(if: most != nil, "`.ci/long scale` sets ACTORFLOW_FLOWS"))
    func scale() async throws {
      let most = try #require(Self.most)
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema)
      var options = FlowHost.Options()
      options.keepHot = .zero
      let host = try FlowHost(store: store, clock: database.clock, options: options)
      let flows = try await host.register(flow)
      try await flows.start(id: Name.flow(0), with: Name.person(0), labels: ["tenant": Name.tenant(0)])
      _ = try await host.flow(Name.flow(0)).settled()
      try await host.emptied()
      var (filled, table): (Int, [(count: Int, times: [(call: String, time: Duration)])]) = (0, [])
      for count in [1_000, 100_000, 1_000_000] where count <= max(1_000, most) {
        try await fill(store, schema, from: filled + 1, to: count)
        filled = count
        table.append((count, try await measure(store, host, flows, database.clock, count)))
      }
      print(Self.text(table))
      for (index, first) in table[0].times.enumerated() {
        for (count, times) in table.dropFirst() {
          let (call, time) = times[index]
          #expect(time <= first.time * 2, "\(call) takes \(time) with \(count) flows, and \(first.time) with 1,000")
        }
      }
      await store.close()
    }

    private enum Name {
      static func flow(_ number: Int) -> FlowID { FlowID("flow-" + digits(number)) }
      static func person(_ number: Int) -> String { "person-" + digits(number / perPerson) }
      static func tenant(_ number: Int) -> String { "tenant-" + digits(number / perTenant) }
      private static func digits(_ number: Int) -> String { String("\(10_000_000 + number)".dropFirst()) }
    }

    /// Copies the first flow, with names of its own for each copy. The timers are a microsecond apart, but those of the
    /// first copies, which are due soon.
    private func fill(_ store: PostgreSQLFlowStore, _ schema: String, from first: Int, to last: Int) async throws {
      let template = try #require(try await store.load(Name.flow(0))).snapshot
      let connection = try RawConnection(TestServer.url ?? "")
      try connection.execute(
        """
        SET search_path = "\(schema)";
        CREATE TEMPORARY TABLE copies (n bigint, id text COLLATE "C", person text, tenant text, labels text, bytes bytea);
        """)
      for start in stride(from: first, through: last, by: 10_000) {
        let rows = (start...min(start + 9_999, last)).map { number in
          let (id, person, tenant) = (Name.flow(number).description, Name.person(number), Name.tenant(number))
          var snapshot = template
          snapshot.labels = ["tenant": tenant]
          for index in snapshot.tasks.indices {
            let question = snapshot.tasks[index].question
            snapshot.tasks[index].question = question.replacing(Name.flow(0).description, with: id)
            snapshot.tasks[index].assignees = [person]
          }
          let bytes = snapshot.encodedWithoutValues().reduce(into: "") {
            if $1 < 16 { $0 += "0" }
            $0 += String($1, radix: 16)
          }
          return "\(number)\t\(id)\t\(person)\t\(tenant)\t{\"tenant\":\"\(tenant)\"}\t\\\\x\(bytes)\n"
        }
        try connection.copy(rows.joined(), into: "copies")
      }
      func named(_ text: String) -> String {
        "replace(replace(\(text), 'flow-0000000', i.id), 'person-0000000', i.person)"
      }
      let later = "CASE WHEN i.n <= \(Self.due) THEN i.n - 86399000000 ELSE i.n END"
      try connection.execute(
        """
        INSERT INTO flows (id, revision, commit_id, changed_at, definition, version, status, rollback_failed, wake_at,
            steps, labels, tasks_digest, digest, snapshot, started_at)
          SELECT i.id, f.revision, f.commit_id, f.changed_at, f.definition, f.version, f.status, f.rollback_failed,
            f.wake_at + \(later), f.steps, i.labels, f.tasks_digest, sha256(i.bytes), i.bytes, f.started_at
          FROM flows f, copies i WHERE f.id = 'flow-0000000' ORDER BY i.n;
        CREATE TEMPORARY TABLE numbered AS SELECT t.number AS template, f.number, i.n, i.id, i.person, i.tenant
          FROM copies i JOIN flows f ON f.id = i.id CROSS JOIN (SELECT number FROM flows WHERE id = 'flow-0000000') t
          ORDER BY i.n;
        INSERT INTO flow_due SELECT i.number, i.id, d.definition, d.version, d.runnable, d.due_at + \(later)
          FROM numbered i JOIN flow_due d ON d.flow = i.template;
        INSERT INTO flow_labels SELECT l.key, i.tenant, i.number FROM numbered i JOIN flow_labels l ON l.flow = i.template;
        INSERT INTO flow_tasks (flow, question, place, step, prompt, asked_at, due_at, assignees)
          SELECT i.number, \(named("t.question")), t.place, t.step, t.prompt, t.asked_at + i.n, t.due_at + i.n,
            \(named("t.assignees")) FROM numbered i JOIN flow_tasks t ON t.flow = i.template;
        INSERT INTO flow_assignees (assignee, flow, question, place, asked_at, due_at)
          SELECT i.person, i.number, \(named("a.question")), a.place, a.asked_at + i.n, a.due_at + i.n
          FROM numbered i JOIN flow_assignees a ON a.flow = i.template;
        INSERT INTO flow_history (flow, sequence, at, what, step, principal, detail, change)
          SELECT i.number, h.sequence, h.at, h.what, h.step, h.principal, h.detail, h.change
          FROM numbered i JOIN flow_history h ON h.flow = i.template;
        """)
      for table in ["flows", "flow_due", "flow_labels", "flow_tasks", "flow_assignees", "flow_history"] {
        try connection.execute("VACUUM (ANALYZE) \"\(schema)\".\(table)")
      }
      try connection.execute("CHECKPOINT")
    }

    /// Returns the median time of each call.
    private func measure(
      _ store: PostgreSQLFlowStore, _ host: FlowHost, _ flows: RegisteredFlow<String, String>, _ clock: ManualWallClock,
      _ count: Int
    ) async throws -> [(call: String, time: Duration)] {
      var chance = Chance(seed: UInt64(count))
      let epoch = try await store.attach(owner: "measure", for: .seconds(100_000_000))
      let serving = ["order": 1...1]
      // Each round has a flow of its own, and none that is due.
      var fresh = Set<Int>()
      func next() -> Int {
        while true {
          let number = Self.due + 1 + chance.below(count - Self.due - Self.perPerson)
          if fresh.insert(number).inserted { return number }
        }
      }
      var times: [(call: String, time: Duration)] = []
      func time(_ call: String, rounds: Int = Self.rounds, _ body: (Int) async throws -> Void) async throws {
        for _ in 0..<5 { try await body(next()) }
        var all: [Duration] = []
        for _ in 0..<rounds {
          let number = next()
          all.append(try await ContinuousClock().measure { try await body(number) })
        }
        times.append((call, all.sorted()[rounds / 2]))
        fresh = call == "answer" ? fresh : []
      }
      try await time("load a flow") { number in
        let flow = try await store.load(Name.flow(number))
        #expect(flow != nil)
      }
      for order in [TaskQuery.Order.flow, .asked, .due] {
        try await time("inbox of a person, by \(order)") { number in
          let query = TaskQuery(assignees: [Name.person(number)], order: order)
          let page = try await store.tasks(query, after: nil, limit: 10)
          #expect(page.tasks.count >= 5)
        }
      }
      try await time("page of all questions, by due") { _ in
        let page = try await store.tasks(TaskQuery(order: .due), after: nil, limit: 20)
        #expect(page.tasks.count == 20)
      }
      try await time("questions of a person, counted") { number in
        let count = try await store.count(TaskQuery(assignees: [Name.person(number)]), upTo: 100)
        #expect(count >= 5)
      }
      try await time("flows with a label") { number in
        let query = FlowQuery(label: FlowQuery.Label("tenant", Name.tenant(number)))
        let page = try await store.list(query, after: nil, limit: 20)
        #expect(page.flows.count == 20)
      }
      try await time("page of waiting flows") { _ in
        let page = try await store.list(FlowQuery(status: [.waiting]), after: nil, limit: 20)
        #expect(page.flows.count == 20)
      }
      try await time("backlog, up to 1,000", rounds: 51) { _ in _ = try await host.backlog(limit: 1_000) }
      try await time("next timer") { _ in
        let due = try await store.nextDue(serving: serving)
        #expect(due != nil)
      }
      clock.advance(by: .seconds(2))
      try await time("claim 10 of 100 due flows, and release them") { _ in
        let claimed = try await store.claimDue(under: epoch, serving: serving, limit: 10)
        #expect(claimed.count == 10)
        for flow in claimed { try await store.release(flow.lease) }
      }
      try await store.detach(epoch)
      try await time("answer") { number in
        try await host.flow(Name.flow(number)).answer(Approval.self, with: "yes")
      }
      try await host.emptied()
      try await time("start") { number in
        let id = FlowID("new-\(count)-\(number)")
        try await flows.start(id: id, with: "eve", labels: ["tenant": "new"])
      }
      try await host.emptied()
      return times
    }

    private static func text(_ table: [(count: Int, times: [(call: String, time: Duration)])]) -> String {
      var lines = [
        "| median of \(rounds) calls, ms | " + table.map { "\($0.count)" }.joined(separator: " | ") + " | ratio |"
      ]
      lines.append("|---|" + String(repeating: "--:|", count: table.count + 1))
      for (index, first) in table[0].times.enumerated() {
        let times = table.map { $0.times[index].time }
        let ratio = (times.last ?? first.time) / first.time
        lines.append(
          "| \(first.call) | "
            + times.map { String(format: "%.2f", $0 / .milliseconds(1)) }.joined(separator: " | ")
            + String(format: " | %.2f |", ratio))
      }
      return lines.joined(separator: "\n")
    }
  }
#endif
