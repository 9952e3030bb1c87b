import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The small context that a flow keeps for its traces.
@Suite("Trace contexts", .timeLimit(.minutes(15))) struct TraceContextTests {
  private let store = MemoryFlowStore()
  private let log = Log()

  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { [log] in
        Scripted { [log] context in
          log.add("undo \(context.trace["traceparent"] ?? "-")")
        } _: { text, context in
          let answer = try await context.ask(Form(text: text))
          log.add("a \(context.trace["traceparent"] ?? "-")")
          return answer
        }
      }
      Step("b") { Asker() }
    }
  }

  private let trace: TraceContext = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]

  @Test("it goes with the flow to another host: steps, backUps, views and events have it")
  func otherHost() async throws {
    let trace: TraceContext = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
    let value = try #require(trace["traceparent"])
    let first = FlowHost(store: store, owner: "first")
    let view = try await first.register(flow).start(id: "x", with: "-", trace: trace)
    #expect(view.trace == trace)
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    let witness = Witness()
    let second = try FlowHost(store: store, owner: "second", options: .observed(by: witness))
    try await second.register(flow)
    try await second.answerNext("x", #""1""#)
    try await second.flow("x").abandon()
    await second.isQuiet()
    #expect(log.all == ["a \(value)", "undo \(value)"])
    #expect(try await second.flow("x").view().trace == trace)
    let events = witness.events.filter { $0.flow == "x" }
    #expect(events.count > 10 && events.allSatisfy { $0.trace == trace })
    for case .stepBegan(let step) in events.map(\.kind) { #expect(step.trace == trace) }
  }

  @Test("names and values keep their bytes: names that Swift calls equal are two")
  func bytes() async throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let trace: TraceContext = [composed: decomposed, decomposed: composed]
    #expect(trace.names == [decomposed, composed] && trace != [composed: composed])
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "x", with: "-", trace: trace)
    await host.isQuiet()
    let kept = try await FlowHost(store: store).flow("x").view().trace
    #expect(kept == trace)
    #expect(kept[composed].map { Array($0.utf8) } == Array(decomposed.utf8))
  }

  @Test("one of more than 1,024 bytes is refused, and nothing is started")
  func tooLarge() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    let most: TraceContext = ["name": String(repeating: "x", count: 1_020)]
    #expect(most.byteCount == TraceContext.maximumBytes)
    var more = most
    more["n"] = ""
    #expect(await code { try await flows.start(id: "x", with: "-", trace: more) } == .tooLarge)
    #expect(try await store.load("x") == nil)
    #expect(try await flows.start(id: "x", with: "-", trace: most).trace == most)
  }

  @Test("a start that is repeated with another context is the same start")
  func repeated() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "-", trace: trace)
    #expect(try await flows.start(id: "x", with: "-", trace: ["traceparent": "other"]).trace == trace)
  }

  @Test("a store of an earlier format refuses it, naming the remedy, and a flow without it is stored as before")
  func earlierFormat() async throws {
    var options = FlowHost.Options()
    options.writesFormat = 7
    let host = try FlowHost(store: store, options: options)
    let flows = try await host.register(flow)
    let error = await #expect(throws: FlowError.self) { try await flows.start(id: "x", with: "-", trace: trace) }
    #expect(error?.code == .notStorable && error?.message.contains("writesFormat") == true)
    #expect(try await store.load("x") == nil)
    try await flows.start(id: "x", with: "-")
    await host.isQuiet()
    #expect(try await store.load("x")?.snapshot.format == 7)
    options.writesFormat = 8
    let raised = try FlowHost(store: store, options: options)
    #expect(try await raised.register(flow).start(id: "y", with: "-", trace: trace).trace == trace)
  }

  @Test("a flow in memory has none")
  func inMemory() async throws {
    let found = try await FlowCoordinator().run(
      Flow<Int, Bool> { Step("a") { (_: Int, context: StepContext) in context.trace.isEmpty } }, with: 1)
    #expect(found)
    #expect(StepContext.standalone.trace.isEmpty)
  }
}
