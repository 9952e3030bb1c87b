import ActorFlow
import Testing

@Suite("ask: one question of a visit at a time") struct AskTests {
  /// Runs one step that does `work`; it is cancelled after `outside`.
  private func step(
    _ work: @escaping ScriptedStep.Proceed, _ outside: (Launched<String>) async throws -> Void
  ) async throws -> Launched<String> {
    let flow = launch(Flow { Step.scripted("a", proceed: work) }, with: "")
    try await outside(flow)
    return flow
  }

  @Test("a second ask while one is open throws alreadyAsking; the first is not affected")
  func alreadyAsking() async throws {
    let (isOpen, isRefused) = (Checkpoint(), Checkpoint())
    let flow = try await step { _, context in
      async let first = context.ask(Form(text: "first"))
      await isOpen.pass()
      let second = await code { try await context.ask(Choice()) }
      isRefused.mark()
      return "\(second?.description ?? "-") \(try await first)"
    } _: { flow in
      _ = try await flow.coordinator.settled()
      isOpen.open()
      await isRefused.reached()
      try await flow.answer("x")
    }
    #expect(try await flow.result.get() == "alreadyAsking x")
  }

  @Test("consecutive questions of a visit have ids of their own, counting up")
  func oneAfterTheOther() async throws {
    let flow = try await step { _, context in
      let first = try await context.ask(Form(text: "1"))
      return first + (try await context.ask(Form(text: "2")))
    } _: { flow in
      let first = try #require(try await flow.coordinator.settled().questions.first)
      try await flow.answer("a")
      let second = try #require(try await flow.coordinator.settled().questions.first)
      #expect(first.id.number == 1)
      #expect(second.id.number == 2)
      #expect(first.visit == second.visit)
      #expect((second.prompt as? Form)?.text == "2")
      try await flow.answer("b")
    }
    #expect(try await flow.result.get() == "ab")
  }

  @Test("a question whose asking child is cancelled by the step itself is withdrawn; the step may ask again")
  func withdrawn() async throws {
    let giveUp = Checkpoint()
    let flow = try await step { _, context in
      let child = Task { try await context.ask(Form(text: "1")) }
      await giveUp.pass()
      child.cancel()
      #expect(await child.result.isCancellation)
      return try await context.ask(Form(text: "2"))
    } _: { flow in
      let first = try #require(try await flow.coordinator.settled().questions.first)
      giveUp.open()
      #expect(await event("withdrawn", of: flow.coordinator)?.position.questions.isEmpty == true)
      #expect(await code { try await flow.coordinator.answer(first.id, with: "x") } == .questionClosed)
      try await flow.answer("y")
    }
    #expect(try await flow.result.get() == "y")
    #expect(
      await flow.lines == ["launched", "moved -→a", "asked a", "withdrawn", "asked a", "answered", "finished"])
  }

  @Test("an ask in a child that is cancelled already opens no question")
  func cancelledBefore() async throws {
    let flow = try await step { input, context in
      let child = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await context.ask(Form(text: "1"))
      }
      #expect(await child.result.isCancellation)
      return input + "done"
    } _: { _ in
    }
    #expect(try await flow.result.get() == "done")
    #expect(await flow.lines == ["launched", "moved -→a", "finished"])
  }

  @Test("a question that a step left open when it returned is withdrawn before the next step is created")
  func leftOpen() async throws {
    let asked = Checkpoint()
    let child = Handover<Task<String, any Error>>()
    let flow = launch(
      Flow {
        Step.scripted("a") { input, context in
          child.give(Task { try await context.ask(Form(text: "1")) })
          await asked.pass()
          return input
        }
        Step("b") { Automatic() }
      }, with: "")
    _ = try await flow.coordinator.settled()
    asked.open()
    #expect(try await flow.result.get() == "b")
    #expect(await child.value()?.result.isCancellation == true)
    #expect(await flow.lines == ["launched", "moved -→a", "asked a", "withdrawn", "moved a→b", "finished"])
  }

  @Test("an accepted answer is returned although the asker was cancelled meanwhile")
  func acceptedBeforeCancelled() async throws {
    // The answer is being committed when the step cancels its child.
    let (committing, giveUp) = (Checkpoint(), Checkpoint())
    var settings = CoordinatorSettings()
    settings.commit = { machine in
      if machine.sequence == 4 { await committing.pass() }
    }
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let child = Task { try await context.ask(Form(text: "1")) }
          await giveUp.pass()
          child.cancel()
          committing.open()
          return try await child.value
        }
      }, with: "", on: FlowCoordinator(id: "test", settings: settings))
    _ = try await flow.coordinator.settled()
    let answering = Task { try await flow.coordinator.answer(Form.self, with: "kept") }
    await committing.reached()
    giveUp.open()
    try await answering.value
    #expect(try await flow.result.get() == "kept")
    #expect(await flow.lines.suffix(2) == ["answered", "finished"])
  }

  @Test("a key names one answer of a visit; a second ask with it throws duplicateKey")
  func duplicateKey() async throws {
    let flow = try await step { _, context in
      let first = try await context.ask(Form(text: "1"), key: "k")
      return first + "\(await code { try await context.ask(Form(text: "2"), key: "k") }?.description ?? "-")"
    } _: { flow in
      try await flow.answer("1 ")
    }
    #expect(try await flow.result.get() == "1 duplicateKey")
  }

  @Test("a key may be used again when its question was withdrawn, and in the next visit")
  func keyAgain() async throws {
    let giveUp = Checkpoint()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let child = Task { try await context.ask(Form(text: "0"), key: "k") }
          await giveUp.pass()
          child.cancel()
          _ = await child.result
          return try await context.ask(Form(text: "1"), key: "k")
        }
        Step("b") { Asker() }
      }, with: "")
    func answerSecond(_ answer: String, after withdrawn: Int) async throws {
      _ = try await flow.coordinator.settled()
      await giveUp.reached(withdrawn)
      giveUp.openOnce()
      for await event in flow.coordinator.events.filter({ $0.change.line == "withdrawn" }).prefix(withdrawn) {
        _ = event
      }
      try await flow.answer(answer)
    }
    try await answerSecond("1", after: 1)
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    try await answerSecond("2", after: 2)
    try await flow.answer("3")
    #expect(try await flow.result.get() == "23")
  }

  @Test("ids of questions and visits are never used again, not by a later run either")
  func idsGoOn() async throws {
    let flow = launch(Flow { Step("a") { Asker() } }, with: "")
    let first = try #require(try await flow.coordinator.settled().questions.first)
    flow.run.cancel()
    _ = await flow.result
    let (begun, coordinator) = (Checkpoint(), flow.coordinator)
    let again = launch(
      Flow {
        Step.scripted("a") { _, context in
          begun.mark()
          return try await context.ask(Form(text: "a"))
        }
      }, with: "", on: coordinator)
    await begun.reached()
    let second = try #require(try await coordinator.settled().questions.first)
    #expect(second.id.run == 2)
    #expect(second.id.number == first.id.number + 1)
    #expect(second.visit.number == first.visit.number + 1)
    again.run.cancel()
    _ = await again.result
  }
}

extension Result where Failure == any Error {
  /// Whether it is a `CancellationError`.
  var isCancellation: Bool {
    guard case .failure(let error) = self else { return false }
    return error is CancellationError
  }
}
