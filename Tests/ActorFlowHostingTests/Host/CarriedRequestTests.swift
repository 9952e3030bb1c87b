import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Requests that a write carries") struct CarriedRequestTests {
  private let carried = RequestRecorder()
  private let paid = Signal<Int>("paid")

  private func host() async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let store = PlainStore(
      base: MemoryFlowStore(),
      onWrite: { [carried] write in carried.add(write.requests) })
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("f") {
      Step("a") { Asker() }
      Step("b") { Asker() }
    }
    return (host, try await host.register(flow))
  }

  @Test("each request is carried once, by the commit that its caller waits for, with its kind, key and principal")
  func once() async throws {
    let (host, flows) = try await host()
    let (ann, bob) = (Principal(id: "ann"), Principal(id: "bob"))
    try await flows.start(id: "x", with: "-", by: ann)
    _ = try await host.flow("x").settled()
    #expect(carried.all == [FlowWrite.Request(.start, by: "ann")])
    let question = try #require(try await host.flow("x").settled().questions.first)
    try await host.flow("x").answer(question.id, with: "1", by: ann, key: "form-1")
    // A repetition writes nothing, and so does a refused request.
    try await host.flow("x").answer(question.id, with: "1", by: ann, key: "form-1")
    _ = await code { try await host.flow("x").answer(question.id, with: "2", by: bob, key: "form-2") }
    _ = try await host.flow("x").settled()
    _ = try await host.flow("x").send(1, to: paid, key: "event 1", by: bob)
    try await host.flow("x").backUp(by: bob)
    try await host.flow("x").abandon(reason: "enough", key: "end")
    #expect(
      carried.all.dropFirst() == [
        FlowWrite.Request(.answer, key: "form-1", by: "ann"),
        FlowWrite.Request(.signal, key: "4 paid event 1", by: "bob"),
        FlowWrite.Request(.backUp, by: "bob"), FlowWrite.Request(.abandon, key: "end"),
      ])
  }

  @Test("a retry is carried by the commit that lets the suspended flow go on")
  func retried() async throws {
    let (host, _) = try await host()
    let flows = try await host.register(
      Flow<String, String>("g") { Step("boom") { (_: String, _: StepContext) -> String in throw Boom() } })
    try await flows.start(id: "y", with: "-")
    #expect(try await host.flow("y").settled().status == .suspended)
    try await host.flow("y").retry(by: Principal(id: "ann"), key: "again")
    #expect(carried.all == [FlowWrite.Request(.start), FlowWrite.Request(.retry, key: "again", by: "ann")])
  }
}

private final class RequestRecorder: Sendable {
  private let requests = Lock<[FlowWrite.Request]>([])
  var all: [FlowWrite.Request] { requests.withLock { $0 } }
  func add(_ new: [FlowWrite.Request]) { requests.withLock { $0 += new } }
}
