import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Hosted flows that wait for a signal whose value meets a condition.
@Suite("Hosted waits with a condition", .timeLimit(.minutes(15))) struct SignalConditionTests {
  private let store = MemoryFlowStore()
  private let results = Signal<String>("results")

  /// Asks for a payment, waits for its result, and so on until one is paid.
  private var flow: Flow<String, String> {
    Flow("pay") {
      Step("card") { [results] (_: String, context: StepContext) in
        while true {
          let payment = try await context.ask(Form(text: "card"))
          let result = try await context.wait(for: results, matching: { $0.hasPrefix("\(payment):") })
          if result.hasSuffix("paid") { return result }
        }
      }
    }
  }

  @Test("a result of an earlier payment is not taken for that of the next one, whether the flow is in memory or not")
  func passivated() async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    try await host.answerNext("f", #""1""#)
    await host.isQuiet()
    #expect(try await host.flow("f").send("2: paid", to: results, key: "b") == .accepted)
    #expect(try await host.flow("f").settled().signals == ["results"], "it is for another payment")
    await host.isQuiet()
    #expect(try await host.flow("f").send("1: refused", to: results, key: "a") == .accepted)
    #expect(try await host.flow("f").send("1: refused", to: results, key: "a") == .duplicate)
    let view = try await host.answerNext("f", #""2""#)
    #expect(view.status == .finished, "the result had come before")
    await host.isQuiet()
  }

  @Test("a buffer full of others' results does not keep out the one that a passivated step waits for")
  func fullBuffer() async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    try await host.answerNext("f", #""1""#)
    let text = String(repeating: "x", count: 200_000)
    for number in 0..<5 {
      #expect(try await host.flow("f").send("9: \(text)", to: results, key: "\(number)") == .accepted)
      _ = try await host.flow("f").settled()
      await host.isQuiet()
    }
    #expect(await code { try await host.flow("f").send("9: \(text)", to: results, key: "5") } == .signalsFull)
    await host.isQuiet()
    #expect(try await host.flow("f").send("1: \(text)paid", to: results, key: "6") == .accepted)
    #expect(try await host.flow("f").settled().status == .finished)
    await host.isQuiet()
  }
}
