import ActorFlow
import ActorFlowDocuments
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

/// Flows of documents whose values are stored.
@Suite("Hosted flows of documents", .timeLimit(.minutes(15))) struct HostedDocumentTests {
  struct Form: Prompt, Codable {
    typealias Answer = String
    var text: String
  }

  private actor Asker: FlowStep {
    func proceed(_ input: String, context: StepContext) async throws -> String {
      "\(input)-\(try await context.ask(Form(text: input)))"
    }
    func backUp(context: RollbackContext) {}
  }

  private struct Long: Codable, Sendable { var text: String }
  private struct Short: Codable, Sendable { var text: String }
  private struct End: Codable, Sendable { var text: String }

  private static func catalog() throws -> FlowCatalog {
    var catalog = FlowCatalog()
    try catalog.register("ask", Step("ask") { Asker() })
    try catalog.register(
      "confirm", Step("confirm") { (_: Void, context: StepContext) in _ = try await context.ask(Form(text: "?")) })
    try catalog.registerElements("words") { (text: String) in text.split(separator: " ").map { String($0) } }
    try catalog.registerTransform("sentence") { (words: [String]) in words.joined(separator: " ") }
    try catalog.registerCase("again") { (text: String) in text.hasSuffix("more") ? text : nil }
    try catalog.registerCase("enough") { (text: String) in text.hasSuffix("more") ? nil : text }
    try catalog.registerTransform("end") { (end: End) in end.text }
    try catalog.registerType("end", End.self)
    try catalog.register(
      "sort",
      Step("sort") { (text: String) -> OneOf2<Long, Short> in
        text.count > 50 ? .first(Long(text: text)) : .second(Short(text: text))
      })
    try catalog.register("long", Step("long") { (long: Long) in End(text: "long \(long.text)") })
    try catalog.register(
      "short",
      Step("short") { (short: Short, context: StepContext) in
        End(text: "\(short.text) \(try await context.ask(Form(text: short.text)))")
      })
    try catalog.registerJoin("both") { (before: String, after: String) in "\(before)|\(after)" }
    return catalog
  }

  /// The flow, made anew of the text for each host.
  private static func flow() throws -> Flow<String, String> {
    try catalog().flow(
      json: """
        {"version": 1, "name": "letter", "flow": [
          {"step": "confirm", "passingThrough": true},
          {"forEach": "words", "do": [{"step": "ask", "as": "word"}], "map": "sentence", "as": "words"},
          {"hub": {"step": "ask", "as": "menu"}, "done": "enough",
           "cases": [{"case": "again", "do": [{"step": "ask", "as": "side"}]}]},
          {"typeRouter": [{"step": "sort"}, {"step": "long"}, {"step": "short"}], "end": "end", "as": "desk",
           "map": "end", "carrying": "both"}
        ]}
        """, input: String.self, output: String.self)
  }

  private actor Stubborn: FlowStep {
    func proceed(_ long: Long, context: StepContext) async throws -> End {
      let answer = try await context.ask(Form(text: long.text))
      if answer == "fail" { throw Refusal() }
      return End(text: "\(long.text)-\(answer)")
    }
    func backUp(context: RollbackContext) {}
  }

  private struct Refusal: Error {}

  /// The second attempt begins with a value that was read back.
  @Test("a router in a retry takes its value again after a crash")
  func retriedRouter() async throws {
    try await testHost { tester in
      let flows = try await tester.deploy { host in
        var catalog = try Self.catalog()
        try catalog.register("stubborn", Step("stubborn") { Stubborn() })
        try catalog.register("begin", Step("begin") { (text: String) in Long(text: text) })
        let flow = try catalog.flow(
          json: """
            {"version": 1, "name": "again", "flow": [
              {"step": "begin"},
              {"typeRouter": [{"step": "stubborn"}], "end": "end", "map": "end", "retry": {"attempts": 2}}
            ]}
            """, input: String.self, output: String.self)
        return try await host.register(flow)
      }
      try await flows.start(id: "r", with: "x")
      try await tester.crash()
      try await tester.answer(Form.self, of: "r", with: "fail")
      try await tester.crash()
      try await tester.answer(Form.self, of: "r", with: "done")
      #expect(try await flows.finish("r") == "x-done")
    }
  }

  @Test("a flow with elements, a hub, a router and carried values goes on after each crash in a flow made anew")
  func everyWait() async throws {
    try await testHost { tester in
      let letters = try await tester.deploy { host in try await host.register(try Self.flow()) }
      let begun = try await letters.start(id: "l", with: "a b")
      #expect(begun.steps == ["letter/confirm"])
      try await tester.crash()
      try await tester.answer(Form.self, of: "l", with: "")
      for (step, answer) in [("letter/words/1/word", "2"), ("letter/words/0/word", "1")] {
        try await tester.crash()
        let question = try await tester.question(Form.self, of: "l", at: StepID(stringLiteral: step))
        try await tester.answer(question, with: answer)
      }
      for (step, answer) in [("menu", "more"), ("again/side", "x"), ("menu", "done"), ("desk/short", "end")] {
        try await tester.crash()
        #expect(try await tester.view(of: "l").steps == [StepID(stringLiteral: "letter/\(step)")])
        try await tester.answer(Form.self, of: "l", with: answer)
      }
      try await tester.crash()
      #expect(
        try await letters.finish("l") == "a-1 b-2-more-x-done|a-1 b-2-more-x-done end")
    }
  }

  @Test("in a chain of asks of a document, each answer is one commit with the next question")
  func chainOfAsks() async throws {
    var catalog = FlowCatalog()
    try catalog.register("ask", Ask("ask") { (text: String) in Form(text: text) })
    try catalog.registerTransform("shout") { (text: String) in text + "!" }
    let store = MemoryFlowStore(clock: ManualWallClock())
    let host = FlowHost(store: store)
    let flows = try await host.register(
      try catalog.flow(
        json: """
          {"version": 1, "name": "chain", "flow": [
            {"step": "ask", "as": "name", "map": "shout"}, {"step": "ask", "as": "place"}, {"step": "ask", "as": "day"}
          ]}
          """, input: String.self, output: String.self))
    try await flows.start(id: "c", with: "-")
    for (answer, next) in [("Ada", "Ada!"), ("Rome", "Rome")] {
      let revision = try await host.flow("c").settled().revision
      try await host.flow("c").answer(Form.self, with: answer)
      let view = try await host.flow("c").settled()
      #expect(try view.questions.map { try $0.prompt(as: Form.self).text } == [next])
      #expect(view.revision == revision.next)
    }
    try await host.flow("c").answer(Form.self, with: "now")
    _ = try await host.flow("c").settled()
    #expect(try await flows.outcome(of: "c") == .finished("now"))
  }
}
