import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The types of an application at two times. A type of the second has the name of one of the first.
private enum Before {
  struct Address: Prompt, Codable {
    struct Answer: Codable, Sendable, Equatable { var street: String }
    static let promptName = "Address"
    var cart = ""
  }
  struct Receipt: Codable, Sendable, Equatable { var number: String }
  struct Paid: Codable, Sendable { var cents: Int }
}

private enum After {
  struct Address: Prompt, Codable {
    struct Answer: Codable, Sendable, Equatable {
      var street: String
      var zip: String
    }
    static let promptName = "Address"
    var cart = ""
  }
  struct Receipt: Codable, Sendable, Equatable {
    var number: String
    var currency: String
  }
  struct Paid: Codable, Sendable { var amount: String }
}

@Suite("Declared types of stored values", .timeLimit(.minutes(15))) struct StoredTypesTests {
  private let store = MemoryFlowStore()

  /// A step that pays, asks for an address and then waits for an approval.
  private func first(key: String? = nil) -> Flow<String, String> {
    Flow("order") {
      Step("address") { (_: String, context: StepContext) in
        let receipt = try await context.once("charge") { _ in Before.Receipt(number: "r1") }
        let address = try await context.ask(Before.Address(), key: key)
        return receipt.number + address.street + (try await context.ask(Form(text: "ok?")))
      }
    }
  }

  private func second(key: String? = nil) -> Flow<String, String> {
    Flow("order") {
      Step("address") { (_: String, context: StepContext) in
        let receipt = try await context.once("charge") { _ in After.Receipt(number: "", currency: "") }
        let address = try await context.ask(After.Address(), key: key)
        return receipt.number + receipt.currency + address.street + address.zip
          + (try await context.ask(Form(text: "ok?")))
      }
    }
  }

  /// A flow that has a record and an answer, and whose second question is open.
  private func fill(key: String? = nil) async throws {
    let host = FlowHost(store: store)
    try await host.register(first(key: key)).start(id: "o", with: "")
    try await host.answerNext("o", #"{"street":"Elm"}"#)
    await host.isQuiet()
  }

  private func deployed(
    _ stores: StoredTypes, moves: [Move] = [], keepingFirst: Bool = false, key: String? = nil
  ) async throws -> FlowHost {
    let host = FlowHost(store: store)
    if keepingFirst { try await host.register(first(key: key)) }
    try await host.register(second(key: key), version: 2, from: 1, moves: moves, stores: stores)
    return host
  }

  private var converting: [Move] {
    [
      .answer(of: "order/address", key: "Address") { (old: Before.Address.Answer) in
        After.Address.Answer(street: old.street, zip: "1")
      },
      .record(of: "order/address", key: "charge") { (old: Before.Receipt) in
        After.Receipt(number: old.number, currency: "€")
      },
    ]
  }

  private static let all: StoredTypes = [After.Address.self, After.Receipt.self, Form.self]

  @Test(
    "the changed answer type under plan(): unchecked without a declaration, unmigrated with one; both are never \"stays\""
  )
  func changedAnswer() async throws {
    try await fill()
    let unaware = try await deployed([])
    let plan = try await unaware.plan()
    #expect(plan.counts == (0, 0, 0, 1) && plan.groups.map(\.fate) == [.unchecked(version: 2)])
    let flow = try #require(plan.unchecked.first)
    #expect(flow.flow == "o" && flow.version == 2)
    #expect(Set(flow.values.map(\.kind)) == [.answer, .record])
    #expect(flow.values.allSatisfy { $0.step == "order/address" && $0.reason == nil })
    #expect(Set(flow.values.compactMap(\.key)) == ["Address", "charge"])
    #expect(plan.description.contains("order/address: answer \"Address\" of type Answer is not declared"))

    let aware = try await deployed(Self.all)
    let reason = try #require(try await aware.plan().groups.first?.fate.reason)
    #expect(reason.contains(#"the answer "Address" cannot be read as Answer: "zip" is missing"#), "\(reason)")
    #expect(reason.contains(#"the record "charge" cannot be read as Receipt: "currency" is missing"#), "\(reason)")
    #expect(!reason.contains("Elm") && !reason.contains("r1"))
    #expect(await code { try await aware.flow("o").answer(Form.self, with: "y") } == .unmigrated)
    #expect(try await aware.flow("o").view().failure == reason)
  }

  @Test("a flow whose values cannot be read does not stay on its own version either")
  func ownVersion() async throws {
    try await fill()
    let host = FlowHost(store: store)
    try await host.register(second(), stores: Self.all)
    let reason = try #require(try await host.plan().groups.first?.fate.reason)
    #expect(reason.contains("version 1 cannot go on with it") && reason.contains("Move.answer(of:key:)"), "\(reason)")
    #expect(await code { try await host.flow("o").answer(Form.self, with: "y") } == .unmigrated)
    // The build that can read it takes it up again.
    let back = FlowHost(store: store)
    try await back.register(first(), stores: [Before.Address.self, Before.Receipt.self, Form.self])
    #expect(try await back.plan().counts == (1, 0, 0, 0))
    #expect(try await back.answerNext("o", "\"y\"").status == .finished)
  }

  @Test("values that can be read are checked, and their flows stay or move")
  func readable() async throws {
    try await fill()
    let host = FlowHost(store: store)
    try await host.register(first(), stores: [Before.Address.self, Before.Receipt.self])
    #expect(try await host.plan().counts == (1, 0, 0, 0))
    let moved = try await deployed(Self.all, moves: converting)
    let plan = try await moved.plan()
    #expect(plan.counts == (0, 1, 0, 0) && plan.unused == [])
    #expect(plan.applied.map(\.move) == ["answer", "record"] && plan.applied.allSatisfy { $0.flows == 1 })
    #expect(plan.description.contains("order version 2: `record` \"charge\" of order/address changes 1 flow"))
    let view = try await moved.answerNext("o", "\"y\"")
    #expect(view.status == .finished && view.version == 2)
  }

  @Test("a conversion that throws leaves the flow as it was: on its version, or unmigrated with the reason")
  func throwing() async throws {
    try await fill()
    let moves: [Move] = [
      converting[1],
      .answer(of: "order/address", key: "Address") { (_: Before.Address.Answer) -> After.Address.Answer in throw Boom()
      },
    ]
    let host = try await deployed(Self.all, moves: moves)
    let reason = try #require(try await host.plan().groups.first?.fate.reason)
    #expect(
      reason.contains("the closure of `Move.answer` threw for the answer \"Address\" of order/address: Boom()"),
      "\(reason)")
    #expect(await code { try await host.flow("o").answer(Form.self, with: "y") } == .unmigrated)
    let both = try await deployed([], moves: moves, keepingFirst: true)
    #expect(try await both.plan().counts == (0, 0, 0, 1), "it stays, unchecked")
    #expect(try await both.answerNext("o", "\"y\"").version == 1)
  }

  @Test("a conversion from another type than the stored one names place, types and remedy")
  func wrongOld() async throws {
    try await fill()
    let host = try await deployed(
      [],
      moves: [.record(of: "address", key: "charge") { (old: [Int]) in After.Receipt(number: "\(old)", currency: "") }])
    let reason = try #require(try await host.plan().groups.first?.fate.reason)
    #expect(
      reason.contains(
        "the record \"charge\" of order/address is stored as Receipt and cannot be read as Array<Int>: "
          + "there is no Array<Any>; let the closure of `Move.record` take the type that was stored")
        || reason.contains("let the closure of `Move.record` take the type that was stored"), "\(reason)")
  }

  @Test("a move of an unknown step or key is reported with the keys that there are")
  func unknown() async throws {
    try await fill()
    let host = try await deployed(
      [],
      moves: [
        .record(of: "order/address", key: "chrge") { (old: String) in old },
        .answer(of: "order/adress", key: "Address") { (old: String) in old },
        .forgetAnswer(of: "order/address", key: "Address #2"),
      ])
    let unused = try await host.plan().unused
    #expect(unused.map(\.move) == ["record", "answer", "forgetAnswer"])
    #expect(unused.map(\.key) == ["chrge", nil, "Address #2"])
    #expect(unused.map(\.knownKeys) == [["charge"], [], ["Address"]])
    #expect(
      try await host.plan().description.contains("names the key \"chrge\", which no open flow has at order/address"))
  }

  @Test("an answer under a key of its own is checked only if the key is declared")
  func givenKey() async throws {
    try await fill(key: "home")
    let unaware = try await deployed(Self.all, key: "home")
    // The record alone keeps the flow from fitting.
    #expect(try await unaware.plan().groups.first?.fate.reason?.contains("answer") == false)
    let host = FlowHost(store: store)
    try await host.register(first(key: "home"), stores: [Before.Address.self, Before.Receipt.self])
    #expect(try await host.plan().unchecked.first?.values.map(\.key) == ["home"])
    let keyed = try await deployed(
      [After.Receipt.self] + .prompt(After.Address.self, key: "home"), moves: [converting[1]], key: "home")
    let reason = try #require(try await keyed.plan().groups.first?.fate.reason)
    #expect(reason.contains(#"the answer "home" cannot be read as Answer: "zip" is missing"#), "\(reason)")
  }

  @Test("a record whose type was renamed is found by its key")
  func renamedRecord() async throws {
    try await fill()
    let host = try await deployed([Before.Address.self] + .record("charge", Before.Paid.self))
    let reason = try #require(try await host.plan().groups.first?.fate.reason)
    #expect(reason.contains(#"the record "charge" is of type Receipt, not Paid"#), "\(reason)")
  }

  @Test(
    "a signal that no step has received is unchecked if it is not declared, or cannot be read; no flow stands still for it"
  )
  func signals() async throws {
    let flow = Flow<String, String>("order") { ask("address") }
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "o", with: "")
    _ = try await host.flow("o").send(Before.Paid(cents: 4), to: Signal("paid"), key: "1")
    await host.isQuiet()
    #expect(try await host.plan().unchecked.first?.values.map(\.kind) == [.signal])
    let aware = FlowHost(store: store)
    try await aware.register(flow, stores: .signal(Signal<After.Paid>("paid")))
    let value = try #require(try await aware.plan().unchecked.first?.values.first)
    #expect(value.key == "paid" && value.reason == "\"amount\" is missing", "\(value)")
    let right = FlowHost(store: store)
    try await right.register(flow, stores: [Before.Paid.self])
    #expect(try await right.plan().counts == (1, 0, 0, 0))
    #expect(try await aware.answerNext("o", "\"y\"").status == .finished)
  }

  @Test("a declaration of something that cannot be read is refused with the definition")
  func refused() async throws {
    struct Opaque: Sendable {}
    let host = FlowHost(store: store)
    let error = await #expect(throws: FlowError.self) {
      try await host.register(Flow<String, String>("order") { ask("address") }, stores: [Opaque.self, Form.self])
    }
    #expect(error?.code == .badDefinition)
    #expect(error?.message.contains("`stores:` names Opaque, which is no prompt") == true)
  }

  @Test("the reason of a value that cannot be read has no part of the value")
  func discreet() throws {
    struct Person: Codable { var ages: [String: Int] }
    let bytes = Array(#"{"ages":{"alice@example.org":"secret"}}"#.utf8)
    let error = #expect(throws: DecodingError.self) { try JSONValueCodec().decode(bytes, as: Person.self) }
    let reason = DecodingReason(try #require(error)).description
    #expect(reason.contains(#"at "ages".*"#) && !reason.contains("alice") && !reason.contains("secret"), "\(reason)")
  }
}

extension MigrationPlan.Fate {
  var reason: String? { if case .unmigrated(let reason) = self { reason } else { nil } }
}
