import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Labels that steps give their flow while it runs.
@Suite("Labels of hosted flows", .timeLimit(.minutes(15))) struct LabelTests {
  private let store = MemoryFlowStore()

  private static let flow = Flow<String, String>("order") {
    Step("pay") { (input: String, context: StepContext) in
      try await context.label("stage", "new")
      let first = try await context.ask(Form(text: "first"))
      try await context.label("stage", first)
      try await context.label("team", nil)
      return input + (try await context.ask(Form(text: "second")))
    }
    Step("ship") { (input: String, context: StepContext) in
      input + (try await context.ask(Form(text: "third")))
    }
  }

  private func host(writing format: Int? = nil) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: store, owner: "host", options: options)
    return (host, try await host.register(Self.flow))
  }

  private func found(_ value: String, on host: FlowHost) async throws -> [FlowID] {
    try await host.list(FlowQuery(label: .init("stage", value))).flows.map(\.id)
  }

  @Test("an inbox finds questions by the labels that people set, shows these, and is counted")
  func inbox() async throws {
    let (host, flows) = try await host()
    for (id, team) in [("a", "tools"), ("b", "tools"), ("c", "paint")] as [(FlowID, String)] {
      try await flows.start(id: id, with: "-", labels: ["team": team])
      _ = try await host.flow(id).settled()
    }
    let query = TaskQuery(label: .init("team", "tools"), order: .asked)
    let page = try await host.tasks(query)
    #expect(Set(page.tasks.map(\.flow)) == ["a", "b"])
    for task in page.tasks { #expect(task.labels == ["team": "tools", "stage": "new"]) }
    #expect(try await host.count(query) == 2)
    #expect(try await host.count(TaskQuery(), upTo: 2) == 2)
    #expect(try await host.count(FlowQuery(label: .init("stage", "new"))) == 3)
  }

  @Test("a label is found when it was set, is not set again by another activation, and outlives a back")
  func found() async throws {
    var (host, flows) = try await host()
    try await flows.start(id: "a", with: "-", labels: ["team": "tools", "kind": "test"])
    #expect(try await host.flow("a").settled().labels == ["team": "tools", "kind": "test", "stage": "new"])
    try await host.answerNext("a", "\"paid\"")
    #expect(try await host.flow("a").view().labels == ["kind": "test", "stage": "paid"])
    for answer in ["2", "3"] {
      try await host.emptied()
      (host, flows) = try await self.host()
      #expect(try await found("paid", on: host) == ["a"])
      #expect(try await found("new", on: host) == [])
      try await host.answerNext("a", "\"\(answer)\"")
      #expect(try await host.flow("a").view().labels["stage"] == "paid")
    }
    #expect(try await flows.outcome(of: "a") == .finished("-23"))
    #expect(try await found("paid", on: host) == ["a"])
  }

  @Test("a flow that is stored in an earlier format has no labels of steps: the call names the option")
  func earlier() async throws {
    let (host, flows) = try await host(writing: 5)
    try await flows.start(id: "a", with: "-")
    let view = try await host.flow("a").settled()
    #expect(view.failure?.contains("writesFormat") == true, "\(view.failure ?? "")")
    #expect(view.labels == [:])
  }
}
