#if PostgreSQL
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import Foundation
  import RandomPrograms
  import Testing

  /// Many hosts on one server, which share the connections of one process: what they ask while nothing happens, and how
  /// long an answer takes. `.ci/long scale` runs it, and sets the number of hosts.
  @Suite("Many hosts in PostgreSQL", .needsServer, .serialized, .timeLimit(.minutes(60))) struct ManyHostsTests {
    private static let most = ProcessInfo.processInfo.environment["ACTORFLOW_HOSTS"].flatMap { Int($0) }

    private struct Page: Prompt, Codable {
      typealias Answer = String
      static let promptName = "Page"
    }

    private let flow = Flow<String, String>("pages") {
      Step("first") { (_: String, context: StepContext) in try await context.ask(Page()) }
      Step("second") { (_: String, context: StepContext) in try await context.ask(Page()) }
    }

    @Test(
      "100 hosts share the connections of one process",
      .enabled(if: most != nil, "`.ci/long scale` sets ACTORFLOW_HOSTS"))
    func hosts() async throws {
      let most = try #require(Self.most)
      print(
        "| hosts | clients | transactions per second, idle | answers per second | median, ms | of 100 the slowest, ms |"
      )
      print("|--:|--:|--:|--:|--:|--:|")
      for hosts in [1, 10, 100] where hosts <= most {
        for clients in [1, 16, 128] { print(try await row(hosts: hosts, clients: clients)) }
      }
    }

    @Test(
      "a host that has a flow in memory hands it to another one within 50 ms, without a poll",
      .enabled(if: most != nil, "`.ci/long scale` sets ACTORFLOW_HOSTS"))
    func wish() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      var options = FlowHost.Options()
      (options.keepHot, options.pollInterval) = (.seconds(3_600), .seconds(600))
      var hosts: [FlowHost] = []
      var flows: [RegisteredFlow<Int, Int>] = []
      let stores = [
        try await database.open(schema, clock: .system), try await database.open(schema, clock: .system),
      ]
      let loop = Flow<Int, Int>("pages") {
        for number in 0..<101 {
          Step("page \(number)") { (count: Int, context: StepContext) in
            _ = try await context.ask(Page())
            return count + 1
          }
        }
      }
      for store in stores {
        let host = try FlowHost(store: store, owner: "host-\(hosts.count)", options: options)
        hosts.append(host)
        flows.append(try await host.register(loop))
      }
      let times = try await withThrowingTaskGroup(of: Void.self) { group in
        for host in hosts { group.addTask { try await host.run() } }
        defer { group.cancelAll() }
        try await flows[0].start(id: "flow", with: 0)
        var times: [Duration] = []
        for number in 1...100 {
          _ = try await hosts[(number + 1) % 2].flow("flow").settled(within: .seconds(60))
          let host = hosts[number % 2]
          times.append(
            try await ContinuousClock().measure { try await host.flow("flow").answer(Page.self, with: "yes") })
        }
        return times.sorted()
      }
      print("an answer at a host for a flow that another host has in memory: \(times[50]) at the median, \(times[98])")
      #expect(times[50] <= .milliseconds(50))
      for store in stores { await store.close() }
    }

    private func row(hosts count: Int, clients: Int) async throws -> String {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let store = try await database.open(schema, clock: .system) { $0.connections = 8 }
      var hosts: [FlowHost] = []
      var flows: [RegisteredFlow<String, String>] = []
      for number in 0..<count {
        let host = FlowHost(store: store, owner: "host-\(number)")
        hosts.append(host)
        flows.append(try await host.register(flow))
      }
      let answers = 1_024
      let connection = try RawConnection(database.url)
      func transactions() throws -> Int {
        try connection.texts("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
          .first.flatMap { Int($0) } ?? 0
      }
      let running = hosts
      let (idle, times, all) = try await withThrowingTaskGroup(of: Void.self) { group in
        for host in running { group.addTask { try await host.run() } }
        defer { group.cancelAll() }
        for number in 0..<answers { try await flows[0].start(id: FlowID("flow-\(number)"), with: "text") }
        for host in running { try await host.emptied() }
        // A session of the server counts its transactions within ten seconds.
        try await SystemWallClock().sleep(until: Date(timeIntervalSinceNow: 11))
        let before = try transactions()
        try await SystemWallClock().sleep(until: Date(timeIntervalSinceNow: 30))
        let idle = Double(try transactions() - before) / 30
        var chance = Chance(seed: 7)
        let places = (0..<answers).map { _ in running[chance.below(count)] }
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Duration].self) { answering in
          for client in 0..<clients {
            answering.addTask {
              var times: [Duration] = []
              for number in stride(from: client, to: answers, by: clients) {
                times.append(
                  try await ContinuousClock().measure {
                    try await places[number].flow(FlowID("flow-\(number)")).answer(Page.self, with: "yes")
                  })
              }
              return times
            }
          }
          return try await answering.reduce(into: []) { $0 += $1 }.sorted()
        }
        return (idle, times, ContinuousClock.now - start)
      }
      await store.close()
      return String(
        format: "| %d | %d | %.1f | %.0f | %.1f | %.1f |", count, clients, idle,
        Double(answers) / (all / .seconds(1)), times[answers / 2] / .milliseconds(1),
        times[answers * 99 / 100] / .milliseconds(1))
    }
  }
#endif
