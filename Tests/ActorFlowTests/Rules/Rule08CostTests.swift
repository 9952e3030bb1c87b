import ActorFlow
import Testing

@Suite("Rules 8 and 9: constant cost, and no traps") struct Rule08CostTests {
  @Test("100,000 automatic steps finish, and their events are freed without recursion")
  func many() async throws {
    let coordinator = FlowCoordinator(eventLog: 1)
    let flow = Flow<Int, Int> { for number in 1...100_000 { Step("\(number)") { (value: Int) in value + 1 } } }
    #expect(try await coordinator.run(flow, with: 0) == 100_000)
    #expect(await coordinator.position.stack.count == 100_000)
  }

  @Test("a back over 10,000 places compensates each once, newest first")
  func farBack() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("A")
    for _ in 1...10_000 { driver.enter(1) }
    try driver.backUp()
    let line = driver.rollBack()
    #expect(line.utf8.count == 10_000 + 1 + 3)
    #expect(line.hasSuffix("bba[a]"))
  }

  @Test("settling steps keep the stack short, however many there are")
  func settling() throws {
    var driver = try MachineDriver(.settling)
    for _ in 1...1_000 { driver.enter(0) }
    #expect(driver.machine.position.stack.count == 1)
    #expect(driver.visit == VisitID(1_000))
  }

  @Test("Rule 9: every misuse of a coordinator throws a FlowError that names the flow and the remedy")
  func messages() async throws {
    let coordinator = FlowCoordinator(id: "order-17")
    func message(_ body: () async throws -> some Any) async -> FlowError? {
      do { _ = try await body() } catch { return error as? FlowError }
      return nil
    }
    let flow = launch(Flow { Step("a") { Asker() } }, with: "", on: coordinator)
    let question = try #require(try await coordinator.settled().questions.first)
    let errors = [
      await message { try await coordinator.backUp() },
      await message { try await coordinator.backUp(to: "x") },
      await message { try await coordinator.answer(question.id, with: 1) },
      await message { try await coordinator.answer(question.id, with: "", revision: 9) },
      await message { try await coordinator.answer(Choice.self, with: 1) },
      await message { try await coordinator.run(Flow { Step("a") { Asker() } }, with: "") },
    ]
    for error in errors {
      #expect(error?.flow == "order-17")
      #expect(error?.message.isEmpty == false)
      #expect(error?.description.contains("order-17") == true)
    }
    #expect(errors.map { $0?.step } == ["a", "a", "a", "a", nil, nil])
    flow.run.cancel()
    _ = await flow.result
  }
}
