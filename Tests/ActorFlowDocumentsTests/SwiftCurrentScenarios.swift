import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

@Suite("Scenarios: decoding SwiftCurrent's documents") struct SwiftCurrentScenarios {
  private func document(_ sequence: String, platform: String = "iOS") throws(FlowDocumentError) -> FlowDocument {
    try FlowDocument(
      swiftCurrent: "{\"schemaVersion\":\"v0.0.1\",\"sequence\":\(sequence)}", platform: platform)
  }

  private func found(_ sequence: String, platform: String = "iOS") -> [FlowDocumentError.Mistake] {
    mistakes { () throws(FlowDocumentError) in try document(sequence, platform: platform) }
  }

  @Test("SC-101 a two-step document gives two steps in order, with nothing around them")
  func twoSteps() throws {
    let document = try document("[{\"flowRepresentableName\":\"shipping\"},{\"flowRepresentableName\":\"free\"}]")
    #expect(document.entries == [FlowDocument.Entry(.step("shipping")), FlowDocument.Entry(.step("free"))])
    let flow = try shop().flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(flow.steps == ["shipping", "free"])
    #expect(flow.graph.nodes.map(\.backUp) == [.automatic, .automatic])
  }

  private class Base: @unchecked Sendable { var text: String { "base" } }
  private final class Derived: Base, @unchecked Sendable { override var text: String { "derived" } }

  @Test("SC-102 steps of a class and of its subclass are registered under separate names")
  func classes() async throws {
    var catalog = FlowCatalog()
    try catalog.register("base", Step("one") { () in Base().text })
    try catalog.register("derived", Step("one") { (_: String) in Derived().text })
    let names = "[{\"flowRepresentableName\":\"base\"},{\"flowRepresentableName\":\"derived\"}]"
    let flow = try catalog.flow(from: try document(names), input: Void.self, output: String.self)
    #expect(flow.steps == ["one", "one#2"])
    #expect(try await FlowCoordinator().run(flow) == "derived")
  }

  @Test(
    "SC-103 a malformed document throws, with the position",
    arguments: [
      ("{}", ["$", "$"]), ("{\"schemaVersion\":\"v0.0.2\",\"sequence\":[]}", ["$.schemaVersion"]),
      ("{\"schemaVersion\":\"v0.0.1\",\"sequence\":{}}", ["$.sequence"]), ("[]", ["$"]), ("{", ["$"]),
      ("{\"schemaVersion\":\"v0.0.1\",\"sequence\":[1,{}]}", ["$.sequence[0]", "$.sequence[1]"]),
      ("{\"schemaVersion\":\"v0.0.1\",\"seqence\":[],\"sequence\":[]}", ["$.seqence"]),
    ])
  func malformed(text: String, paths: [String]) {
    let found = mistakes { () throws(FlowDocumentError) in try FlowDocument(swiftCurrent: text) }
    #expect(found.map(\.path) == paths)
    #expect(found.allSatisfy { $0.line == 1 })
  }

  @Test("SC-104 an unknown step name throws with that name, at its position in SwiftCurrent's document")
  func unknown() throws {
    let catalog = try shop()
    let document = try document("[{\"flowRepresentableName\":\"shipping\"},{\"flowRepresentableName\":\"fre\"}]")
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    }
    #expect(
      found.map(\.description) == [
        "line 1, column 77, $.sequence[1].flowRepresentableName: no component is registered as 'fre'; "
          + "did you mean 'free'?"
      ])
  }

  private struct Payload: Codable, Equatable {
    var title: String
    var workflow: FlowDocument
    var count: Int
  }

  @Test("SC-105 a document inside another payload decodes, and the other fields stay intact")
  func nested() throws {
    let text = """
      {"title": "t", "workflow": {"version": 1, "flow": [{"step": "shipping"}, {"step": "unknown"}]}, "count": 3}
      """
    let payload = try JSONDecoder().decode(Payload.self, from: Data(text.utf8))
    #expect(payload.title == "t")
    #expect(payload.count == 3)
    #expect(payload.workflow.entries.map(\.kind) == [.step("shipping"), .step("unknown")])
    #expect(try JSONDecoder().decode(Payload.self, from: JSONEncoder().encode(payload)) == payload)
    let catalog = try shop()
    let unknown = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: payload.workflow, input: Cart.self, output: Order.self)
    }
    #expect(unknown.map(\.path) == ["$.workflow.flow[1].step"])
    let bad = text.replacingOccurrences(of: "\"step\": \"shipping\"", with: "\"stp\": 1")
    let error = #expect(throws: FlowDocumentError.self) {
      try JSONDecoder().decode(Payload.self, from: Data(bad.utf8))
    }
    #expect(error?.mistakes.map(\.path) == ["$.workflow.flow[0].stp", "$.workflow.flow[0]"])
  }

  @Test("SC-105 a document of SwiftCurrent's inside another payload decodes too")
  func nestedTheirs() throws {
    let text = """
      {"title": "t", "count": 3, "workflow": {"schemaVersion": "v0.0.1", "sequence": [
        {"flowRepresentableName": {"*": "shipping"}}, {"flowRepresentableName": {"*": "unknown"}}]}}
      """
    let payload = try JSONDecoder().decode(Payload.self, from: Data(text.utf8))
    #expect(payload.workflow.entries.map(\.kind) == [.step("shipping"), .step("unknown")])
    let catalog = try shop()
    let unknown = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: payload.workflow, input: Cart.self, output: Order.self)
    }
    #expect(unknown.map(\.path) == ["$.workflow.sequence[1].flowRepresentableName"])
  }

  @Test(
    "SC-106 names of styles and persistences are resolved by the component's registration; unknown ones are reported")
  func styles() throws {
    let text = """
      [{"flowRepresentableName":"own","launchStyle":"banner","flowPersistence":"sticky"},
       {"flowRepresentableName":"shipping","launchStyle":"banner","flowPersistence":"sticky"}]
      """
    var catalog = try shop()
    try catalog.register(
      "own",
      vocabulary: Vocabulary(presentations: ["banner": .custom("banner")], backUpPolicies: ["sticky": .returnable]),
      Step("own") { (cart: Cart) in cart })
    let document = try document(text)
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Order.self)
    }
    #expect(
      found.map { "\($0.path) \($0.message)" } == [
        "$.sequence[1].flowPersistence no back-up policy is registered as 'sticky'",
        "$.sequence[1].launchStyle no presentation is registered as 'banner'",
      ])
  }

  @Test("SC-107 a persistence for each occurrence: persistWhenSkipped, removedAfterProceeding, default, none")
  func persistences() throws {
    let names = ["persistWhenSkipped", "removedAfterProceeding", "default", "PERSISTWHENSKIPPED"]
    let sequence = names.map { "{\"flowRepresentableName\":\"gift-wrap\",\"flowPersistence\":\"\($0)\"}" }
    let text = "[" + (sequence + ["{\"flowRepresentableName\":\"gift-wrap\"}"]).joined(separator: ",") + "]"
    let flow = try shop().flow(from: try document(text), input: Order.self, output: Order.self)
    #expect(
      flow.graph.nodes.map(\.backUp) == [
        .returnableIfSkipped, .passThrough, .automatic, .returnableIfSkipped, .automatic,
      ])
  }

  @Test("SC-108 maps for each platform select its entry, else '*'; without either the field is named")
  func platforms() throws {
    let sequence = """
      [{"flowRepresentableName": {"iOS": "A", "macOS": "B", "*": "C"},
        "launchStyle": {"iOS": "modal", "*": "navigationLink"},
        "flowPersistence": {"macOS": "removedAfterProceeding", "*": "persistWhenSkipped"}}]
      """
    func read(_ platform: String) throws -> [String?] {
      let entry = try #require(try document(sequence, platform: platform).entries.first)
      guard case .step(let name, nil) = entry.kind else { return [] }
      return [name, entry.presentation, entry.onBackUp]
    }
    #expect(try read("iOS") == ["A", "modal", "returnableIfSkipped"])
    #expect(try read("macOS") == ["B", "push", "passThrough"])
    #expect(try read("*") == ["C", "push", "returnableIfSkipped"])
    #expect(try read("Linux") == ["C", "push", "returnableIfSkipped"])
    let missing = """
      [{"flowRepresentableName": {"macOS": "B"}, "launchStyle": {"macOS": "modal"}, "flowPersistence": {}}]
      """
    #expect(
      found(missing).map(\.path) == [
        "$.sequence[0].flowRepresentableName", "$.sequence[0].launchStyle", "$.sequence[0].flowPersistence",
      ])
    #expect(found(missing).allSatisfy { $0.message.contains("'iOS'") })
    #expect(found("[{\"flowRepresentableName\": \"a\", \"launchStyle\": null}]").isEmpty)
  }

  @Test("SC-109 registration gives the public name, the factory, and names that a family shares")
  func registration() throws {
    let family = Vocabulary(presentations: ["card": .custom("card")])
    var catalog = FlowCatalog()
    for name in ["one", "two"] {
      try catalog.register("public-\(name)", vocabulary: family, Step(name) { (text: String) in text + name })
    }
    let text = """
      [{"flowRepresentableName":"public-one","launchStyle":"card"},
       {"flowRepresentableName":"public-two","launchStyle":"card"}]
      """
    let flow = try catalog.flow(from: try document(text), input: String.self, output: String.self)
    #expect(flow.steps == ["one", "two"])
    #expect(flow.graph.nodes.map(\.info.presentation) == [.custom("card"), .custom("card")])
  }

  @Test("SC-110 neighbours that do not fit are rejected with both types when the flow is made")
  func illFitting() throws {
    let catalog = try shop()
    let text = "[{\"flowRepresentableName\":\"shipping\"},{\"flowRepresentableName\":\"shipping\"}]"
    let document = try document(text)
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Order.self)
    }
    #expect(found.map(\.message) == ["'shipping' takes Cart, but the output of 'shipping' is Order"])
    #expect(found.map(\.step?.path) == ["shipping#2"])
  }
}
