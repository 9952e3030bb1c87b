import ActorFlow
import ActorFlowHosting
import FlowObservers
import InMemoryLogging
import Logging
import Testing

/// The lines that a logging back end receives.
@Suite("FlowLogger") struct FlowLoggerTests {
  private let world = World()
  private let handler = InMemoryLogHandler()

  private func logger(_ level: Logger.Level) -> FlowLogger {
    var logger = Logger(label: "flows") { _ in handler }
    logger.logLevel = level
    return FlowLogger(logger)
  }

  private func lines(_ message: String) -> [Logger.Metadata] {
    handler.entries.filter { $0.message.description == message }.map(\.metadata)
  }

  @Test("the course of a flow is logged with its flow, step and principal, on both hosts")
  func course() async throws {
    try await world.wholeFlow { _ in logger(.info) }
    #expect(
      handler.entries.map(\.message.description) == [
        "flow started", "question asked", "question answered", "flow ended",
      ])
    let answered = try #require(lines("question answered").first)
    #expect(answered["flow"] == "order-17")
    #expect(answered["definition"] == "order")
    #expect(answered["step"] == "order/approve")
    #expect(answered["by"] == "bob")
    #expect(answered["host"] == "tuesday")
    #expect(answered["waited"] == "\(Duration.seconds(86_400))")
    #expect(lines("flow ended").first?["status"] == "finished")
  }

  @Test("at the level debug, steps, effects, commits and requests have lines, with the request's key and the trace id")
  func details() async throws {
    let trace: TraceContext = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
    try await world.host("a", observedBy: [logger(.debug)]) { host, orders in
      try await orders.start(id: "x", with: "-", trace: trace)
      _ = try await host.flow("x").settled()
      try await host.flow("x").answer(Approval.self, with: "yes", key: "click-1")
      _ = try await host.flow("x").settled()
    }
    #expect(handler.entries.allSatisfy { $0.metadata["trace-id"] == "0af7651916cd43dd8448eb211c80319c" })
    #expect(lines("effect ended").map { $0["effect"] } == ["hold", "charge"])
    #expect(lines("effect ended").map { $0["outcome"] } == ["returned", "returned"])
    #expect(lines("request ended").contains { $0["request"] == "answer" && $0["request-key"] == "click-1" })
    #expect(lines("flow written").contains { $0["request-key"] == "click-1" && $0["revision"] != nil })
    #expect(lines("step ended").contains { $0["step"] == "order/pay" && $0["outcome"] == "returned" })
  }

  @Test("a failure has its type and no message, at a level that is seen")
  func failures() async throws {
    await world.bank.close()
    try await world.wholeFlow { _ in logger(.debug) }
    let suspended = try #require(handler.entries.first { $0.message == "flow suspended" })
    #expect(suspended.level == .error)
    #expect(suspended.metadata["step"] == "order/pay")
    #expect(suspended.metadata["error"] == "Closed")
    #expect(handler.entries.contains { $0.message == "effect ended" && $0.level == .notice })
    // The step waited on the first host, and began again on the second for the answer.
    let approvals = lines("step began").filter { $0["step"] == "order/approve" }
    #expect(approvals.map { $0["host"] } == ["monday", "tuesday"])
    #expect(approvals.map { $0["replay"] } == [nil, "true"])
  }

  @Test("no line has an input, a question, an answer or the message of an error")
  func noSecrets() async throws {
    await world.bank.close()
    try await world.wholeFlow { _ in logger(.trace) }
    let text = handler.entries.map { "\($0)" }.joined(separator: "\n")
    #expect(text.contains("flow suspended"))
    #expect(!text.contains("SECRET"))
    #expect(!text.contains("~"), "the secret part of a question's id")
  }
}
