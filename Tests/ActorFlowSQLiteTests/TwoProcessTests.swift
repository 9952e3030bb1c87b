#if SQLite && os(Linux)
  import ActorFlow
  import ActorFlowHosting
  import ActorFlowSQLite
  import Foundation
  import Testing

  /// A question of a flow that two processes run.
  private struct Page: Prompt, Codable {
    typealias Answer = String
    static let promptName = "Page"
    let number: Int
  }

  /// A step that asks and then acts on the world once.
  private actor PageStep: FlowStep {
    let number: Int
    let effects: EffectLog

    init(_ number: Int, _ effects: EffectLog) {
      (self.number, self.effects) = (number, effects)
    }

    func proceed(_ input: String, context: StepContext) async throws -> String {
      let answer = try await context.ask(Page(number: number))
      return try await context.once("effect") { [effects] key in
        effects.append(key)
        return input + answer
      }
    }

    func backUp(context: RollbackContext) {}
  }

  /// The effects of all processes: a line for each, with the process and the idempotency key.
  private struct EffectLog: Sendable {
    let path: String

    func append(_ key: String) {
      let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
      defer { close(file) }
      let line = Array("\(getpid()) \(key)\n".utf8)
      let written = write(file, line, line.count)
      if written != line.count { Issue.record("the effect of the key \(key) was not logged") }
    }

    var lines: [(process: Int32, key: String)] {
      let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let process = Int32(parts[0]) else { return nil }
        return (process, String(parts[1]))
      }
    }
  }

  /// One process's store and host on the shared file.
  private struct HostProcess {
    let store: SQLiteFlowStore
    let host: FlowHost
    let orders: RegisteredFlow<String, String>

    init(folder: String, owner: String, isMortal: Bool) async throws {
      let effects = EffectLog(path: folder + "/effects")
      var storeOptions = SQLiteFlowStore.Options()
      storeOptions.busyTime = .seconds(600)
      store = try await SQLiteFlowStore(file: folder + "/flows.db", options: storeOptions)
      var options = FlowHost.Options()
      // The leases of the process that is killed must end soon; those of the other one must not, however late it beats.
      options.leaseTime = isMortal ? .seconds(2) : .seconds(600)
      host = try FlowHost(store: store, owner: owner, options: options)
      orders = try await host.register(
        Flow("order") {
          Step("first") { PageStep(1, effects) }
          Step("second") { PageStep(2, effects) }
        })
    }
  }

  @Suite("Two processes on one SQLite file", .timeLimit(.minutes(10)))
  struct TwoProcessTests {
    private static let folder = ProcessInfo.processInfo.environment["ACTORFLOW_SQLITE_CHILD"]

    /// Runs in the process that the next test starts, until it is killed.
    @Test("the process that is killed", .enabled(if: folder != nil))
    func child() async throws {
      let process = try await HostProcess(folder: try #require(Self.folder), owner: "child", isMortal: true)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await process.host.run() }
        for player in 0..<8 {
          group.addTask {
            for number in 0... {
              let id = FlowID("child-\(player)-\(number)")
              try await process.orders.start(id: id, with: "")
              _ = try? await process.host.flow(id).settled()
              // The other process may be faster.
              _ = try? await process.host.flow(id).answer(Page.self, with: "c")
            }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test("one of two hosts is killed: all flows end, each question is answered once, no finished effect is repeated")
    func killed() async throws {
      let files = try TestFiles()
      defer { files.remove() }
      let folder = try files.newFolder()
      let effects = EffectLog(path: folder + "/effects")
      let survivor = try await HostProcess(folder: folder, owner: "survivor", isMortal: false)
      let child = try Self.startChild(folder)
      defer { if child.isRunning { kill(child.processIdentifier, SIGKILL) } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await survivor.host.run() }
        for player in 0..<4 {
          group.addTask {
            for number in 0..<20 {
              try await survivor.orders.start(id: FlowID("survivor-\(player)-\(number)"), with: "")
            }
          }
        }
        repeat {
          #expect(child.isRunning, "the process ended by itself")
          try await Self.answerAll(on: survivor)
        } while child.isRunning && effects.lines.count { $0.process == child.processIdentifier } < 100
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        for _ in 0..<100 where try await Self.open(on: survivor) > 0 { try await Self.answerAll(on: survivor) }
        group.cancelAll()
        do { try await group.waitForAll() } catch is CancellationError {}
      }
      #expect(try await Self.open(on: survivor) == 0)
      try await Self.check(survivor)
      // An effect whose process died before its result was stored is repeated. No other one is.
      let all = effects.lines
      for (key, lines) in Dictionary(grouping: all, by: \.key) where lines.count > 1 {
        #expect(lines.count == 2 && lines[0].process == child.processIdentifier, "the effect \(key)")
      }
      await survivor.store.close()
    }

    private static func startChild(_ folder: String) throws -> Process {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["--testing-library", "swift-testing", "--filter", "TwoProcessTests/child"]
      child.environment = ProcessInfo.processInfo.environment.merging(["ACTORFLOW_SQLITE_CHILD": folder]) { $1 }
      child.standardOutput = FileHandle.nullDevice
      try child.run()
      return child
    }

    /// Answers the questions that are open at this moment.
    private static func answerAll(on process: HostProcess) async throws {
      let tasks = try await process.store.tasks(TaskQuery(), after: nil, limit: 1_000).tasks
      await withTaskGroup(of: Void.self) { group in
        for task in tasks {
          // The other process may have answered meanwhile, or die with the flow.
          group.addTask { _ = try? await process.host.flow(task.flow).answer(Page.self, with: "s") }
        }
      }
      for flow in try await openFlows(on: process).prefix(20) { _ = try await process.host.flow(flow).settled() }
    }

    private static func openFlows(on process: HostProcess) async throws -> [FlowID] {
      try await process.store.list(
        FlowQuery(status: [.runnable, .waiting, .suspended, .unmigrated]), after: nil, limit: 10_000
      ).flows.map(\.id)
    }

    private static func open(on process: HostProcess) async throws -> Int { try await openFlows(on: process).count }

    private static func check(_ process: HostProcess) async throws {
      let flows = try await process.store.list(FlowQuery(), after: nil, limit: 10_000).flows
      #expect(flows.count > 80)
      for flow in flows {
        #expect(flow.status == .finished, "\(flow.id)")
        let history = try await process.store.history(of: flow.id, after: 0, limit: 100)
        #expect(history.count { $0.what == "answered" } == 2, "\(flow.id)")
        #expect(history.map(\.sequence) == Array(1...history.count), "\(flow.id)")
      }
    }
  }
#endif
