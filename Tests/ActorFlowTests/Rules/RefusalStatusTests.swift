import ActorFlow
import Testing

private struct NotAManager: Error {}
private struct TooLong: Error {}
private struct StoreIsAway: Error {}

/// A prompt whose guards throw errors of their own types, or those of the library.
private struct Named: Prompt {
  typealias Answer = String
  func authorize(_ principal: Principal) throws {
    if principal.id == "eve" { throw NotAManager() }
  }
  func validate(_ answer: String) throws {
    if answer.isEmpty { throw Refusal.invalid("empty", field: "name") }
    if answer.count > 5 { throw TooLong() }
  }
  func authorize(_ principal: Principal, answering answer: String) throws {
    if principal.id == answer { throw NotAManager() }
  }
}

@Suite("The status of a refused answer") struct RefusalStatusTests {
  private let flow = Flow<String, String>("f") {
    Step("ask") { (_: String, context: StepContext) in try await context.ask(Named()) }
  }

  /// Returns the error of an answer that a guard refuses.
  private func error(of answer: String, by principal: Principal?) async throws -> (any Error)? {
    let flow = launch(flow, with: "")
    _ = try await flow.coordinator.settled()
    var thrown: (any Error)?
    do {
      try await withRefusals { try await flow.coordinator.answer(Named.self, with: answer, by: principal) }
    } catch { thrown = error }
    try await flow.coordinator.abandon(reason: "over")
    return thrown
  }

  @Test("an error of authorize is a refusal of the answerer, with or without the answer", arguments: ["eve", "bob"])
  func authorize(name: String) async throws {
    let refusal = try #require(try await error(of: "bob", by: Principal(id: name)) as? Refusal)
    #expect(refusal.kind == .notAllowed && refusal.httpStatus == 403)
    #expect(!refusal.message.contains("NotAManager"), "the error may not be meant for the answerer")
  }

  @Test("an error of validate is a refusal of the answer")
  func validate() async throws {
    let refusal = try #require(try await error(of: "much too long", by: Principal(id: "ada")) as? Refusal)
    #expect(refusal.kind == .invalid && refusal.httpStatus == 422 && refusal.message.hasPrefix("Named"))
  }

  @Test("a refusal, an error of the library and a good answer stay as they are")
  func unchanged() async throws {
    #expect(try await error(of: "", by: Principal(id: "ada")) as? Refusal == .invalid("empty", field: "name"))
    #expect((try await error(of: "x", by: nil) as? FlowError)?.code == .principalNeeded)
    #expect(try await error(of: "x", by: Principal(id: "ada")) == nil)
  }

  @Test("a later error of another type is not taken for the guard's")
  func later() async throws {
    await #expect(throws: StoreIsAway.self) {
      try await withRefusals {
        let flow = launch(flow, with: "")
        _ = try await flow.coordinator.settled()
        _ = try? await flow.coordinator.answer(Named.self, with: "much too long", by: Principal(id: "ada"))
        try await flow.coordinator.abandon(reason: "over")
        throw StoreIsAway()
      }
    }
  }

  @Test("the status is 200, or that of the refusal or of the error's code, or 500")
  func statuses() async {
    #expect(await status {} == 200)
    #expect(await status { throw Refusal.invalid("x") } == 422)
    #expect(await status { throw FlowError(.noSuchFlow, "x") } == 404)
    #expect(await status { throw StoreIsAway() } == 500)
  }

  private func status(_ answer: () async throws -> Void) async -> Int { await ActorFlowTests.status(of: answer) }
}
