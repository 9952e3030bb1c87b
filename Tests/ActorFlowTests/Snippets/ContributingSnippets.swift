import ActorFlow
import Testing

/// The test in CONTRIBUTING.
@Suite("CONTRIBUTING") struct ContributingTests {
  @Test("Rule 3: with nowhere to go, backUp throws and nothing has changed")
  func nowhereToGo() async throws {
    let result = try await running(Flow { Step("only") { Asker() } }, with: "") { coordinator in
      let before = try await coordinator.settled()
      let error = await #expect(throws: FlowError.self) { try await coordinator.backUp() }
      #expect(error?.code == .cannotBackUp)
      #expect(await coordinator.position.questions.map(\.id) == before.questions.map(\.id))
      try await coordinator.answer(Form.self, with: "yes")
    }
    #expect(try result.get() == "yes")
  }
}
