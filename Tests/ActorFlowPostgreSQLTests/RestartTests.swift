#if PostgreSQL && os(Linux)
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowPostgreSQL
  import ActorFlowTesting
  import Foundation
  import Synchronization
  import Testing

  /// The script that acts on the server.
  private enum Server {
    /// The script and the folder, with a space between.
    static let control = ProcessInfo.processInfo.environment["ACTORFLOW_POSTGRESQL_CONTROL"]

    static func act(_ action: String) throws {
      let parts = try #require(control).split(separator: " ").map(String.init)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: parts[0])
      process.arguments = [action] + parts.dropFirst()
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "the server could not be moved: \(action)")
    }
  }

  /// Starts and stops the server, which other tests cannot use meanwhile: so these run alone.
  @Suite(
    "The server is restarted", .needsServer, .enabled(if: Server.control != nil), .serialized, .timeLimit(.minutes(10)))
  struct RestartTests {
    private static let snapshot = FlowSnapshot(definition: "check", version: 1, status: .runnable)

    @Test("a store says that its server is away, and goes on when it is back")
    func away() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema())
      _ = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: .none))
      try Server.act("down")
      for call in [
        { _ = try await store.load("flow") },
        { _ = try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: Revision(1))) },
      ] {
        let error = await #expect(throws: FlowStoreError.self) { try await call() }
        #expect(error?.code == .unavailable && error?.message.contains("there is no connection") == true)
      }
      try Server.act("up")
      #expect(try await store.load("flow")?.revision == Revision(1))
      #expect(
        try await store.commit(FlowWrite(Self.snapshot, to: "flow", expecting: Revision(1))).revision == Revision(2))
      await store.close()
    }

    @Test(
      "a kill of the server loses nothing that was acknowledged",
      arguments: FlowStoreConformance.all.filter {
        $0.needs.contains(.crashing) && !$0.needs.contains(.holdingSyncs)
      })
    func crashing(_ check: FlowStoreConformance.Check) async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let close = database.harness.close
      var harness = database.harness
      harness.crash = { store in
        try Server.act("down")
        // While the server is away, so that the old store writes nothing more.
        try await close?(store)
        try Server.act("up")
        return try await database.open(database.schema(of: store))
      }
      let result = try await check.run(on: harness)
      if case .skipped(let reason) = result { Issue.record("\(reason)") }
    }

    @Test("a store hears of another one's flows again after the server was killed")
    func listening() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let (reader, writer) = (try await database.open(schema), try await database.open(schema))
      let changes = try #require(reader.changes)
      for round in 0..<2 {
        if round == 1 { try Server.act("restart") }
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await case .due(let id, _, _) in changes where id.description.hasPrefix("round \(round)") { return }
          }
          group.addTask {
            // A notification may be lost, but not all of them.
            var number = 0
            while !Task.isCancelled {
              number += 1
              try await Self.settle(
                FlowWrite(Self.snapshot, to: FlowID("round \(round) \(number)"), expecting: .none), on: writer)
            }
          }
          try await group.next()
          group.cancelAll()
        }
      }
      await reader.close()
      await writer.close()
    }

    /// The commits of all writers, and whether they stop.
    private final class Progress: Sendable {
      let isOver = Mutex(false)
      let count = Mutex(0)
    }

    /// A writer's flow, and the number of commits that it knows of.
    private struct Written: Sendable {
      let id: FlowID
      var commits = 0
    }

    @Test("no commit is lost or done twice while the server is killed twice")
    func killed() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let store = try await database.open(database.newSchema()) { $0.connections = 8 }
      let progress = Progress()
      let written = try await withThrowingTaskGroup(of: Written?.self) { group in
        for number in 0..<16 {
          group.addTask {
            var written = Written(id: FlowID("flow \(number)"))
            while !progress.isOver.withLock({ $0 }) {
              let write = FlowWrite(
                Self.snapshot, to: written.id, expecting: Revision(written.commits),
                appending: [
                  HistoryEntry(
                    sequence: written.commits + 1, at: database.clock.now, what: "written", step: nil, by: nil,
                    detail: nil)
                ])
              try await Self.settle(write, on: store)
              written.commits += 1
              progress.count.withLock { $0 += 1 }
            }
            return written
          }
        }
        group.addTask {
          for goal in [500, 1_500, 2_500] {
            while progress.count.withLock({ $0 }) < goal { await Task.yield() }
            if goal < 2_500 { try Server.act("restart") }
          }
          progress.isOver.withLock { $0 = true }
          return nil
        }
        return try await group.reduce(into: [Written]()) { all, one in if let one { all.append(one) } }
      }
      #expect(written.count == 16)
      for flow in written {
        #expect(try await store.load(flow.id)?.revision == Revision(flow.commits), "\(flow.id)")
        let history = try await store.history(of: flow.id, after: 0, limit: .max)
        #expect(history.map(\.sequence) == Array(1...flow.commits), "\(flow.id)")
      }
      await store.close()
    }

    /// Repeats a write with its id until it is known to be done.
    private static func settle(_ write: FlowWrite, on store: PostgreSQLFlowStore) async throws {
      while true {
        do {
          _ = try await store.commit(write)
          return
        } catch let error as FlowStoreError where [.unavailable, .outcomeUnknown].contains(error.code) {
          await Task.yield()
        }
      }
    }

    @Test("two hosts end all flows while the server is killed twice, and each question is answered once")
    func hosts() async throws {
      let database = try TestDatabase()
      defer { database.remove() }
      let schema = database.newSchema()
      let effects = EffectLog(schema)
      defer { try? FileManager.default.removeItem(atPath: effects.path) }
      let ann = try await HostProcess(schema, owner: "ann", isMortal: true)
      let bob = try await HostProcess(schema, owner: "bob", isMortal: true)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for process in [ann, bob] { group.addTask { try await process.host.run() } }
        for number in 0..<60 {
          try await (number.isMultiple(of: 2) ? ann : bob).orders.start(id: FlowID("order \(number)"), with: "")
        }
        for goal in [20, 60] {
          while effects.lines.count < goal { await Self.answerAll(ann, bob) }
          // The load goes on during the restart.
          async let answering: Void = Self.answerAll(ann, bob)
          try Server.act("restart")
          await answering
        }
        // A flow whose host lost the server may have to wait for the end of an epoch.
        let end = ContinuousClock.now.advanced(by: .seconds(120))
        while await Self.open(on: ann) > 0, ContinuousClock.now < end {
          await Self.answerAll(bob, ann)
          await Task.yield()
        }
        group.cancelAll()
        do { try await group.waitForAll() } catch is CancellationError {}
      }
      let flows = try await ann.store.list(FlowQuery(), after: nil, limit: 1_000).flows
      #expect(flows.count == 60)
      for flow in flows {
        #expect(flow.status == .finished, "\(flow.id) is \(flow.status)")
        let history = try await ann.store.history(of: flow.id, after: 0, limit: 100)
        #expect(history.count { $0.what == "answered" } == 2, "\(flow.id)")
      }
      await ann.store.close()
      await bob.store.close()
    }

    /// Answers the questions that are open at this moment, some on each host. Calls may fail while the server is away.
    private static func answerAll(_ hosts: HostProcess...) async {
      guard let tasks = try? await hosts[0].store.tasks(TaskQuery(), after: nil, limit: 1_000).tasks else { return }
      await withTaskGroup(of: Void.self) { group in
        for (number, task) in tasks.enumerated() {
          group.addTask {
            let host = hosts[number % hosts.count].host
            _ = try? await host.flow(task.flow).answer(Page.self, with: "s")
          }
        }
      }
    }

    /// The number of flows that have not ended; 1 if nobody can tell.
    private static func open(on process: HostProcess) async -> Int {
      let query = FlowQuery(status: [.runnable, .waiting, .suspended, .unmigrated])
      return (try? await process.store.list(query, after: nil, limit: 1_000).flows.count) ?? 1
    }
  }
#endif
