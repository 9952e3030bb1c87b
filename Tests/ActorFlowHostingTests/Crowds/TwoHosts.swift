import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Two hosts on one store with many flows. Each flow has a player that brings it to its end through either host, chosen
/// at random.
final class TwoHosts: Sendable {
  struct Host: Sendable {
    let host: FlowHost
    let flows: RegisteredFlow<String, String>
    let store: FaultyStore<MemoryFlowStore>
  }

  let clock = ManualWallClock()
  let store: MemoryFlowStore
  let world = World()
  /// Passed for each acknowledged answer.
  let answered = Gate()
  private let chance: Chance
  private let hosts = Lock<[Host]>([])
  private let acknowledged = Lock<[FlowID: [String]]>([:])

  static let outcome = "-[1][c1][d1][2]"

  init(seed: UInt64) async throws {
    store = MemoryFlowStore(clock: clock)
    chance = Chance(seed: seed)
    for index in 0...1 { try await begin(index) }
  }

  private var flow: Flow<String, String> {
    Flow("order") {
      Step("first") { [world] (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: "1"))
        let charge = try await context.once("charge") { world.perform("charge \(context.flow)", $0) }
        return input + "[\(answer)][c\(charge)]"
      }
      Step("second") { [world] (input: String, context: StepContext) in
        let dispatch = try await context.once("dispatch") { world.perform("dispatch \(context.flow)", $0) }
        return input + "[d\(dispatch)][\(try await context.ask(Form(text: "2")))]"
      }
    }
  }

  /// Starts a host, or starts it again under its old name. Leases are measured by the store's clock, which a test
  /// moves; a host that waits for a lease waits by the system clock.
  func begin(_ index: Int) async throws {
    let store = FaultyStore(store)
    let host = FlowHost(store: store, owner: "host \(index)")
    let begun = Host(host: host, flows: try await host.register(flow), store: store)
    hosts.withLock { hosts in
      if index < hosts.count { hosts[index] = begun } else { hosts.append(begun) }
    }
  }

  subscript(index: Int) -> Host { hosts.withLock { $0[index] } }

  /// The flows that are leased to this host.
  func held(by index: Int) -> [FlowID] { store.state.withLock { $0.leases.flows(of: "host \(index)") } }

  /// Plays a flow to its end. A host that is disconnected or has lost the flow reports it, and the player tries again.
  func play(_ id: FlowID) async throws {
    var turns = 0
    while true {
      turns += 1
      try #require(turns < 10_000, "\(id) does not end")
      await Task.yield()
      let host = self[chance.below(2)]
      do {
        try await host.flows.start(id: id, with: "-")
        let view = try await host.host.flow(id).settled()
        if case .finished(let output) = try await host.flows.outcome(of: id) {
          #expect(output == Self.outcome)
          return
        }
        guard let question = view.questions.first else { continue }
        let (text, key) = (try question.prompt(as: Form.self).text, question.id.description)
        try await host.host.flow(id).answer(question.id, with: text, key: key)
        acknowledged.withLock { $0[id, default: []].append(question.id.debugDescription) }
        answered.mark()
      } catch let error as FlowStoreError {
        let expected: Set<FlowStoreError.Code> = [.unavailable, .fenced, .conflict, .leased]
        try #require(expected.contains(error.code), "\(id): \(error)")
      } catch is CancellationError {}
    }
  }

  /// Checks that nothing was done twice and that no acknowledged answer is missing.
  func expectWhole(_ id: FlowID) async throws {
    let history = try await store.history(of: id, after: 0, limit: 1_000)
    try #require(history.map(\.sequence) == Array(1..<history.count + 1), "\(id)")
    let recorded = history.filter { $0.what == "answered" }.compactMap(\.detail)
    #expect(recorded.count == 2 && Set(recorded).count == 2, "\(id)")
    #expect(Set(acknowledged.withLock { $0[id] ?? [] }).isSubset(of: recorded), "\(id)")
    #expect(history.filter { $0.what == "finished" }.count == 1, "\(id)")
  }
}
