import ActorFlow
import Testing

private let go = Signal<String>("go")

/// Traces its state when it is entered; then asks, waits for a signal, and traces what it got.
private actor Collector: FlowStep {
  private let trace: Trace
  private var proceeds = 0
  init(_ trace: Trace) { self.trace = trace }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    proceeds += 1
    let record = await context.record("charge", as: Int.self).word
    trace.add("\(context.step.name): input \(input), property \(proceeds), record \(record)")
    let number = proceeds
    _ = try await context.once("charge") { _ in number }
    guard context.step.name == "first" else { return input }
    let answer = try await context.ask(Form(text: input))
    let signal = try await context.wait(for: go)
    trace.add("\(context.step.name): answer \(answer), signal \(signal)")
    return input + answer
  }
  func backUp(context: RollbackContext) {}
}

/// The table "What a back rewinds" of the article "Backing up", in memory. `RenderedLeavingTests` tests rendered state.
@Suite("State after a back") struct RewindingTests {
  private let trace = Trace()

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("first") { Collector(trace) }
      Step("over") { Collector(trace) }
      Step("last") { Asker() }
    }
  }

  @Test(
    "inputs stay; answers and records go; received signals go, unread ones stay; the target's actor stays"
  )
  func inMemory() async throws {
    let run = launch(flow, with: "-")
    _ = try await run.coordinator.settled()
    for key in ["1", "2"] { #expect(try await run.coordinator.send("s\(key)", to: go, key: key) == .accepted) }
    try await run.answer("a")
    _ = try await run.coordinator.settled()
    try await run.coordinator.backUp()
    #expect(try await run.coordinator.send("s1", to: go, key: "1") == .duplicate, "its key stays known")
    try await run.answer("b")
    try await run.answer("!")
    #expect(try await run.result.get() == "-b!")
    #expect(
      trace.all == [
        "first: input -, property 1, record none", "first: answer a, signal s1",
        "over: input -a, property 1, record none",
        "first: input -, property 2, record none", "first: answer b, signal s2",
        "over: input -b, property 1, record none",
      ])
  }
}
