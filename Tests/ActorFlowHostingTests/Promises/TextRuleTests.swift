import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Texts by which stores find flows: their bytes count, and those that no database can keep are refused.
@Suite("Texts that stores index", .timeLimit(.minutes(15))) struct TextRuleTests {
  private let store = MemoryFlowStore()

  /// A prompt that is assigned to the people named by the flow's input.
  struct Task: AssignedPrompt, Codable {
    typealias Answer = String
    var assignees: [String]
    var due: Date?
  }

  private let asking = Flow<String, String>("f") {
    Step("ask") { (input: String, context: StepContext) in
      try await context.ask(Task(assignees: input.split(separator: ",").map(String.init)))
    }
  }

  private static let long = String(repeating: "ä", count: 256) + "."
  private static let most = String(repeating: "ä", count: 256)
  private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

  private func error(_ body: () async throws -> some Any) async -> FlowError? {
    do { _ = try await body() } catch { return error as? FlowError }
    return nil
  }

  private func isEmpty() async throws -> Bool {
    try await store.list(FlowQuery(), after: nil, limit: 1).flows.isEmpty
  }

  @Test("a flow whose id is too long or contains U+0000 is not started, and the error says what an id may be")
  func ids() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(asking)
    let long = await error { try await flows.start(id: FlowID(Self.long), with: "") }
    #expect(long?.code == .tooLarge && long?.message.contains("513 bytes; it must have at most 512") == true)
    let null = await error { try await flows.start(id: "a\0b", with: "") }
    #expect(null?.code == .notStorable && null?.message.contains("U+0000") == true)
    #expect(try await isEmpty())
    try await flows.start(id: FlowID(Self.most), with: "")
    #expect(try await host.flow(FlowID(Self.most)).settled().status == .waiting)
  }

  @Test("a label of a step is found under the bytes of its key, also if the start set one that Swift calls equal")
  func labelOfStep() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("s") { (input: String, context: StepContext) in
          try await context.label("cafe\u{301}", "2")
          return try await context.ask(Task(assignees: []))
        }
      })
    try await flows.start(id: "x", with: "", labels: ["caf\u{e9}": "1"])
    _ = try await host.flow("x").settled()
    let found = try await store.list(FlowQuery(label: .init("cafe\u{301}", "2")), after: nil, limit: 9)
    #expect(found.flows.map(\.id) == ["x"])
  }

  @Test("a flow that an earlier version has started under such an id goes on")
  func earlier() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(asking)
    try await flows.start(id: "x", with: "")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let snapshot = try #require(try await store.load("x")).snapshot
    _ = try await store.commit(FlowWrite(snapshot, to: FlowID(Self.long), expecting: .none))
    #expect(try await flows.start(id: FlowID(Self.long), with: "").status == .waiting)
    #expect(try await host.flow(FlowID(Self.long)).answer(Task.self, with: "yes").id == FlowID(Self.long))
    #expect(try await host.flow(FlowID(Self.long)).settled().status == .finished)
  }

  @Test("a flow with a label that is too long or contains U+0000 is not started", arguments: [long, "a\0"])
  func labels(_ text: String) async throws {
    let flows = try await FlowHost(store: store).register(asking)
    for labels in [[text: "value"], ["key": text]] {
      let error = await error { try await flows.start(id: "x", with: "", labels: labels) }
      #expect(error?.code == (text == Self.long ? .tooLarge : .notStorable))
      #expect(error?.message.contains("label") == true)
    }
    #expect(try await isEmpty())
  }

  @Test("a step's label with U+0000 is refused where it is set")
  func labelsOfSteps() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("f") {
      Step("label") { (_: String, context: StepContext) in
        for (key, value) in [("a\0", "b"), ("a", "b\0")] {
          do { try await context.label(key, value) } catch let error as FlowError where error.code == .notStorable {
            continue
          }
          return "accepted"
        }
        return "refused"
      }
    }
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "")
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("refused"))
    #expect(try await host.flow("x").view().labels == [:])
  }

  @Test(
    "a step that asks a person whose name cannot be stored fails; the error names the step", arguments: [long, "a\0"])
  func assignees(_ name: String) async throws {
    let host = FlowHost(store: store)
    try await host.register(asking).start(id: "x", with: "ann,\(name)")
    let view = try await host.flow("x").settled()
    #expect(view.status == .suspended && view.questions.isEmpty)
    #expect(view.failure?.contains("an assignee of the prompt Task") == true, "\(view.failure ?? "")")
  }

  @Test("a definition and a host whose names cannot be stored are refused", arguments: [long, "a\0"])
  func names(_ name: String) async throws {
    let host = FlowHost(store: store)
    let refused = await error { try await host.register(asking.named(name)) }
    #expect(refused?.code == .badDefinition && refused?.message.contains("its name") == true)
    #expect(throws: FlowError.self) { try FlowHost(store: store, owner: name, options: FlowHost.Options()) }
    let nameless = FlowHost(store: store, owner: name)
    let flows = try await nameless.register(asking)
    #expect(await error { try await flows.start(id: "x", with: "") }?.code == .badOptions)
    #expect(try await isEmpty())
  }

  @Test("two ids of the same characters and other bytes are two flows, with labels and people of their own")
  func characters() async throws {
    let texts = [Self.composed, Self.decomposed]
    #expect(texts[0] == texts[1] && FlowID(texts[0]) != FlowID(texts[1]) && Set(texts.map { FlowID($0) }).count == 2)
    let host = FlowHost(store: store)
    let flows = try await host.register(asking)
    for text in texts { try await flows.start(id: FlowID(text), with: text, labels: [text: text]) }
    for text in texts {
      #expect(try await host.flow(FlowID(text)).settled().status == .waiting)
      let labelled = try await host.list(FlowQuery(label: .init(text, text))).flows
      #expect(labelled.map { Array($0.id.description.utf8) } == [Array(text.utf8)])
      let tasks = try await host.tasks(TaskQuery(assignees: [text])).tasks
      #expect(tasks.map { Array($0.flow.description.utf8) } == [Array(text.utf8)])
    }
    try await host.flow(FlowID(texts[0])).answer(Task.self, with: "yes")
    #expect(try await host.flow(FlowID(texts[0])).settled().status == .finished)
    #expect(try await flows.outcome(of: FlowID(texts[1])) == .open)
  }

  @Test("a label that changes only its bytes is found by the new ones")
  func changedLabel() async throws {
    var snapshot = FlowSnapshot(
      definition: "f", version: 1, status: .waiting, labels: ["name": Self.composed],
      tasks: [OpenTask(question: "q", step: "a", prompt: "p", assignees: [Self.composed], askedAt: .distantPast)])
    _ = try await store.commit(FlowWrite(snapshot, to: "x", expecting: .none))
    snapshot.labels["name"] = Self.decomposed
    snapshot.tasks[0].assignees = [Self.decomposed]
    _ = try await store.commit(FlowWrite(snapshot, to: "x", expecting: Revision(1)))
    for (text, count) in [(Self.composed, 0), (Self.decomposed, 1)] {
      let query = FlowQuery(label: .init("name", text))
      #expect(try await store.list(query, after: nil, limit: 9).flows.count == count)
      #expect(try await store.tasks(TaskQuery(assignees: [text]), after: nil, limit: 9).tasks.count == count)
    }
  }
}
