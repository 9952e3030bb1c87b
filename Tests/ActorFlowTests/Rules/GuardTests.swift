import ActorFlow
import Testing

/// A guard that takes a known principal, although `Prompt` declares an optional one.
private struct ForManagers: Prompt {
  typealias Answer = String
  func authorize(_ principal: Principal) throws {
    if !principal.roles.contains("manager") { throw Refused() }
  }
}

/// As ``ForManagers``, with guards that have time.
private struct ForManagersLater: Prompt {
  typealias Answer = String
  let gate: Checkpoint
  func authorize(_ principal: Principal) async throws {
    await gate.pass()
    if !principal.roles.contains("manager") { throw Refused() }
  }
  func validate(_ answer: String) async throws { await gate.pass() }
}

/// A prompt with guards and other functions of the same names.
private struct WithHelpers: Prompt {
  typealias Answer = String
  func authorize(_ principal: Principal?) throws { try authorize(principal: principal) }
  func authorize(principal: Principal?) throws { if principal == nil { throw Refused() } }
  func validate(_ answer: String) throws { try validate(answer: answer) }
  func validate(answer: String) throws { if answer.isEmpty { throw Refused() } }
}

/// A prompt whose guards trace their calls. The last one refuses an answer that a clerk gives.
private struct Guarded: Prompt {
  typealias Answer = String
  let trace: Trace
  func authorize(_ principal: Principal?) { trace.add("authorize \(principal?.id ?? "-")") }
  func validate(_ answer: String) throws {
    trace.add("validate \(answer)")
    if answer.isEmpty { throw Refused() }
  }
  func authorize(_ principal: Principal?, answering answer: String) async throws {
    trace.add("\(principal?.id ?? "-") answers \(answer)")
    if principal?.roles.contains("manager") != true, answer == "yes" { throw Refusal.notAllowed("managers only") }
  }
}

@Suite("A prompt's guards fail closed") struct GuardTests {
  private let manager = Principal(id: "ada", roles: ["manager"])
  private let clerk = Principal(id: "bob")

  private func asking(_ prompt: some Prompt<String>) -> Launched<String> {
    launch(Flow("f") { Step("ask") { (_: String, context: StepContext) in try await context.ask(prompt) } }, with: "")
  }

  /// Returns the result of an answer; nil if it is accepted.
  private func refusal(
    of answer: String = "yes", to flow: Launched<String>, by principal: Principal?
  ) async throws -> (any Error)? {
    let question = try #require(try await flow.coordinator.settled().questions.first)
    do {
      try await flow.coordinator.answer(question.id, with: answer, by: principal)
      return nil
    } catch { return error }
  }

  @Test("an authorize for a known principal guards: an anonymous answer is refused, and the question stays open")
  func anonymous() async throws {
    let flow = asking(ForManagers())
    let error = try await refusal(to: flow, by: nil) as? FlowError
    #expect(error?.code == .principalNeeded && error?.flow == "test" && error?.step == "f/ask")
    #expect(error?.message.contains("ForManagers") == true)
    #expect(try await refusal(to: flow, by: clerk) is Refused)
    #expect(try await refusal(to: flow, by: manager) == nil)
    #expect(try await flow.result.get() == "yes")
  }

  @Test("an async authorize for a known principal guards as well")
  func later() async throws {
    let gate = Checkpoint()
    let flow = asking(ForManagersLater(gate: gate))
    #expect((try await refusal(to: flow, by: nil) as? FlowError)?.code == .principalNeeded)
    #expect(gate.arrivals == 0, "no guard is called without a principal")
    gate.open()
    #expect(try await refusal(to: flow, by: clerk) is Refused)
    #expect(try await refusal(to: flow, by: manager) == nil)
    #expect(gate.arrivals == 3)
    #expect(try await flow.result.get() == "yes")
  }

  @Test("a helper with a label may stand beside a guard")
  func helpers() async throws {
    let flow = asking(WithHelpers())
    #expect(try await refusal(to: flow, by: nil) is Refused)
    #expect(try await refusal(of: "", to: flow, by: clerk) is Refused)
    #expect(try await refusal(to: flow, by: clerk) == nil)
    #expect(try await flow.result.get() == "yes")
  }

  @Test("the guard of principal and answer is called last, sees both, and refuses as the others do")
  func answering() async throws {
    let trace = Trace()
    let flow = asking(Guarded(trace: trace))
    #expect(try await refusal(of: "", to: flow, by: clerk) is Refused)
    #expect(trace.all == ["authorize bob", "validate "])
    #expect(try await refusal(to: flow, by: clerk) as? Refusal == .notAllowed("managers only"))
    #expect(trace.all.dropFirst(2) == ["authorize bob", "validate yes", "bob answers yes"])
    #expect(try await refusal(of: "yes", to: flow, by: nil) is Refusal)
    #expect(try await refusal(to: flow, by: manager) == nil)
    #expect(try await flow.result.get() == "yes")
  }

  @Test("an erased prompt is guarded in the same way")
  func erased() async throws {
    let prompt: any Prompt = ForManagers()
    #expect(await code { try await prompt.authorize(nil) } == .principalNeeded)
    await #expect(throws: Refused()) { try await prompt.authorize(clerk) }
    try await prompt.authorize(manager)
  }
}
