import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Three hosts, whose stores lose replies and refuse writes, and several answerers for each flow: commits that release
/// race with everybody who wants the flow.
@Suite("Commits that release, under attack", .timeLimit(.minutes(15))) struct ReleasingAttackTests {
  private final class Hosts: Sendable {
    let store = MemoryFlowStore()
    let chance: Chance
    let hosts: [FlowHost]
    let faulty: [FaultyStore<MemoryFlowStore>]
    private let acknowledged = Lock<[FlowID: [String]]>([:])
    private let registered = Lock<[RegisteredFlow<String, String>]>([])

    init(seed: UInt64) throws {
      let chance = Chance(seed: seed)
      let store = store
      self.chance = chance
      faulty = (0..<3).map { _ in
        FaultyStore(store) { call in
          guard call.operation == .commit || call.operation == .acquire else { return nil }
          switch chance.below(20) {
          case 0, 1: return .loseAcknowledgement
          case 2: return .fail(.unavailable)
          default: return nil
          }
        }
      }
      hosts = faulty.enumerated().map { FlowHost(store: $1, owner: "host \($0)") }
    }

    private var flow: Flow<String, String> {
      Flow("order") {
        Ask("a") { (text: String) in Form(text: text) }
        Ask("b") { (text: String) in Form(text: text) }
        Step("c") { Asker() }
        Parallel {
          Ask("d") { (text: String) in Form(text: text) }
          Ask("e") { (text: String) in Form(text: text) }
        } join: {
          "\($0)\($1)"
        }
        Ask("f") { (text: String) in Form(text: text) }
      }
    }

    func register() async throws {
      for host in hosts {
        let flows = try await host.register(flow)
        registered.withLock { $0.append(flows) }
      }
    }

    /// Returns `nil` if the flow could not be started.
    func start(_ id: FlowID) async throws -> FlowView? {
      let flows = registered.withLock { $0[chance.below(hosts.count)] }
      return try await tolerating(id) { try await flows.start(id: id, with: "-") }
    }

    /// Answers whatever is open, at any host, until the flow has ended.
    func play(_ id: FlowID) async throws {
      var turns = 0
      while true {
        turns += 1
        try #require(turns < 10_000, "\(id) does not end")
        await Task.yield()
        let host = hosts[chance.below(hosts.count)]
        let hasEnded = try await tolerating(id) {
          let view = try await host.flow(id).settled()
          if view.status == .finished { return true }
          guard let question = view.questions.randomElement() else { return false }
          let key = question.id.description
          try await host.flow(id).answer(question.id, json: "\"x\"".utf8, key: key)
          self.acknowledged.withLock { $0[id, default: []].append(question.id.debugDescription) }
          return false
        }
        if hasEnded == true { return }
      }
    }

    /// Runs `body`; returns `nil` after an error that a caller has to expect here.
    func tolerating<Value>(_ id: FlowID, _ body: () async throws -> Value) async throws -> Value? {
      do { return try await body() } catch let error as FlowStoreError {
        let expected: Set<FlowStoreError.Code> = [.unavailable, .fenced, .conflict, .leased, .outcomeUnknown]
        try #require(expected.contains(error.code), "\(id): \(error)")
      } catch let error as FlowError {
        // Another answerer was first, under the same key or at the end of the flow.
        let expected: Set<FlowError.Code> = [.questionClosed, .noSuchQuestion, .flowEnded, .keyReused]
        try #require(expected.contains(error.code), "\(id): \(error)")
      }
      return nil
    }

    /// Checks that every question was answered once and that no acknowledged answer is missing.
    func expectWhole(_ id: FlowID) async throws {
      let history = try await store.history(of: id, after: 0, limit: 1_000)
      try #require(history.map(\.sequence) == Array(1..<history.count + 1), "\(id)")
      let recorded = history.filter { $0.what == "answered" }.compactMap(\.detail)
      #expect(recorded.count == 6 && Set(recorded).count == 6, "\(id)")
      #expect(Set(acknowledged.withLock { $0[id] ?? [] }).isSubset(of: recorded), "\(id)")
      #expect(history.filter { $0.what == "finished" }.count == 1, "\(id)")
    }
  }

  /// `ACTORFLOW_SEED` plays another sequence.
  @Test("three hosts that lose replies: each question is answered once, each flow ends, and no lease is left")
  func attack() async throws {
    let seed = Chance.seed
    let hosts = try Hosts(seed: seed)
    try await hosts.register()
    #if THREAD_SANITIZER
      let count = 20
    #else
      let count = 100
    #endif
    let ids = (0..<count).map { FlowID("order-\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids {
        group.addTask {
          while try await hosts.start(id) == nil { await Task.yield() }
          try await withThrowingTaskGroup(of: Void.self) { players in
            for _ in 0..<3 { players.addTask { try await hosts.play(id) } }
            try await players.waitForAll()
          }
        }
      }
      try await group.waitForAll()
    }
    for id in ids { try await hosts.expectWhole(id) }
    for host in hosts.hosts { await host.isQuiet() }
    for store in hosts.faulty { store.plan { _ in nil } }
    // A lease whose reply was lost is found by a comparison.
    for host in hosts.hosts { await host.giveBack(try await host.lease(of: "nobody")?.lease) }
    for index in 0..<3 {
      #expect(hosts.store.state.withLock { $0.leases.flows(of: "host \(index)") } == [], "seed \(seed)")
    }
    let commits = hosts.faulty.reduce(0) { $0 + $1.count(of: .commit) }
    let releases = hosts.faulty.reduce(0) { $0 + $1.count(of: .release) }
    #expect(releases < commits, "some commits have released")
  }
}
