import ActorFlow
import Testing

@Suite("Rule 2: a hub's menu is compensated whenever it was entered") struct Rule02HubTests {
  private let trace = Trace()

  private func traced(_ name: String) -> Step<String, String> {
    .scripted(
      name,
      backUp: { [trace] context in
        let charge = await context.record("charge", as: String.self)
        if case .done(let value) = charge { trace.add("\(name):refund \(value)") }
        trace.add("\(name):backUp")
      },
      proceed: { [trace] input, context in
        trace.add("\(name):proceed")
        if name == "menu" { _ = try await context.once("charge") { _ in "one" } }
        return try await context.ask(Form(text: name))
      })
  }

  private var flow: Flow<String, String> {
    Flow {
      traced("before")
      Hub(traced("menu")) {
        Case("side", { (pick: String) in pick == "side" ? pick : nil }) { traced("side") }
      } done: { (pick: String) -> String? in
        pick == "done" ? pick : nil
      }
    }
  }

  @Test("cancelling the caller while the flow returns to the menu compensates menu and record")
  func cancelledWhileResuming() async throws {
    let hook = CommitHook()
    let run = hook.launch(flow)
    try await run.answer("1")
    try await run.answer("side")
    try await run.coordinator.settled()
    // The commit of the return to the menu: no question is open, and the side branch is no longer shown.
    hook.hold { $0.position.line == "running beforemenu" }
    try await run.coordinator.answer(Form.self, with: "back")
    await hook.held.reached()
    run.run.cancel()
    hook.relax()
    #expect(await run.error is CancellationError)
    #expect(
      trace.all == [
        "before:proceed", "menu:proceed", "side:proceed", "side:backUp", "menu:refund one", "menu:backUp",
        "before:backUp",
      ])
  }
}
