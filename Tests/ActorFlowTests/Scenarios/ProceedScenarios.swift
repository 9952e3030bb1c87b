import ActorFlow
import Testing

@Suite("Scenarios: proceed") struct ProceedScenarios {
  @Test("SC-015 each step that proceeds hands the focus to the next, from the visit that was announced")
  func proceed() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "b")
      try await coordinator.answerNext("3", at: "c")
    }
    #expect(try result.get() == "s123")
    var announced: [Visit?] = [nil]
    for event in await allEvents(of: coordinator) {
      guard case .moved(let from, let to) = event.change else { continue }
      #expect(from == announced.last)
      #expect(event.position.stack.top == to)
      announced.append(to)
    }
    #expect(announced.map { $0?.step } == [nil, "a", "b", "c"])
  }

  @Test("SC-016 steps that are closures proceed as actors do")
  func closures() async throws {
    let flow = Flow {
      Step("a") { (input: String, context) in input + (try await context.ask(Form(text: "a"))) }
      Step("b") { (input: String) in input + "b" }
      Step("c") { (input: String, context) in input + (try await context.ask(Form(text: "c"))) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      try await coordinator.answerNext("2", at: "c")
    }
    #expect(try result.get() == "s1b2")
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "moved a→b", "moved b→c", "finished"])
  }

  @Test("SC-018 each step gets exactly the output of the one before, with its own type")
  func typedValues() async throws {
    struct Amount: Equatable { var cents: Int }
    let seen = Collected<any Sendable>()
    let flow = Flow {
      Step("a") { (name: String) in
        seen.append(name)
        return name.count
      }
      Step("b") { (count: Int) in
        seen.append(count)
        return Amount(cents: count * 100)
      }
      Step("c") { (amount: Amount) in
        seen.append(amount)
        return [amount, amount]
      }
      Step("d") { (amounts: [Amount]) in amounts.map(\.cents) }
    }
    #expect(try await FlowCoordinator().run(flow, with: "four") == [400, 400])
    #expect(seen.all.map { "\($0)" } == ["four", "4", "\(Amount(cents: 400))"])
  }

  @Test("SC-019 a step without output passes nothing on, and the next one gets no earlier value either")
  func nothingHandedOn() async throws {
    let none = Flow {
      Step("a") { (_: String) in }
      Step("b") { (nothing: Void) in "b got \(nothing)" }
    }
    #expect(try await FlowCoordinator().run(none, with: "s") == "b got ()")
    let any = Flow {
      Step("a") { (_: String) in }.map { $0 as any Sendable }
      Step("b") { (anything: any Sendable) in "b got \(anything)" }
    }
    #expect(try await FlowCoordinator().run(any, with: "s") == "b got ()")
  }

  @Test("SC-020 a value of any type is checked where the definition says how")
  func anyValue() async throws {
    let flow = Flow {
      Step("a") { (input: any Sendable) in input }
        .map { value in
          guard let text = value as? String else { throw Refused() }
          return text
        }
      Step("b") { (text: String) in "b got \(text)" }
    }
    #expect(try await FlowCoordinator().run(flow, with: "text") == "b got text")
    let coordinator = FlowCoordinator()
    await #expect(throws: Refused()) { try await coordinator.run(flow, with: 5) }
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "failed a", "rolledBack 0"])
  }

  @Test("SC-021 a step without input may follow one with an output")
  func needless() async throws {
    let trace = Trace()
    let flow = Flow {
      Step("a") { Automatic(trace) }
      Step("b") { NoInputStep(trace) }
    }
    #expect(try await FlowCoordinator().run(flow, with: "s") == "b")
    #expect(trace.all == ["a:proceed(s)", "b:proceed()"])
  }

  @Test("SC-022 every step of a long flow is visited once, in order", arguments: [7, 10, 20])
  func longFlow(length: Int) async throws {
    let names = (1...length).map { "step\($0)" }
    let flow = Flow { for name in names { Step(name) { Automatic() } } }
    let coordinator = FlowCoordinator()
    #expect(try await coordinator.run(flow, with: "") == names.joined())
    let events = await allEvents(of: coordinator)
    #expect(events.last?.position.stack.map(\.step.name) == names.reversed())
    let expected = zip(["-"] + names, names).map { "moved \($0)→\($1)" }
    #expect(events.map(\.change.line) == ["launched"] + expected + ["finished"])
  }

  @Test("SC-023 a step type used several times has a name, a place and an instance for each use")
  func sameType() async throws {
    let counter = LiveCounter()
    let flow = Flow {
      Step { CountedAsker(counter) }
      Step { CountedAsker(counter) }
      Step("other") { CountedAsker(counter) }
    }
    #expect(flow.steps == ["CountedAsker", "CountedAsker#2", "other"])
    let result = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "CountedAsker")
      try await coordinator.answerNext("2", at: "CountedAsker#2")
      #expect(try await coordinator.focus() == "other")
      #expect(counter.ever == 3)
      #expect(Set(await coordinator.position.stack.map(\.id)).count == 3)
      try await coordinator.backUp(to: "CountedAsker")
      try await coordinator.answerNext("3", at: "CountedAsker")
      try await coordinator.answerNext("4", at: "CountedAsker#2")
      try await coordinator.answerNext("5", at: "other")
    }
    #expect(try result.get() == "s345")
  }

  @Test("SC-024 at any moment one step has the focus, and only it asks")
  func oneFocus() async throws {
    let flow = Flow {
      Step("a") { Asker() }
      Step("b") { Automatic() }
      Step("c") { Skipper(with: "skipped") }
      Step("d") { Asker() }
    }
    let coordinator = FlowCoordinator()
    _ = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1")
      #expect(try await coordinator.focus() == "d")
      try await coordinator.backUp()
      try await coordinator.answerNext("2")
      try await coordinator.answerNext("3")
    }
    for event in await allEvents(of: coordinator).dropFirst() {
      let position = event.position
      #expect(position.step != nil, "\(event.change.line)")
      #expect(position.questions.count <= 1)
      #expect(position.questions.allSatisfy { $0.visit == position.stack.top?.id })
    }
  }

  @Test("SC-025 a step that has proceeded cannot do so again when the flow has finished")
  func proceedAgain() async throws {
    let trace = Trace()
    let contexts = Collected<StepContext>()
    let flow = Flow {
      Step("a") { ContextCollectingStep(contexts) }
      Step("b") { Automatic(trace) }
    }
    let coordinator = FlowCoordinator()
    let asked = Collected<Question>()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      asked.append(try #require(try await coordinator.settled().questions.first))
      try await coordinator.answerNext("1")
    }
    #expect(try result.get() == "s1b")
    let old = try #require(asked.last)
    #expect(await code { try await coordinator.answer(old.id, with: "2") } == .flowEnded)
    #expect(await codesOfEveryVerb(of: try #require(contexts.last)) == Array(repeating: .notActive, count: 5))
    #expect(trace.all == ["b:proceed(s1)"])
    #expect(await moves(of: coordinator) == ["launched", "moved -→a", "moved a→b", "finished"])
  }
}
