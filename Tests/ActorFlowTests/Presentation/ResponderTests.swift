import ActorFlow
import Testing

@Suite("Presenters: the responder") struct ResponderTests {
  /// Asks a form, then a number.
  private static let twoQuestions = Flow {
    Step("form") { (text: String, context: StepContext) in try await context.ask(Form(text: text)) }
    Step("choice") { (text: String, context: StepContext) in "\(text)\(try await context.ask(Choice()))" }
  }

  @Test("a responder answers each question by the type of its prompt")
  func answers() async throws {
    let robot = Responder {
      On(Choice.self) { _ in 7 }
      On(Form.self) { form in form.text + "!" }
    }
    #expect(try await FlowCoordinator().run(Self.twoQuestions, with: "hi", presentedBy: [robot]) == "hi!7")
  }

  @Test("a responder takes the questions that it answers; others are left to the next presenter")
  func declines() async throws {
    let rest = Trace()
    let robot = Responder {
      On(Form.self) { form in form.text.isEmpty ? nil : "robot" }
      On(Form.self) { form in form.text.isEmpty ? nil : "never asked" }
    }
    let person = Shows { event, coordinator in
      rest.add(event.change.line)
      guard case .asked(let question) = event.change else { return true }
      try await coordinator.answer(question.id, with: 3)
      return true
    }
    #expect(try await FlowCoordinator().run(Self.twoQuestions, with: "x", presentedBy: [robot, person]) == "robot3")
    #expect(!rest.all.contains("asked form"))
    #expect(rest.all.contains("asked choice"))
  }

  @Test("a handler that declines leaves the question open, and the next handler of its type is asked")
  func nextHandler() async throws {
    let robot = Responder {
      On(Form.self) { _ in nil }
      On(Form.self) { _ in "second" }
    }
    #expect(try await FlowCoordinator().run(asking("a"), with: "", presentedBy: [robot]) == "second")
    let left = Responder { On(Form.self) { _ in nil } }
    let result = try await running(asking("a"), with: "", presentedBy: [left]) { coordinator in
      try await coordinator.answerNext("person")
    }
    #expect(try result.get() == "person")
  }

  @Test("a handler is asked once for each revision of a question, also when it declines")
  func oncePerRevision() async throws {
    let (asked, replayed) = (Trace(), Checkpoint())
    let robot = Responder {
      On(Form.self) { form in
        asked.add(form.text)
        return form.text == "c" ? "done" : nil
      }
    }
    // The same event again, as a chain of presenters may deliver it.
    let again = Shows { event, coordinator in
      let isTaken = try await robot.present(event, in: coordinator)
      if case .asked = event.change { #expect(!isTaken) }
      if case .updated(let question) = event.change, question.revision == 2 { replayed.mark() }
      return isTaken
    }
    let (updates, update) = AsyncStream<Form>.makeStream()
    let flow = Flow {
      Step("a") { (text: String, context: StepContext) in
        try await context.ask(Form(text: text), updates: updates)
      }
    }
    let result = try await running(flow, with: "a", presentedBy: [robot, again]) { coordinator in
      _ = try await coordinator.settled()
      update.yield(Form(text: "b"))
      await replayed.reached()
      update.yield(Form(text: "c"))
    }
    #expect(try result.get() == "done")
    #expect(asked.all.suffix(2) == ["b", "c"])
    #expect(Set(asked.all).count == asked.all.count)
  }

  @Test("an answer to a revision that has changed meanwhile is dropped, and the new one is answered")
  func staleRevision() async throws {
    let (inside, coordinator) = (Checkpoint(), FlowCoordinator())
    let robot = Responder {
      On(Form.self) { form in
        if form.text == "old" { await inside.pass() }
        return "to \(form.text)"
      }
    }
    let (updates, update) = AsyncStream<Form>.makeStream()
    let flow = Flow {
      Step("a") { (text: String, context: StepContext) in
        try await context.ask(Form(text: text), updates: updates)
      }
    }
    let result = try await running(flow, with: "old", presentedBy: [robot], on: coordinator) { coordinator in
      await inside.reached()
      update.yield(Form(text: "new"))
      _ = try await firstEvent(of: coordinator) { $0.change.line == "updated a 2" }
      inside.open()
    }
    #expect(try result.get() == "to new")
  }

  @Test("a late answer is no error, because another answerer was quicker")
  func quicker() async throws {
    let inside = Checkpoint()
    let robot = Responder {
      On(Form.self) { _ in
        await inside.pass()
        return "robot"
      }
    }
    let result = try await running(asking("a"), with: "", presentedBy: [robot]) { coordinator in
      await inside.reached()
      try await coordinator.answerNext("person")
      // The run has ended by now, so that the answer is refused with `flowEnded`.
      _ = try await coordinator.settled()
      inside.open()
    }
    #expect(try result.get() == "person")
    #expect(inside.arrivals == 1)
  }

  @Test("a late responder ignores questions that are closed by now")
  func lateReplay() async throws {
    let (asked, gate) = (Trace(), Checkpoint())
    let slow = Shows { event, _ in
      if case .launched = event.change { await gate.pass() }
      return false
    }
    let robot = Responder {
      On(Form.self) { form in
        asked.add(form.text)
        return "robot"
      }
    }
    let result = try await running(asking("a", "b"), with: "", presentedBy: [slow, robot]) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      _ = try await coordinator.settled()
      gate.open()
    }
    #expect(try result.get() == "1robot")
    #expect(asked.all == ["1"])
  }

  @Test("an answer that the prompt refuses is the responder's mistake: it ends the flow, and run throws it")
  func refused() async throws {
    let trace = Trace()
    let robot = Responder { On(Form.self) { _ in "" } }
    let result = try await running(asking("a", trace: trace), with: "", presentedBy: [robot])
    #expect(error(of: result) is Refused)
    #expect(trace.all == ["a:proceed()", "a:backUp"])
  }

  @Test("an error thrown by a handler ends the flow, and run throws it")
  func throwing() async throws {
    let robot = Responder { On(Form.self) { _ in throw Failure("no idea") } }
    let result = try await running(asking("a"), with: "", presentedBy: [robot])
    #expect(error(of: result) as? Failure == Failure("no idea"))
  }

  @Test("a responder answers as its principal")
  func principal() async throws {
    let flow = Flow {
      Step("a") { (_: String, context: StepContext) in try await context.ask(CheckedForm("sign", role: "clerk")) }
    }
    let clerk = Principal(id: "robot", roles: ["clerk"])
    let coordinator = FlowCoordinator()
    let robot = Responder(by: clerk) { On(CheckedForm.self) { _ in "signed" } }
    #expect(try await coordinator.run(flow, with: "", presentedBy: [robot]) == "signed")
    let principals = await allEvents(of: coordinator).compactMap { event -> Principal? in
      if case .answered(_, let principal) = event.change { principal } else { nil }
    }
    #expect(principals == [clerk])
    let nobody = Responder { On(CheckedForm.self) { _ in "signed" } }
    #expect(error(of: try await running(flow, with: "", presentedBy: [nobody])) is Refused)
  }

  @Test("one responder serves many flows at once, also flows of one name")
  func many() async throws {
    let robot = Responder { On(Form.self) { form in form.text + "1" } }
    let outputs = try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          try await FlowCoordinator(id: "same").run(asking("a", "b"), with: "\(number)-", presentedBy: [robot])
        }
      }
      var outputs: Set<String> = []
      for try await output in group { outputs.insert(output) }
      return outputs
    }
    #expect(outputs == Set((0..<20).map { "\($0)-\($0)-1\($0)-\($0)-11" }))
  }

  @Test("a responder's handlers may be chosen with if, switch and for")
  func builder() async throws {
    func robot(_ isTerse: Bool, _ more: [String]) -> Responder {
      Responder {
        if isTerse { On(Choice.self) { _ in 1 } } else { On(Choice.self) { _ in 2 } }
        for text in more { On(Form.self) { form in form.text == text ? "known" : nil } }
        if more.isEmpty { On(Form.self) { _ in "unknown" } }
      }
    }
    let flow = Self.twoQuestions
    #expect(try await FlowCoordinator().run(flow, with: "y", presentedBy: [robot(true, ["x", "y"])]) == "known1")
    #expect(try await FlowCoordinator().run(flow, with: "y", presentedBy: [robot(false, [])]) == "unknown2")
  }
}
