import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

private let go = Signal<String>("go")

/// Traces its state when it is entered; then asks, waits for a signal, and traces what it got.
private actor Collector: FlowStep {
  private let log: Log
  private var proceeds = 0
  init(_ log: Log) { self.log = log }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    proceeds += 1
    let record =
      switch await context.record("charge", as: Int.self) {
      case .none: "none"
      case .done(let number): "done \(number)"
      case .interrupted: "interrupted"
      }
    log.add("\(context.step.name): input \(input), property \(proceeds), record \(record)")
    let number = proceeds
    _ = try await context.once("charge") { _ in number }
    guard context.step.name == "first" else { return input }
    let answer = try await context.ask(Form(text: input))
    let signal = try await context.wait(for: go)
    log.add("\(context.step.name): answer \(answer), signal \(signal)")
    return input + answer
  }
  func backUp(context: RollbackContext) {}
}

/// The table "What a back rewinds" of the article "Backing up", hosted.
@Suite("State after a back of a hosted flow", .timeLimit(.minutes(15))) struct RewindingTests {
  private let log = Log()

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("first") { Collector(log) }
      Step("over") { Collector(log) }
      Step("basket") { (_: String) in Basket(prices: .unknown) }
      Step("last") { Asker() }
    }
  }

  @Test(
    "as in memory, but no actor state stays; a rendered step keeps its state, one passed over starts with a new one")
  func hosted() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      for key in ["1", "2"] { #expect(try await tester.send("s\(key)", to: go, of: "f", key: key) == .accepted) }
      try await tester.answer(Form.self, of: "f", with: "a")
      try await tester.answer(Basket.View.self, of: "f", with: .add("tea"))
      try await tester.answer(Basket.View.self, of: "f", with: .done)
      try await tester.settle()
      #expect(
        log.all == [
          "first: input -, property 1, record none", "first: input -, property 1, record done 1",
          "first: input -, property 1, record done 1", "first: input -, property 1, record done 1",
          "first: answer a, signal s1", "over: input -a, property 1, record none",
        ], "each request costs the step its instance")

      try await tester.backUp("f")
      let landed = try await tester.question(Basket.View.self, of: "f")
      #expect(landed.prompt.lines == ["tea x1"], "a back that lands on a rendered step finds its state")

      let before = log.all.count
      try await tester.backUp("f", to: "first")
      try await tester.settle()
      #expect(Array(log.all.dropFirst(before)) == ["first: input -, property 1, record none"])
      #expect(try await tester.send("s1", to: go, of: "f", key: "1") == .duplicate, "its key stays known")
      try await tester.answer(Form.self, of: "f", with: "b")
      let new = try await tester.question(Basket.View.self, of: "f")
      #expect(new.prompt.lines == [], "one that was passed over starts with a new state")
      #expect(
        Array(log.all.dropFirst(before + 1)) == [
          "first: input -, property 1, record done 1", "first: answer b, signal s2",
          "over: input -b, property 1, record none",
        ])
    }
  }
}
