import ActorFlow
import Foundation
import Testing

@Suite("Identifiers as text") struct IdentifierTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func roundTrip<T: Codable>(_ value: T) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(try json(value).utf8))
  }

  @Test("a StepID is encoded as one string", arguments: ["a", "checkout/delivery/address", "a#2", "ä/ö"])
  func stepID(path: String) throws {
    #expect(try json(StepID(path)) == "\"\(path)\"")
    #expect(try roundTrip(StepID(path)) == StepID(path))
  }

  @Test("a VisitID is encoded as one number")
  func visitID() throws {
    #expect(try json(VisitID(17)) == "17")
    #expect(try roundTrip(VisitID(17)) == VisitID(17))
    #expect(VisitID(1) < VisitID(2))
  }

  @Test("a FlowID is encoded as one string, whether given or unique")
  func flowID() throws {
    #expect(try json(FlowID("order-17")) == "\"order-17\"")
    #expect(try roundTrip(FlowID("order-17")) == "order-17")
    let unique = FlowID.unique()
    #expect(try roundTrip(unique) == unique)
    #expect(FlowID(unique.description) == unique)
    #expect(FlowID(unique.description).hashValue == unique.hashValue)
  }

  @Test(
    "texts that look almost like a unique id are unchanged",
    arguments: ["flow-", "flow--1", "flow-AB-1", "flow-0a-01", "flow-a-1-2", ""])
  func lookalikes(text: String) throws {
    #expect(FlowID(text).description == text)
    #expect(try roundTrip(FlowID(text)) == FlowID(text))
  }

  @Test("unique ids are unique, made by many tasks at once")
  func unique() async {
    let ids = await withTaskGroup(of: [FlowID].self) { group in
      for _ in 1...8 { group.addTask { (1...500).map { _ in FlowID.unique() } } }
      return await group.reduce(into: Set<FlowID>()) { $0.formUnion($1) }
    }
    #expect(ids.count == 4_000)
    #expect(Set(ids.map(\.description)).count == 4_000)
  }

  @Test("a question's id stores flow, run and number")
  func questionID() throws {
    let id = Question.ID(flow: "order-17", run: 2, number: 5)
    #expect(try roundTrip(id) == id)
    #expect(id.description == "order-17/2/5")
    #expect(id != Question.ID(flow: "order-17", run: 1, number: 5))
  }

  @Test("the secret part of a question's id is in its description alone, which can be read back")
  func secret() throws {
    var generator = SystemRandomNumberGenerator()
    let token = RandomBits(using: &generator)
    let id = Question.ID(flow: "order-17", run: 2, number: 5, token: token)
    #expect(id.description == "order-17/2/5/~\(token)" && Question.ID(id.description) == id)
    #expect(try roundTrip(id) == id)
    var dumped = ""
    dump(id, to: &dumped)
    let change = Change.answered(id, by: nil)
    for text in [id.debugDescription, dumped, "\([id])", "\(change)", String(reflecting: change)] {
      #expect(!text.contains("\(token)"), "\(text)")
    }
  }

  @Test("a principal and the policies are Codable")
  func others() throws {
    let principal = Principal(id: "ann", roles: ["clerk"])
    #expect(try roundTrip(principal) == principal)
    for policy in [BackUpPolicy.automatic, .returnable, .returnableIfSkipped, .passThrough, .oneWay, .settling] {
      #expect(try roundTrip(policy) == policy)
    }
    for policy in [FailurePolicy.rollBack, .suspend] { #expect(try roundTrip(policy) == policy) }
  }
}
