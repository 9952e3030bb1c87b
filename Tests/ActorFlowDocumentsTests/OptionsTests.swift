import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

@Suite("Options") struct OptionsTests {
  private func found(_ entry: String) throws -> [FlowDocumentError.Mistake] {
    let catalog = try shop()
    let document = try FlowDocument(json: "{\"version\": 1, \"flow\": [{\"step\": \"shipping\"}, \(entry)]}")
    return mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    }
  }

  @Test("an unknown option key is reported with the nearest known one, at every depth")
  func unknown() throws {
    let entry = """
      {"step": "payment", "options": {"amount": 1, "curency": "€", "lines": [{"text": "a"}, {"text": "b", "widht": 1}]}}
      """
    #expect(
      try found(entry).map { "\($0.path) \($0.code) \($0.suggestion ?? "-") \($0.step?.path ?? "-")" } == [
        "$.flow[1].options.curency unknownKey currency payment",
        "$.flow[1].options.lines[1].widht unknownKey width payment",
      ])
  }

  @Test("options of the wrong type are reported at their position")
  func wrong() throws {
    let told = try found("{\"step\": \"payment\", \"options\": {\"amount\": \"1\"}}").map(\.description)
    #expect(
      told == [
        "line 1, column 79, $.flow[1].options.amount (at payment): expected a whole number, found a string"
      ])
    #expect(
      try found("{\"step\": \"payment\", \"options\": {\"amount\": 1.5}}").map(\.message) == [
        "the number does not fit into Int"
      ])
    #expect(try found("{\"step\": \"payment\", \"options\": {\"amount\": 1e3}}").isEmpty)
    #expect(
      try found("{\"step\": \"payment\", \"options\": {\"ammount\": 1}}").map { "\($0.path) \($0.message)" } == [
        "$.flow[1].options.ammount the options have no key 'ammount'",
        "$.flow[1].options the options need the key 'amount'",
      ])
    #expect(try found("{\"step\": \"payment\"}").map(\.path) == ["$.flow[1].step"])
    #expect(
      try found("{\"step\": \"free\", \"options\": {}}").map(\.message) == ["'free' takes no options"])
  }

  @Test("SC-106 an error of the component is thrown unchanged")
  func refused() throws {
    let found = try found("{\"step\": \"payment\", \"options\": {\"amount\": 0}}")
    #expect(found.map(\.path) == ["$.flow[1].options"])
    #expect(found.first?.underlying as? Refused == Refused())
  }

  private struct Everything: Codable, Equatable, Sendable {
    enum Color: String, Codable { case red, green }
    enum Choice: Codable, Equatable { case one(Int), other(name: String) }
    var yes: Bool
    var small: Int8
    var big: UInt64
    var ratio: Double
    var float: Float
    var text: String
    var color: Color
    var choice: [Choice]
    var names: [String: Int]
    var nothing: String?
    var list: [Int?]
    var pair: [[Bool]]
    var url: URL
    var data: Data
    var nested: FlowDocument
  }

  private final class Collected: Sendable {
    let options: Everything
    init(_ options: Everything) { self.options = options }
  }

  @Test("options are decoded as JSONDecoder decodes them")
  func types() async throws {
    let options = """
      {"yes": true, "small": -128, "big": 9223372036854775807, "ratio": 2, "float": 0.5, "text": "ß", "color": "green",
       "choice": [{"one": {"_0": 1}}, {"other": {"name": "x"}}], "names": {"a b": 1, "c": 2}, "nothing": null,
       "list": [1, null], "pair": [[], [true]], "url": "https://example.com/a?b", "data": "AQID",
       "nested": {"version": 1, "flow": [{"step": "a"}]}}
      """
    var catalog = FlowCatalog()
    try catalog.register("give", options: Everything.self) { options in
      Step("give") { () in Collected(options) }
    }
    let flow = try catalog.flow(
      json: "{\"version\": 1, \"flow\": [{\"step\": \"give\", \"options\": \(options)}]}", input: Void.self,
      output: Collected.self)
    let made = try await FlowCoordinator().run(flow).options
    let expected = try JSONDecoder().decode(Everything.self, from: Data(options.utf8))
    #expect(made == expected)
  }

  private struct Due: Decodable, Sendable { var date: Date }

  @Test("a date is written as text")
  func date() async throws {
    var catalog = FlowCatalog()
    try catalog.register("due", options: Due.self) { due in Step("due") { () in due.date } }
    let text = "{\"version\": 1, \"flow\": [{\"step\": \"due\", \"options\": {\"date\": \"1970-01-02T00:00:01Z\"}}]}"
    let flow = try catalog.flow(json: text, input: Void.self, output: Date.self)
    #expect(try await FlowCoordinator().run(flow) == Date(timeIntervalSince1970: 86_401))
  }
}
