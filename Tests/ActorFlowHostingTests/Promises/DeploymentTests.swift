import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosts of several deployments, and one store, as after a copy.
@Suite("Deployments of stores", .timeLimit(.minutes(15))) struct DeploymentTests {
  private let store = MemoryFlowStore()
  private let log = Log()

  private func host(
    _ deployment: String?, on store: (any FlowStore)? = nil
  ) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.deployment = deployment
    let host = try FlowHost(store: store ?? self.store, owner: deployment ?? "none", options: options)
    let flow = Flow<String, String>("order") {
      Step("ask") { Asker(log) }
      Step("pay") { [log] (input: String, context: StepContext) in
        try await context.once("charge") { log.add($0) }
        return input
      }
    }
    return (host, try await host.register(flow))
  }

  @Test("a host of another deployment, or of none, runs nothing of the store, and may look at everything")
  func copied() async throws {
    let (production, orders) = try await host("production")
    try await orders.start(id: "1", with: "-")
    let question = try #require(try await production.flow("1").settled().questions.first?.id)
    for name in ["staging", nil] {
      let (staging, copies) = try await host(name)
      let flow = staging.flow("1")
      #expect(await code { try await flow.answer(question, with: "a") } == .wrongDeployment)
      #expect(await code { try await flow.abandon() } == .wrongDeployment)
      #expect(await code { try await flow.delete() } == .wrongDeployment)
      #expect(await code { try await copies.start(id: "2", with: "-") } == .wrongDeployment)
      #expect(await code { try await staging.catchUp() } == .wrongDeployment)
      #expect(try await flow.view().status == .waiting)
      #expect(try await staging.list().flows.map(\.id) == ["1"])
      #expect(try await flow.history().isEmpty == false)
      #expect(try await staging.plan().counts.stay == 1)
      let error = await #expect(throws: FlowError.self) { try await staging.run() }
      #expect(error?.code == .wrongDeployment && error?.message.contains("\"production\"") == true)
    }
    #expect(log.all == ["made"])
    try await production.flow("1").answer(question, with: "a")
    #expect(try await production.flow("1").settled().status == .finished)
  }

  @Test("a host that adopts the store runs its flows, under their own keys; then the first deployment is refused")
  func adopted() async throws {
    let (production, orders) = try await host("production")
    try await orders.start(id: "1", with: "-")
    _ = try await production.flow("1").settled()
    let (restored, _) = try await host("restored")
    #expect(await code { try await restored.catchUp() } == .wrongDeployment)
    try await restored.adoptStore()
    try await restored.answerNext("1", "\"a\"")
    #expect(try await restored.flow("1").view().status == .finished)
    let (late, _) = try await host("production")
    #expect(await code { try await late.run() } == .wrongDeployment)
    let (nameless, _) = try await host(nil)
    try await nameless.adoptStore()
    try await host("next").0.catchUp()
  }

  @Test("many hosts that start at once on a new store: those of one deployment win")
  func race() async throws {
    let results = await withTaskGroup(of: String?.self) { group in
      for number in 0..<40 {
        group.addTask {
          let name = "d\(number % 4)"
          let catching = try? await host(name).0.catchUp()
          return catching == nil ? nil : name
        }
      }
      return await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }
    }
    #expect(Set(results).count == 1 && results.count == 10)
  }

  @Test("a store that does not answer at the start is asked again, and each host asks once")
  func unavailable() async throws {
    let faulty = FaultyStore(store, at: 1, of: .note, .fail(.unavailable))
    let (host, orders) = try await host("production", on: faulty)
    await #expect { try await orders.start(id: "1", with: "-") } throws: { error in
      (error as? FlowStoreError)?.code == .unavailable
    }
    try await orders.start(id: "1", with: "-")
    try await host.answerNext("1", "\"a\"")
    #expect(faulty.count(of: .note) == 3 && faulty.count(of: .setNote) == 1)
  }

  @Test("a name that is empty or too long is refused", arguments: ["", String(repeating: "x", count: 257)])
  func invalid(_ name: String) async throws {
    let error = await #expect(throws: FlowError.self) { try await host(name) }
    #expect(error?.code == .badOptions && error?.message.contains("deployment") == true)
  }
}
