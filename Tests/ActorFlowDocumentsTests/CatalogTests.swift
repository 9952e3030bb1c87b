import ActorFlow
import ActorFlowDocuments
import Testing

@Suite("Making a flow from a document") struct CatalogTests {
  private func found(_ json: String) throws -> [FlowDocumentError.Mistake] {
    let catalog = try shop()
    let document = try FlowDocument(json: "{\"version\": 1, \"name\": \"f\", \"flow\": \(json)}")
    return mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    }
  }

  @Test("every construct of the format becomes the flow that the builder would have made")
  func everything() throws {
    let flow = try shop().flow(json: ActorFlowDocumentsTests.everything, input: Cart.self, output: Receipt.self)
    #expect(
      flow.graph.nodes.map(\.info.id.path) == [
        "checkout/address", "checkout/wrapping/wrap", "checkout/wrapping/wrap#2", "checkout/guest/order",
        "checkout/isMember/order", "checkout/wrap", "checkout/race", "checkout/race/wrap", "checkout/race/survey",
        "checkout/payment",
      ])
    let nodes = flow.graph.nodes
    #expect(nodes[0].backUp == .returnable)
    #expect(nodes[0].info.presentation == .modal)
    #expect(nodes[2].failure == .suspend)
    let scopes = flow.graph.program.compactMap { if case .open(let scope) = $0 { scope } else { nil } }
    #expect(scopes.map(\.deadline) == [.seconds(2.5), .seconds(7_200), nil])
    guard case .retry(let attempts, let backoff) = scopes[2].kind else {
      Issue.record("the innermost scope is no retry")
      return
    }
    #expect(attempts == 3)
    #expect(backoff == .exponential(from: .milliseconds(100), factor: 2, limit: .seconds(60)))
    #expect(scopes[2].only === nodes[9])
  }

  @Test("the flow runs: steps with options, cases, loops and the otherwise branch")
  func runs() async throws {
    let text = """
      {"version": 1, "flow": [
        {"step": "shipping"},
        {"switch": [{"case": "isGuest", "do": [{"step": "guest-order"}]},
                    {"case": "isMember", "do": [{"step": "member-order"}, {"step": "survey"}]}],
         "otherwise": [{"step": "gift-wrap"}]},
        {"loop": [{"step": "gift-wrap"}], "while": "short"},
        {"step": "payment", "options": {"amount": 7}}
      ]}
      """
    let flow = try shop().flow(json: text, input: Cart.self, output: Receipt.self)
    let results = ["gloves": "wrapped wrapped gloves", "mug": "wrapped wrapped survey"]
    for (item, made) in results {
      let receipt = try await FlowCoordinator().run(flow, with: Cart(item: item))
      #expect(receipt == Receipt(item: made, paid: 7))
    }
    let teapot = try await FlowCoordinator().run(flow, with: Cart(item: "teapot"))
    #expect(teapot == Receipt(item: "wrapped wrapped teapot", paid: 7))
  }

  @Test("a join makes one value of the results of parallel branches, and its types are checked")
  func join() throws {
    let branches = "\"parallel\": [{\"step\": \"ask-price\"}, {\"step\": \"ask-stock\", \"as\": \"left\"}]"
    let flow = try shop().flow(
      json: "{\"version\": 1, \"flow\": [{\"step\": \"shipping\"}, {\(branches), \"join\": \"offer\"}]}",
      input: Cart.self, output: Receipt.self)
    #expect(flow.graph.nodes.map(\.info.id.path) == ["shipping", "parallel", "parallel/price", "parallel/left"])
    guard case .all(let join)? = flow.graph.nodes[1].fork?.fork.goal else {
      Issue.record("no join")
      return
    }
    #expect(try join([Quote(price: 5), Stock(count: 2)]) as? Receipt == Receipt(item: "2", paid: 5))
    let swapped = "{\"parallel\": [{\"step\": \"ask-stock\"}, {\"step\": \"ask-price\"}], \"join\": \"offer\"}"
    let told = try found("[{\"step\": \"shipping\"}, \(swapped)]").map(\.description)
    #expect(
      told == [
        "line 1, column 74, $.flow[1].parallel[0] (at f/parallel): 'offer' takes Quote from this branch, but "
          + "the output of 'ask-stock' is Stock",
        "line 1, column 97, $.flow[1].parallel[1] (at f/parallel): 'offer' takes Stock from this branch, but "
          + "the output of 'ask-price' is Quote",
      ])
    let one = "{\"parallel\": [{\"step\": \"ask-price\"}], \"join\": \"ofer\"}"
    #expect(try found("[{\"step\": \"shipping\"}, \(one)]").map(\.suggestion) == ["offer"])
    let few = "{\"parallel\": [{\"step\": \"ask-price\"}], \"join\": \"offer\"}"
    #expect(try found("[{\"step\": \"shipping\"}, \(few)]").map(\.path) == ["$.flow[1].join"])
  }

  @Test("parallel branches and races run")
  func forks() async throws {
    let text = """
      {"version": 1, "flow": [
        {"step": "shipping"},
        {"race": [{"step": "gift-wrap"}]},
        {"parallel": [{"step": "ask-price"}, {"step": "ask-stock"}], "join": "offer"}
      ]}
      """
    let flow = try shop().flow(json: text, input: Cart.self, output: Receipt.self)
    #expect(try await FlowCoordinator().run(flow, with: Cart()) == Receipt(item: "3", paid: 42))
  }

  @Test("neighbours that do not fit are reported with both types, and once for each cause")
  func types() throws {
    let told = try found("[{\"step\": \"shipping\"}, {\"step\": \"guest-order\"}, {\"step\": \"free\"}]").map(
      \.description)
    #expect(
      told == [
        "line 1, column 61, $.flow[1].step (at f/order): 'guest-order' takes Guest, but the output of 'shipping' is "
          + "Order"
      ])
    #expect(
      try found("[{\"step\": \"shipping\"}]").map(\.message) == [
        "the flow must make Receipt, but the output of 'shipping' is Order"
      ])
    #expect(try found("[]").map(\.message) == ["the flow must make Receipt, but the flow's input is Cart"])
    #expect(try found("[{\"step\": \"shiping\"}, {\"step\": \"free\"}]").map(\.suggestion) == ["shipping"])
    #expect(
      try found("[{\"step\": \"survey\"}, {\"step\": \"free\"}]").isEmpty, "a step that takes Void follows any step")
  }

  @Test("branches, bodies and races that do not fit are reported")
  func branching() throws {
    let ways = """
      [{"step": "shipping"},
       {"switch": [{"case": "isGuest", "do": []},
                   {"case": "isGuest", "do": [{"step": "member-order"}]},
                   {"case": "isGest", "do": [{"step": "nothing-known"}]}],
        "otherwise": [{"step": "free"}]},
       {"loop": [{"step": "shipping"}], "while": "short"},
       {"race": [{"step": "free"}, {"step": "gift-wrap"}]}]
      """
    #expect(
      try found(ways).map { "\($0.path) \($0.code)" } == [
        "$.flow[1].switch[1].do[0].step typeMismatch",  // a Guest for what takes a Member
        "$.flow[1].switch[1] typeMismatch",  // makes an Order, the first way a Guest
        "$.flow[1].switch[2].case unknownName",
        "$.flow[1].switch[2].do[0].step unknownName",
        "$.flow[1].otherwise typeMismatch",  // makes a Receipt
        "$.flow[2].loop[0].step typeMismatch",  // gets a Guest
        "$.flow[2].while typeMismatch",  // the body began with a Guest
        "$.flow[3].race[1] typeMismatch",  // makes an Order, the first branch a Receipt
      ])
  }

  @Test("names of policies and presentations come from the component, the catalog, or the format")
  func vocabulary() throws {
    var catalog = try shop()
    catalog.vocabulary.presentations["sheet"] = .custom("sheet")
    let vocabulary = Vocabulary(presentations: ["sheet": .embed], backUpPolicies: ["keep": .returnable])
    try catalog.register("cart", vocabulary: vocabulary, Step("cart") { (cart: Cart) in cart })
    let good = """
      {"version": 1, "flow": [{"step": "cart", "presentation": "sheet", "onBackUp": "keep"},
                              {"step": "shipping", "presentation": "sheet", "onBackUp": "oneWay"}]}
      """
    let nodes = try catalog.flow(json: good, input: Cart.self, output: Order.self).graph.nodes
    #expect(nodes.map(\.info.presentation) == [.embed, .custom("sheet")])
    #expect(nodes.map(\.backUp) == [.returnable, .oneWay])
    #expect(
      try found(
        "[{\"step\": \"shipping\", \"presentation\": \"sheet\", \"onBackUp\": \"oneway\"}, {\"step\": \"free\"}]"
      )
      .map { "\($0.path) \($0.suggestion ?? "-")" } == ["$.flow[0].onBackUp oneWay", "$.flow[0].presentation -"])
  }

  @Test("mistakes of reading and of checking are reported together, and each only once")
  func together() throws {
    let catalog = try shop()
    let text = """
      {"version": 1, "flow": [
        {"step": "shiping", "option": {}},
        {"steep": "gift-wrap"},
        {"step": "gift-wrap"},
        {"switch": []},
        {"race": []},
        {"step": "payment", "options": []},
        {"step": "guest-order"}
      ]}
      """
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: text, input: Cart.self, output: Order.self)
    }
    #expect(
      found.map { "\($0.line ?? 0) \($0.path) \($0.code)" } == [
        "2 $.flow[0].option unknownKey", "3 $.flow[1].steep unknownKey", "3 $.flow[1] missingKey",
        "5 $.flow[3].switch badValue", "6 $.flow[4].race badValue", "7 $.flow[5].options wrongKind",
        "2 $.flow[0].step unknownName", "8 $.flow[6].step typeMismatch",
      ])
  }

  @Test("a document built in code is checked like one that was read")
  func inCode() throws {
    var entry = FlowDocument.Entry(.step("shipping"), as: "address")
    entry.timeout = .infinity
    entry.retry = FlowDocument.Retry(attempts: 0)
    let catalog = try shop()
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: FlowDocument(entries: [entry]), input: Cart.self, output: Order.self)
    }
    #expect(found.map(\.path) == ["$.flow[0].retry.attempts", "$.flow[0].timeout"])
    #expect(found.allSatisfy { $0.line == nil && $0.step == "address" })
    var deep = FlowDocument.Entry(.flow([]))
    for _ in 0..<1_000 { deep = FlowDocument.Entry(.flow([deep])) }
    let tooDeep = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: FlowDocument(entries: [deep]), input: Cart.self, output: Cart.self)
    }
    #expect(tooDeep.map(\.code) == [.tooLarge])
  }

  @Test("hostile documents cost little: name comparisons are limited, and nesting fits a small stack")
  func hostile() throws {
    var catalog = try shop()
    for number in 0..<500 { try catalog.register("component-\(number)", Step("x") { (cart: Cart) in cart }) }
    let unknown = (0..<2_000).map { "{\"step\": \"komponent-\($0)x\"}" }.joined(separator: ",")
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: "{\"version\": 1, \"flow\": [\(unknown)]}", input: Cart.self, output: Cart.self)
    }
    #expect(found.count == 1_000)
    #expect(found.first?.suggestion != nil)
    #expect(found.last?.suggestion == nil)
    // On a thread of 512 KiB, the smallest there is, twice the depth would overflow in a debug build.
    var deep = FlowDocument.Entry(.flow([]))
    for _ in 0..<64 { deep = FlowDocument.Entry(.race([deep])) }
    let tooDeep = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: FlowDocument(entries: [deep]), input: Cart.self, output: Cart.self)
    }
    #expect(tooDeep.map(\.code) == [.tooLarge])
  }

  @Test("after an edit the positions in the old text are no longer reported")
  func edited() throws {
    var document = try FlowDocument(json: "{\"version\": 1, \"flow\": [{\"step\": \"shipping\"}]}")
    document.entries.insert(FlowDocument.Entry(.step("unknown")), at: 0)
    let catalog = try shop()
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(from: document, input: Cart.self, output: Order.self)
    }
    #expect(found.map(\.path) == ["$.flow[0].step"])
    #expect(found.first?.line == nil)
  }

  @Test("a name that is taken or empty is refused, and nothing is lost")
  func duplicates() throws {
    var catalog = try shop()
    let error = #expect(throws: FlowError.self) {
      try catalog.register("shipping", Step("other") { (cart: Cart) in cart })
    }
    #expect(error?.code == .badDefinition)
    #expect(error?.message.contains("'shipping'") == true)
    #expect(throws: FlowError.self) { try catalog.registerCase("isGuest") { (value: Int) in value } }
    #expect(throws: FlowError.self) { try catalog.registerJoin("offer") { (value: Int) in value } }
    #expect(throws: FlowError.self) { try catalog.registerLoop("") { (value: Int) in value } }
    let flow = try catalog.flow(
      json: "{\"version\": 1, \"flow\": [{\"step\": \"shipping\"}]}", input: Cart.self, output: Order.self)
    #expect(flow.steps == ["shipping"])
  }
}
