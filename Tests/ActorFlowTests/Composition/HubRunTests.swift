import ActorFlow
import Testing

@Suite("Running hubs") struct HubRunTests {
  private let trace = Trace()
  private let made = Count()

  private func asker(_ name: String) -> Step<String, String> { Step(name) { Asker(trace) } }
  private func automatic(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }

  /// Asks for a choice and returns it.
  private func menu() -> Step<String, String> {
    Step("menu") {
      let number = made.next()
      return ScriptedStep(backUp: { [trace] _ in trace.add("menu\(number):backUp") }) { [trace] input, context in
        trace.add("menu\(number):proceed(\(input))")
        return try await context.ask(Form(text: input))
      }
    }
  }

  private func hub(_ pay: Step<String, String>, paid: BackUpPolicy = .automatic) -> Hub<String, String> {
    Hub(menu()) {
      Case("edit", { (pick: String) in pick == "edit" ? pick : nil }) { asker("edit") }
      Case("download", { (pick: String) in pick == "download" ? pick : nil }) {
        automatic("download")
        automatic("check")
      }
      Case("pay", { (pick: String) in pick == "pay" ? pick : nil }) { pay.onBackUp(paid) }
    } done: { (pick: String) -> String? in
      pick == "done" ? pick : nil
    }
  }

  private func flow(_ paid: BackUpPolicy = .automatic) -> Flow<String, String> {
    Flow("f") {
      asker("a")
      hub(automatic("pay"), paid: paid)
      asker("z")
    }
  }

  @Test("FS-13 both side branches run, and the menu stays the same visit of the same instance, with the new content")
  func sameVisit() async throws {
    let run = launch(flow(), with: "-")
    try await run.answer("1")
    let first = try await run.coordinator.settled()
    try await run.answer("edit")
    try await run.answer("!")
    let second = try await run.coordinator.settled()
    #expect(second.stack.top?.id == first.stack.top?.id)
    #expect(second.stack.map(\.step.name) == ["menu", "a"])
    try await run.answer("download")
    let third = try await run.coordinator.settled()
    #expect(third.stack.top?.id == first.stack.top?.id && made.now == 1)
    #expect(
      trace.all == [
        "a:proceed(-)", "menu1:proceed(-1)", "edit:proceed(edit)", "menu1:proceed(edit!)", "download:proceed(download)",
        "check:proceed(downloaddownload)", "menu1:proceed(downloaddownloadcheck)",
      ])
    try await run.answer("done")
    try await run.answer("end")
    #expect(try await run.result.get() == "doneend")
    let lines = await run.lines
    #expect(lines.contains("moved edit→menu") && lines.contains("moved check→menu"))
  }

  @Test("FS-14 while a side branch runs the menu's question is closed, and a late answer is refused")
  func lateAnswer() async throws {
    let run = launch(flow(), with: "-")
    try await run.answer("1")
    let question = try #require(try await run.coordinator.settled().questions.first)
    try await run.coordinator.answer(question.id, with: "edit")
    let position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name) == ["edit"])
    #expect(await code { try await run.coordinator.answer(question.id, with: "download") } == .questionClosed)
    try await run.coordinator.abandon()
  }

  @Test(
    "back from a side branch lands on the menu; back from the menu leads before the hub and compensates all in order")
  func backUp() async throws {
    let run = launch(flow(), with: "-")
    try await run.answer("1")
    try await run.answer("download")
    try await run.answer("edit")
    try await run.coordinator.settled()
    try await run.coordinator.backUp()
    let position = try await run.coordinator.settled()
    #expect(position.step == "f/menu" && made.now == 1)
    #expect(trace.all.suffix(3) == ["edit:backUp", "menu1:backUp", "menu1:proceed(downloaddownloadcheck)"])
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.suffix(5) == ["menu1:backUp", "check:backUp", "download:backUp", "a:backUp", "a:proceed(-)"])
    try await run.coordinator.abandon()
  }

  @Test("a side branch is no target of a back from the menu, by any name")
  func sideBranchByName() async throws {
    let run = launch(flow(), with: "-")
    try await run.answer("1")
    try await run.answer("edit")
    try await run.answer("!")
    try await run.coordinator.settled()
    #expect(await code { try await run.coordinator.backUp(to: "edit") } == .cannotBackUp)
    try await run.coordinator.backUp(to: "a")
    try await run.coordinator.settled()
    #expect(trace.all.last == "a:proceed(-)")
    try await run.coordinator.abandon()
  }

  @Test("an abandon after several side branches compensates them newest first, then the menu, which was entered before")
  func abandon() async throws {
    let run = launch(flow(), with: "-")
    try await run.answer("1")
    try await run.answer("edit")
    try await run.answer("!")
    try await run.answer("download")
    try await run.coordinator.settled()
    try await run.coordinator.abandon()
    #expect(trace.all.suffix(5) == ["check:backUp", "download:backUp", "edit:backUp", "menu1:backUp", "a:backUp"])
  }

  @Test("a one-way step in a side branch: a back may return to the menu, but no longer to a step before the hub")
  func oneWay() async throws {
    let run = launch(flow(.oneWay), with: "-")
    try await run.answer("1")
    try await run.answer("pay")
    var position = try await run.coordinator.settled()
    #expect(!position.canBackUp)
    #expect(await code { try await run.coordinator.backUp() } == .cannotBackUp)
    #expect(await code { try await run.coordinator.backUp(to: "a") } == .cannotBackUp)
    try await run.answer("edit")
    try await run.coordinator.settled()
    try await run.coordinator.backUp()
    position = try await run.coordinator.settled()
    #expect(position.step == "f/menu")
    try await run.coordinator.abandon()
    #expect(trace.all.suffix(4) == ["menu1:proceed(paypay)", "menu1:backUp", "pay:backUp", "a:backUp"])
  }

  @Test("a settling step in a side branch: everything before it is final, so the menu is entered again")
  func settling() async throws {
    let run = launch(flow(.settling), with: "-")
    try await run.answer("1")
    try await run.answer("pay")
    let position = try await run.coordinator.settled()
    #expect(position.stack.map(\.step.name) == ["menu"] && !position.canBackUp)
    #expect(trace.all.last == "menu2:proceed(paypay)")
    try await run.coordinator.abandon()
    #expect(trace.all.filter { $0.hasSuffix("backUp") } == ["menu2:backUp"])
  }

  @Test("a run that begins in a side branch continues with the menu")
  func startInside() async throws {
    let coordinator = FlowCoordinator(id: "test")
    let flow = flow()
    let run = Task { try await coordinator.run(flow, with: "-", startingAt: "edit", input: "deep") }
    try await coordinator.settled()
    try await coordinator.answer(Form.self, with: "!")
    #expect(try await coordinator.settled().step == "f/menu")
    try await coordinator.answer(Form.self, with: "done")
    try await coordinator.settled()
    try await coordinator.answer(Form.self, with: "end")
    #expect(try await run.value == "doneend")
  }

  @Test("a hub in a branch: side branches leave the sibling alone")
  func inBranch() async throws {
    let flow = Flow("f") {
      Parallel {
        hub(automatic("pay"))
        asker("c")
      } join: {
        $0 + $1
      }
    }
    let run = launch(flow, with: "-")
    var position = try await run.coordinator.settled()
    for answer in ["download", "edit"] {
      let question = try #require(position.questions.first { $0.step.name == "menu" })
      try await run.coordinator.answer(question.id, with: answer)
      position = try await run.coordinator.settled()
    }
    let edit = try #require(position.questions.first { $0.step.name == "edit" })
    try await run.coordinator.backUp(from: edit.id)
    position = try await run.coordinator.settled()
    #expect(position.questions.map(\.step.name).sorted() == ["c", "menu"])
    let menu = try #require(position.questions.first { $0.step.name == "menu" })
    try await run.coordinator.answer(menu.id, with: "done")
    try await run.answer("!")
    #expect(try await run.result.get() == "done-!")
    #expect(!trace.all.contains("c:backUp"))
  }
}
