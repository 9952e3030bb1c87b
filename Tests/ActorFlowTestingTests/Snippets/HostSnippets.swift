import ActorFlow
import ActorFlowTesting
import Testing

/// The code block of ``HostTester``, as a test.
@Suite struct HostSnippets {
  private let contract = Flow<String, String>("contract") {
    Step("signature") { (draft: String, context: StepContext) in
      let isSigned = try await context.ask(ContractForm(draft: draft), within: .seconds(4 * 86_400))
      return isSigned == true ? "signed" : "not signed"
    }
  }
  private let draft = "a lease"

  nonisolated(nonsending) func sign(_ id: FlowID, with tester: HostTester) async throws {
    try await tester.answer(ContractForm.self, of: id, with: true)
  }

  nonisolated(nonsending) func refusal(
    of request: nonisolated(nonsending) () async throws -> Void
  ) async -> FlowError.Code? {
    do { try await request() } catch { return (error as? FlowError)?.code }
    return nil
  }

  @Test("a helper takes a closure that has a tester, and runs it where the test runs")
  func closure() async throws {
    try await testHost { tester in
      let contracts = try await tester.deploy(contract)
      try await contracts.start(id: "c-3", with: draft)
      #expect(await refusal { try await tester.backUp("c-3") } == .cannotBackUp)
      try await sign("c-3", with: tester)
      #expect(await refusal { _ = try await contracts.finish("c-3") } == nil)
    }
  }

  @Test("a helper drives a hosted flow where the test does")
  func helper() async throws {
    try await testHost { tester in
      let contracts = try await tester.deploy(contract)
      try await contracts.start(id: "c-2", with: draft)
      try await sign("c-2", with: tester)
      #expect(try await contracts.finish("c-2") == "signed")
    }
  }

  @Test("a host that crashes is replaced by another, when its leases are over")
  func severalHosts() async throws {
    try await testHost { tester in
      let contracts = try await tester.deploy(contract)
      try await tester.addHost("B")
      try await tester.on("tester") { try await contracts.start(id: "c-4", with: draft) }
      try await tester.crash("tester")
      try await tester.advance(by: .seconds(30))
      try await tester.answer(ContractForm.self, of: "c-4", with: true)
      #expect(try await contracts.finish("c-4") == "signed")
    }
  }

  @Test("a new release is deployed to one host, while a step hangs on the other")
  func release() async throws {
    let gate = Gate()
    let slow = Flow<Void, Void>("archive") { Step("upload") { (_: Void, _: StepContext) in await gate.pass() } }
    try await testHost { tester in
      let archive = try await tester.deploy(slow)
      try await tester.addHost("B")
      tester.leaveExecuting("a-1")
      try await tester.on("tester") { try await archive.start(id: "a-1") }
      let release = try await tester.on("B") { try await tester.deploy(contract, version: 2) }
      try await release.start(id: "c-5", with: draft)
      try await tester.on("B") { try await sign("c-5", with: tester) }
      #expect(try await release.finish("c-5") == "signed")
      gate.open()
      try await tester.awaitSteps(of: "a-1")
      try await archive.finish("a-1")
    }
  }

  @Test("a hosted flow is driven over days, and a crash")
  func host() async throws {
    try await testHost { tester in
      let contracts = try await tester.deploy(contract)
      try await contracts.start(id: "c-1", with: draft)
      try await tester.advance(by: .seconds(2 * 86_400))
      try await tester.crash()
      try await tester.answer(ContractForm.self, of: "c-1", with: true)
      #expect(try await contracts.finish("c-1") == "signed")
    }
  }
}

struct ContractForm: Prompt, Codable {
  typealias Answer = Bool
  let draft: String
}
