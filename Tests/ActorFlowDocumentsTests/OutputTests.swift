import ActorFlow
import ActorFlowDocuments
import Testing

@Suite("Transforms, joins, recoveries and values that pass by, in documents") struct OutputTests {
  private func run(_ entries: String, _ item: String = "mug") async throws -> String {
    let flow = try shop().flow(
      json: "{\"version\": 1, \"flow\": \(entries)}", input: Order.self, output: Order.self)
    return try await FlowCoordinator().run(flow, with: Order(item: item)).item
  }

  private func found<Input: Sendable>(_ entries: String, _ input: Input.Type = Order.self) throws -> [String] {
    let catalog = try shop()
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: "{\"version\": 1, \"flow\": \(entries)}", input: input, output: Order.self)
    }
    #expect(found.allSatisfy { $0.line == 1 && $0.column != nil })
    return found.map { mistake in
      "\(mistake.path): \(mistake.message)" + (mistake.suggestion.map { "; \($0)?" } ?? "")
    }
  }

  @Test("a transform changes the output of any entry, also of none")
  func transforms() async throws {
    #expect(try await run("[{\"step\": \"gift-wrap\", \"map\": \"shout\"}]") == "WRAPPED MUG")
    #expect(try await run("[{\"flow\": [], \"map\": \"shout\"}, {\"step\": \"gift-wrap\"}]") == "wrapped MUG")
    #expect(
      try await run("[{\"loop\": [{\"step\": \"gift-wrap\"}], \"while\": \"short\", \"map\": \"shout\"}]").count > 19)
    #expect(try await run("[{\"race\": [{\"step\": \"free\"}], \"map\": \"order\"}]") == "mug")
  }

  @Test("a join gets what reached the entry, and its output; also around a step that takes nothing")
  func joins() async throws {
    #expect(try await run("[{\"step\": \"gift-wrap\", \"carrying\": \"both\"}]") == "mug&wrapped mug")
    #expect(try await run("[{\"step\": \"survey\", \"carrying\": \"both\"}]") == "mug&survey")
    #expect(
      try await run("[{\"step\": \"gift-wrap\", \"map\": \"shout\", \"carrying\": \"both\"}]") == "mug&WRAPPED MUG")
    #expect(
      try await run("[{\"flow\": [{\"step\": \"gift-wrap\", \"carrying\": \"both\"}], \"map\": \"shout\"}]")
        == "MUG&WRAPPED MUG")
  }

  @Test("a value passes by a step that takes nothing, and by one that takes it; then it may be transformed")
  func passing() async throws {
    #expect(try await run("[{\"step\": \"news\", \"passingThrough\": true}]") == "mug")
    #expect(
      try await run("[{\"step\": \"gift-wrap\", \"passingThrough\": true}, {\"step\": \"gift-wrap\"}]") == "wrapped mug"
    )
    #expect(try await run("[{\"step\": \"free\", \"passingThrough\": true, \"map\": \"shout\"}]") == "MUG")
    #expect(try await run("[{\"step\": \"gift-wrap\", \"passingThrough\": false}]") == "wrapped mug")
    #expect(
      try await run("[{\"flow\": [{\"step\": \"news\"}, {\"step\": \"survey\"}], \"passingThrough\": true}]") == "mug")
  }

  @Test("a recovery replaces the output after the last attempt, and after a timeout")
  func recoveries() async throws {
    #expect(
      try await run("[{\"step\": \"broken\", \"retry\": {\"attempts\": 2}, \"recover\": \"replacement\"}]")
        == "replacement")
    #expect(
      try await run("[{\"step\": \"broken\", \"map\": \"shout\", \"recover\": \"replacement\"}]") == "replacement")
    #expect(
      try await run("[{\"flow\": [{\"step\": \"broken\", \"recover\": \"replacement\"}], \"map\": \"shout\"}]")
        == "REPLACEMENT")
    await #expect(throws: Refused.self) { try await run("[{\"step\": \"broken\"}]") }
  }

  @Test("the scopes are around an entry in the order of the article: retry, timeout, recover, expiry")
  func order() throws {
    let text = """
      {"version": 1, "flow": [{"step": "gift-wrap", "recover": "replacement", "expiresAfterIdle": 9, "timeout": 8,
        "retry": {"attempts": 2}, "map": "shout", "carrying": "both"}]}
      """
    let flow = try shop().flow(json: text, input: Order.self, output: Order.self)
    let scopes = flow.graph.program.compactMap { if case .open(let scope) = $0 { scope } else { nil } }
    #expect(scopes.map(\.deadline) == [.seconds(9), nil, .seconds(8), nil])
    guard case .recover = scopes[1].kind, case .retry = scopes[3].kind else {
      Issue.record("the scopes are in another order")
      return
    }
    #expect(scopes[3].only != nil, "a transform and a join leave a step the only one of its retry")
  }

  @Test("each mistake is reported at its key, with both types and the nearest name")
  func mistakenKeys() throws {
    #expect(
      try found(
        "[{\"step\": \"gift-wrap\", \"map\": \"shuot\"}, {\"step\": \"gift-wrap\", \"carrying\": \"bot\"}, "
          + "{\"step\": \"gift-wrap\", \"recover\": \"replacment\"}]") == [
          "$.flow[0].map: no transform is registered as 'shuot'; shout?",
          "$.flow[1].carrying: no join is registered as 'bot'; both?",
          "$.flow[2].recover: no recovery is registered as 'replacment'; replacement?",
        ])
    #expect(
      try found("[{\"step\": \"free\", \"map\": \"shout\"}]") == [
        "$.flow[0].map: the transform 'shout' takes Order, but the output of 'free' is Receipt"
      ])
    #expect(
      try found("[{\"step\": \"free\", \"carrying\": \"from-cart\"}]") == [
        "$.flow[0].carrying: 'from-cart' takes Cart before the entry, but the flow's input is Order",
        "$.flow[0].carrying: 'from-cart' takes Order after it, but the output of 'free' is Receipt",
      ])
    #expect(
      try found("[{\"step\": \"gift-wrap\", \"recover\": \"refund\"}]") == [
        "$.flow[0].recover: 'refund' recovers with Receipt, but the output of 'gift-wrap' is Order"
      ])
    #expect(
      try found(
        "[{\"step\": \"gift-wrap\", \"map\": [], \"carrying\": \"\", \"recover\": 3, \"passingThrough\": \"yes\"}]")
        == [
          "$.flow[0].passingThrough: expected a boolean, found a string",
          "$.flow[0].map: expected a string, found an array",
          "$.flow[0].carrying: an empty string names nothing",
          "$.flow[0].recover: expected a string, found a number",
        ])
    #expect(
      try found("[{\"step\": \"gift-wrap\", \"map\": \"shout\", \"map\": \"shout\"}]") == [
        "$.flow[0].map: the key 'map' occurs twice in this object"
      ])
    #expect(
      try found("[{\"step\": \"guest-order\", \"passingThrough\": true}]") == [
        "$.flow[0].step: 'guest-order' takes Guest, but the flow's input is Order"
      ])
  }

  @Test("a join of another number of values is refused for carrying")
  func joinOfOne() throws {
    var catalog = try shop()
    try catalog.registerJoin("one") { (order: Order) in order }
    var entry = FlowDocument.Entry(.step("gift-wrap"))
    entry.carrying = "one"
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: FlowDocument(entries: [entry]), input: Order.self, output: Order.self)
    }
    #expect(
      found.map(\.description) == [
        "$.flow[0].carrying (at wrap): 'one' joins 1 result, but 'carrying' needs a join of two: of the value that "
          + "reaches the entry, and of the entry's output"
      ])
  }

  @Test("names that are taken or empty are refused")
  func duplicates() throws {
    var catalog = try shop()
    #expect(throws: FlowError.self) { try catalog.registerElements("parcels") { (value: Int) in [value] } }
    #expect(throws: FlowError.self) {
      try catalog.registerTally("first-heavy") { (_: [Int], _) -> Tally<Int> in .goOn }
    }
    #expect(throws: FlowError.self) { try catalog.registerTransform("shout") { (value: Int) in value } }
    #expect(throws: FlowError.self) { try catalog.registerRecovery("refund") { _ in 1 } }
    #expect(throws: FlowError.self) { try catalog.registerType("", Int.self) }
    let error = #expect(throws: FlowError.self) { try catalog.registerType("receipt", Int.self) }
    #expect(error?.code == .badDefinition)
    #expect(error?.message.contains("another type is registered as 'receipt'") == true)
  }
}
