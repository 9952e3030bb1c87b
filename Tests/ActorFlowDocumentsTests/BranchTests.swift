import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

@Suite("Elements, hubs and routers in documents") struct BranchTests {
  private func flow<Input: Sendable, Output: Sendable>(
    _ entries: String, _ input: Input.Type = Input.self, _ output: Output.Type = Output.self
  ) throws -> Flow<Input, Output> {
    try shop().flow(json: "{\"version\": 1, \"flow\": \(entries)}", input: input, output: output)
  }

  /// Returns the place and the message of each mistake, of a document that gets an `Order`.
  private func found<Output: Sendable>(
    _ entries: String, _ output: Output.Type = Order.self, codes: Bool = false
  ) throws -> [String] {
    let catalog = try shop()
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(json: "{\"version\": 1, \"flow\": \(entries)}", input: Order.self, output: output)
    }
    #expect(found.allSatisfy { $0.line == 1 && $0.column != nil })
    return found.map { mistake in
      let suggestion = mistake.suggestion.map { "; \($0)?" } ?? ""
      return "\(mistake.path): \(codes ? "\(mistake.code)" : mistake.message)\(suggestion)"
    }
  }

  @Test("the document with all of these keys is read, written and read back, made, and run")
  func everything() async throws {
    let document = try FlowDocument(json: everyBranch)
    let written = try JSONEncoder().encode(document)
    #expect(try FlowDocument(json: written) == document)
    #expect(try JSONDecoder().decode(FlowDocument.self, from: written) == document)
    #expect(
      document.entries[4].kind
        == .hub(
          {
            var menu = FlowDocument.Entry(.step("counter"))
            menu.onBackUp = "returnable"
            return menu
          }(),
          [FlowDocument.Way("wrapping", as: "wrapper", do: [FlowDocument.Entry(.step("gift-wrap"), as: "paper")])],
          otherwise: [FlowDocument.Entry(.step("survey"))], done: "leaving"))
    let flow = try shop().flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(
      flow.steps == [
        "stand/shipping", "stand/news", "stand/each/*/unpack", "stand/each/*/wrap", "stand/weighing/*/weigh",
        "stand/counter", "stand/wrapper/paper", "stand/survey", "stand/desk/triage", "stand/desk/sell",
        "stand/desk/reserve", "stand/broken", "stand/payment",
      ])
    #expect(flow.graph.nodes.first { $0.info.id == "stand/counter" }?.backUp == .returnable)
    let receipt = try await FlowCoordinator().run(flow, with: Cart(item: "teapot"))
    #expect(receipt == Receipt(item: "replacement", paid: 7))
  }

  @Test("a forEach, a hub and a router are those that the builder makes: the same graph, and the same results")
  func sameAsCode() async throws {
    let hub = Hub(Step("counter") { (order: Order) in order.item.count < 20 ? Pick.wrapping(order) : .leaving(order) })
    {
      Case("wrapping", { (pick: Pick) in if case .wrapping(let order) = pick { order } else { Order?.none } }) {
        Step("wrap") { (order: Order) in Order(item: "wrapped " + order.item) }
      }
    } done: { pick in
      if case .leaving(let order) = pick { order } else { nil }
    }
    let router = try TypeRouter(start: Order.self, end: Receipt.self) {
      Step("triage") { (order: Order) -> OneOf2<Quote, Stock> in
        order.item.hasPrefix("g") ? .first(Quote(price: 7)) : .second(Stock(count: order.item.count))
      }
      Step("sell") { (quote: Quote) in Receipt(item: "sold", paid: quote.price) }
      Step("reserve") { (stock: Stock) in Receipt(item: "reserved", paid: stock.count) }
    }
    let built = Flow<Order, Receipt> {
      ForEach({ (order: Order) in order.item.split(separator: " ").map { Parcel(item: "\($0)") } }) {
        Step("unpack") { (parcel: Parcel) in Order(item: parcel.item) }
      }
      .map { (orders: [Order]) in Order(item: orders.map(\.item).joined(separator: "+")) }
      hub
      router
    }
    let made: Flow<Order, Receipt> = try flow(
      """
      [{"forEach": "parcels", "do": [{"step": "unpack"}], "map": "list"},
       {"hub": {"step": "counter"}, "cases": [{"case": "wrapping", "do": [{"step": "gift-wrap"}]}], "done": "leaving"},
       {"typeRouter": [{"step": "triage"}, {"step": "sell"}, {"step": "reserve"}], "end": "receipt"}]
      """)
    #expect(made.steps == built.steps)
    #expect(made.diagram(.mermaid) == built.diagram(.mermaid))
    #expect(made.diagram(.dot) == built.diagram(.dot))
    for item in ["gold ring", "a", "", "guard of a very long name with words"] {
      let order = Order(item: item)
      let (expected, result) = try await (
        FlowCoordinator().run(built, with: order), FlowCoordinator().run(made, with: order)
      )
      #expect(result == expected, "\(item)")
    }
  }

  @Test("a forEach gives the array of its results, or the output of its tally; without elements it ends at once")
  func elements() async throws {
    let all: Flow<Order, [Weight]> = try flow("[{\"forEach\": \"parcels\", \"do\": [{\"step\": \"weigh\"}]}]")
    #expect(try await FlowCoordinator().run(all, with: Order(item: "a bb ccc")).map(\.grams) == [1, 2, 3])
    #expect(try await FlowCoordinator().run(all, with: Order(item: "")) == [])
    let some: Flow<Order, Order> = try flow(
      "[{\"forEach\": \"parcels\", \"do\": [{\"step\": \"weigh\"}], \"until\": \"first-heavy\"}]")
    for (item, told) in ["a bb": "light", "": "light", "a teapot b": "heavy 6"] {
      #expect(try await FlowCoordinator().run(some, with: Order(item: item)) == Order(item: told))
    }
  }

  @Test("each mistake in a forEach is reported at its place, with the nearest name")
  func mistakesInElements() throws {
    let good = "\"do\": [{\"step\": \"weigh\"}]"
    #expect(
      try found("[{\"forEach\": \"parcel\", \(good), \"until\": \"first-heavy\"}]") == [
        "$.flow[0].forEach: no list of elements is registered as 'parcel'; parcels?"
      ])
    #expect(
      try found("[{\"forEach\": \"parcels\", \(good), \"until\": \"first-heavi\"}]") == [
        "$.flow[0].until: no tally is registered as 'first-heavi'; first-heavy?"
      ])
    #expect(
      try found("[{\"forEach\": \"parcels\", \(good)}]") == [
        "$.flow[0]: the flow must make Order, but the array of the results is Array<Weight>"
      ])
    #expect(
      try found("[{\"forEach\": \"parcels\", \"do\": [{\"step\": \"gift-wrap\"}], \"until\": \"first-heavy\"}]") == [
        "$.flow[0].do[0].step: 'gift-wrap' takes Order, but an element of 'parcels' is Parcel",
        "$.flow[0].until: 'first-heavy' takes results of Weight, but the output of 'gift-wrap' is Order",
      ])
    #expect(
      try found("[{\"step\": \"free\"}, {\"forEach\": \"parcels\", \(good), \"map\": \"total\"}]") == [
        "$.flow[1].forEach: the list of elements 'parcels' takes Order, but the output of 'free' is Receipt"
      ])
    #expect(
      try found(
        "[{\"forEach\": \"parcels\"}, {\"forEach\": \"parcels\", \"do\": []}, {\"forEach\": [], \(good), \"map\": \"total\"}]"
      ) == [
        "$.flow[0]: a forEach needs the key 'do'",
        "$.flow[1].do: a forEach needs at least one entry to run for each element",
        "$.flow[2].forEach: expected a string, found an array",
      ])
    #expect(
      try found("[{\"forEach\": \"parcels\", \(good), \"until\": 1}, {\"step\": \"gift-wrap\"}]") == [
        "$.flow[0].until: expected a string, found a number"
      ])
    #expect(
      try found("[{\"forEach\": \"parcels\", \(good), \(good), \"until\": \"first-heavy\"}]") == [
        "$.flow[0].do: the key 'do' occurs twice in this object"
      ])
  }

  @Test("a hub may have a menu that takes nothing, an otherwise, and an output of another type")
  func hubs() async throws {
    let away: Flow<Order, Order> = try flow(
      """
      [{"hub": {"step": "nothing"}, "cases": [{"case": "wrapping", "do": []}],
        "otherwise": [{"step": "survey"}, {"loop": [{"step": "gift-wrap"}], "while": "short"}], "done": "leaving"}]
      """)
    let long = try await FlowCoordinator().run(away, with: Order(item: "x"))
    #expect(long == Order(item: "wrapped wrapped survey"))
    let help: Flow<Order, Order> = try flow(
      """
      [{"hub": {"step": "help"}, "cases": [{"case": "wrapping", "do": []}], "done": "leaving"}]
      """)
    #expect(help.steps == ["help"])
    let error = await #expect(throws: FlowError.self) {
      try await FlowCoordinator().run(help, with: Order(item: "x"))
    }
    #expect(error?.code == .noMatchingCase)
  }

  /// A menu without input, whose side branches make values: the menu gets none of them.
  @Test("side branches of a menu that takes nothing may make anything")
  func menuWithoutInput() async throws {
    var catalog = try shop()
    let turns = Turns()
    try catalog.register(
      "turn", Step("turn") { () in await turns.next() < 3 ? Pick.wrapping(Order(item: "x")) : .lost })
    try catalog.registerCase("lost") { (pick: Pick) in pick == .lost ? Receipt(item: "lost", paid: 0) : nil }
    let flow = try catalog.flow(
      json: """
        {"version": 1, "flow": [
          {"hub": {"step": "turn", "as": "menu"}, "as": "hall", "done": "lost",
           "cases": [{"case": "wrapping", "do": [{"step": "gift-wrap"}]}], "otherwise": []}
        ]}
        """, input: Cart.self, output: Receipt.self)
    #expect(flow.steps == ["hall/menu", "hall/wrapping/wrap"])
    #expect(try await FlowCoordinator().run(flow, with: Cart()) == Receipt(item: "lost", paid: 0))
    #expect(await turns.count == 3)
  }

  private actor Turns {
    var count = 0
    func next() -> Int {
      count += 1
      return count
    }
  }

  @Test("each mistake in a hub is reported at its place, with the nearest name")
  func mistakesInHubs() throws {
    func hub(_ menu: String, _ cases: String, _ more: String = "\"done\": \"leaving\"") -> String {
      "[{\"hub\": \(menu), \"cases\": \(cases), \(more)}]"
    }
    let (menu, cases) = ("{\"step\": \"counter\"}", "[{\"case\": \"wrapping\", \"do\": []}]")
    #expect(try found(hub(menu, cases)) == [])
    #expect(
      try found(hub("{\"step\": \"countr\"}", "[{\"case\": \"wraping\", \"do\": []}]", "\"done\": \"leving\"")) == [
        "$.flow[0].hub.step: no component is registered as 'countr'; counter?",
        "$.flow[0].cases[0].case: no case is registered as 'wraping'; wrapping?",
        "$.flow[0].done: no case is registered as 'leving'; leaving?",
      ])
    #expect(
      try found(hub(menu, "[{\"case\": \"wrapping\", \"do\": [{\"step\": \"free\"}]}]", "\"done\": \"isGuest\"")) == [
        "$.flow[0].cases[0]: the case 'wrapping' returns Receipt to the menu (the output of 'free'), which takes Order",
        "$.flow[0].done: the case 'isGuest' takes Order, but the output of 'counter' is Pick",
        "$.flow[0]: the flow must make Order, but the output of the hub is Guest",
      ])
    #expect(
      try found(hub(menu, "[{\"case\": \"isGuest\", \"do\": [{\"step\": \"guest-order\"}]}]")) == [
        "$.flow[0].cases[0].case: the case 'isGuest' takes Order, but the output of 'counter' is Pick"
      ])
    #expect(
      try found(hub(menu, cases, "\"done\": \"leaving\", \"otherwise\": []")) == [
        "$.flow[0].otherwise: the part for 'otherwise' returns Pick to the menu (the output of 'counter'), "
          + "which takes Order"
      ])
    #expect(
      try found("[{\"step\": \"free\"}, " + hub(menu, cases).dropFirst()) == [
        "$.flow[1].hub.step: 'counter' takes Order, but the output of 'free' is Receipt"
      ])
    #expect(
      try found("[{\"hub\": \(menu)}, {\"hub\": \(menu), \"cases\": [], \"done\": 7}]") == [
        "$.flow[0]: a hub needs the key 'cases'", "$.flow[0]: a hub needs the key 'done'",
        "$.flow[1].cases: a hub needs at least one case", "$.flow[1].done: expected a string, found a number",
      ])
    #expect(try found(hub("\"counter\"", cases)) == ["$.flow[0].hub: expected an entry as an object, found a string"])
    #expect(
      try found(hub("{\"stepp\": \"counter\"}", cases), codes: true) == [
        "$.flow[0].hub.stepp: unknownKey; step?", "$.flow[0].hub: missingKey",
      ])
  }

  @Test("a menu that is no single step is refused: another entry, several steps, scopes, or a carried value")
  func menus() throws {
    let menus = [
      "{\"flow\": [{\"step\": \"counter\"}]}", "{\"hub\": {\"step\": \"counter\"}}", "{\"step\": \"two\"}",
      "{\"step\": \"counter\", \"retry\": {\"attempts\": 2}}", "{\"step\": \"counter\", \"timeout\": 1}",
      "{\"step\": \"gift-wrap\", \"carrying\": \"both\"}", "{\"step\": \"gift-wrap\", \"passingThrough\": true}",
    ]
    for menu in menus {
      let told = try found(
        "[{\"hub\": \(menu), \"cases\": [{\"case\": \"wrapping\", \"do\": []}], \"done\": \"leaving\"}]")
      #expect(
        told == [
          "$.flow[0].hub: the menu of a hub is a single step: name a component by 'step' here, and put what surrounds "
            + "it around the hub"
        ], "\(menu)")
    }
    let kind = FlowDocument.Kind.hub(
      FlowDocument.Entry(.flow([])), [FlowDocument.Way("wrapping", do: [])], done: "leaving")
    let catalog = try shop()
    let built = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(
        from: FlowDocument(entries: [FlowDocument.Entry(kind)]), input: Order.self, output: Order.self)
    }
    #expect(built.map(\.path) == ["$.flow[0].hub"])
    let empty = FlowDocument.Kind.hub(FlowDocument.Entry(.step("counter")), [], done: "leaving")
    let cases = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(
        from: FlowDocument(entries: [FlowDocument.Entry(empty)]), input: Order.self, output: Order.self)
    }
    #expect(cases.map(\.description) == ["$.flow[0].cases: a hub needs at least one case"])
  }

  @Test("the output of a hub's menu may be transformed before the cases look at it")
  func transformedMenu() async throws {
    var catalog = try shop()
    try catalog.registerTransform("leave") { (order: Order) in Pick.leaving(order) }
    let flow = try catalog.flow(
      json: """
        {"version": 1, "flow": [{"hub": {"step": "gift-wrap", "map": "leave", "presentation": "modal"},
          "cases": [{"case": "wrapping", "do": []}], "done": "leaving"}]}
        """, input: Order.self, output: Order.self)
    #expect(try await FlowCoordinator().run(flow, with: Order(item: "x")) == Order(item: "wrapped x"))
  }

  @Test("without 'end' a router at the end of the document makes the document's output, also inside a flow or a case")
  func endOfRouter() async throws {
    let router = "{\"typeRouter\": [{\"step\": \"triage\"}, {\"step\": \"sell\"}, {\"step\": \"reserve\"}]}"
    let ends = [
      "[\(router)]", "[{\"flow\": [{\"step\": \"gift-wrap\", \"map\": \"shout\"}, \(router)], \"as\": \"x\"}]",
      "[{\"switch\": [{\"case\": \"isGuest\", \"do\": [{\"step\": \"guest-order\"}, \(router)]}], \"otherwise\": [\(router)]}]",
      "[{\"race\": [\(router)]}]",
    ]
    for entries in ends {
      let flow: Flow<Order, Receipt> = try flow(entries)
      #expect(try await FlowCoordinator().run(flow, with: Order(item: "four")).item == "reserved", "\(entries)")
    }
    let message =
      ": a typeRouter needs the key 'end', unless it is the last entry and its output is that of the document"
    #expect(try found("[\(router), {\"step\": \"survey\"}]") == ["$.flow[0]\(message)"])
    #expect(
      try found("[{\"flow\": [\(router)], \"map\": \"order\"}]") == ["$.flow[0].flow[0]\(message)"])
    #expect(
      try found("[{\"forEach\": \"parcels\", \"do\": [{\"step\": \"unpack\"}, \(router)]}]", [Receipt].self) == [
        "$.flow[0].do[1]\(message)"
      ])
  }

  @Test("a router takes entries of every kind whose input their names tell")
  func partsOfRouters() async throws {
    let kinds = [
      "{\"flow\": [{\"flow\": [{\"step\": \"free\"}]}]}",
      "{\"switch\": [{\"case\": \"isGuest\", \"do\": [{\"step\": \"guest-order\"}, {\"step\": \"free\"}]}], "
        + "\"otherwise\": [{\"step\": \"free\"}]}",
      "{\"flow\": [{\"loop\": [{\"step\": \"gift-wrap\"}], \"while\": \"short\"}, {\"step\": \"free\"}]}",
      "{\"parallel\": [{\"step\": \"ask-price\"}, {\"step\": \"ask-stock\"}], \"join\": \"offer\"}",
      "{\"race\": [{\"step\": \"free\"}]}",
      "{\"flow\": [{\"race\": [{\"step\": \"survey\"}, {\"step\": \"gift-wrap\"}]}, {\"step\": \"free\"}]}",
      "{\"flow\": [{\"forEach\": \"parcels\", \"do\": [{\"step\": \"weigh\"}], \"map\": \"total\"}, {\"step\": \"free\"}]}",
      "{\"flow\": [{\"hub\": {\"step\": \"counter\"}, \"cases\": [{\"case\": \"wrapping\", \"do\": "
        + "[{\"step\": \"gift-wrap\"}]}], \"done\": \"leaving\"}, {\"step\": \"free\"}]}",
      "{\"flow\": [{\"flow\": [], \"map\": \"shout\"}, {\"step\": \"free\"}]}",
      "{\"flow\": [{\"step\": \"survey\", \"carrying\": \"both\"}, {\"step\": \"free\"}]}",
      "{\"flow\": [{\"step\": \"gift-wrap\", \"passingThrough\": true}, {\"step\": \"free\"}]}",
    ]
    for kind in kinds {
      let flow: Flow<Cart, Receipt> = try flow("[{\"typeRouter\": [\(kind), {\"step\": \"shipping\"}]}]")
      _ = try await FlowCoordinator().run(flow, with: Cart(item: "teapot"))
    }
  }

  @Test("all mistakes of a router are reported at their entries, with the types")
  func mistakesInRouters() throws {
    func router(_ parts: String, _ more: String = ", \"end\": \"receipt\"") -> String {
      "[{\"typeRouter\": [\(parts)]\(more), \"map\": \"order\"}]"
    }
    #expect(
      try found(router("{\"step\": \"triage\"}, {\"step\": \"sell\"}, {\"step\": \"guest-order\"}")) == [
        "$.flow[0].typeRouter[0]: step \"triage\" makes OneOf2<Quote, Stock> with the case Stock, which no step takes",
        "$.flow[0].typeRouter[2]: step \"order\", which takes Guest, cannot be reached",
      ])
    #expect(
      try found(router("{\"step\": \"sell\"}, {\"step\": \"free\"}, {\"step\": \"ask-price\"}"), codes: true) == [
        "$.flow[0].typeRouter[1]: badRoute"
      ])
    #expect(
      try found(router("{\"step\": \"sell\"}")) == [
        "$.flow[0].typeRouter: the start is Order, which no step takes",
        "$.flow[0].typeRouter[0]: step \"sell\", which takes Quote, cannot be reached",
        "$.flow[0].end: the end, Receipt, cannot be reached",
      ])
    #expect(
      try found(router("{\"step\": \"free\"}", ", \"end\": \"recept\"")) == [
        "$.flow[0].end: no type is registered as 'recept'; receipt?"
      ])
    #expect(
      try found(router("{\"step\": \"fre\"}, {\"step\": \"trage\"}")) == [
        "$.flow[0].typeRouter[0].step: no component is registered as 'fre'; free?",
        "$.flow[0].typeRouter[1].step: no component is registered as 'trage'; triage?",
      ])
    let unknown =
      "the type that this entry takes is not known: begin it with a 'step', or register a component for it"
    for part in [
      "{\"flow\": []}", "{\"typeRouter\": [{\"step\": \"free\"}], \"end\": \"receipt\"}",
      "{\"step\": \"news\", \"passingThrough\": true}",
    ] {
      #expect(
        try found(router("\(part), {\"step\": \"free\"}")) == ["$.flow[0].typeRouter[0]: \(unknown)"], "\(part)")
    }
    #expect(
      try found("[{\"typeRouter\": []}, {\"typeRouter\": {}}, {\"typeRouter\": [{\"step\": \"free\"}], \"end\": 1}]")
        == [
          "$.flow[0].typeRouter: a typeRouter needs at least one entry to route to",
          "$.flow[1].typeRouter: expected an array of entries, found an object",
          "$.flow[2].end: expected a string, found a number",
          "$.flow[0]: a typeRouter needs the key 'end', unless it is the last entry and its output is that of the document",
          "$.flow[1]: a typeRouter needs the key 'end', unless it is the last entry and its output is that of the document",
        ])
  }

  @Test(
    "a router of hostile size or names costs little: it is refused before its entries are compared, and names are cut")
  func hostileRouters() throws {
    let many = Array(repeating: "{\"step\": \"free\"}", count: 257).joined(separator: ",")
    #expect(
      try found("[{\"typeRouter\": [\(many)], \"end\": \"receipt\"}]") == [
        "$.flow[0].typeRouter: a typeRouter has at most 256 entries"
      ])
    let name = String(repeating: "x", count: 5_000)
    let parts = "{\"step\": \"free\"}, {\"step\": \"sell\", \"as\": \"\(name)\\n\"}"
    let told = try found("[{\"typeRouter\": [\(parts)], \"end\": \"receipt\", \"map\": \"order\"}]")
    #expect(told.count == 1)
    #expect(told.allSatisfy { $0.count < 200 && !$0.contains("\n") && $0.contains("cannot be reached") })
  }

  @Test("a flow of a document is previewed and edited as one of the builder's")
  func previewsAndEdits() async throws {
    let flow = try shop().flow(json: everyBranch, input: Cart.self, output: Receipt.self)
    let order = Order(item: "glove")
    #expect(try flow.destination(after: "counter", for: Pick.wrapping(order)) == .step("stand/wrapper/paper"))
    #expect(try flow.destination(after: "counter", for: Pick.lost) == .step("stand/survey"))
    #expect(try flow.destination(after: "paper", for: order) == .step("stand/counter"))
    let stock = OneOf2<Quote, Stock>.second(Stock(count: 1))
    #expect(try flow.destination(after: "triage", for: stock) == .step("stand/desk/reserve"))
    #expect(try flow.destination(after: "reserve", for: Receipt(item: "x", paid: 1)) == .step("stand/broken"))
    #expect(
      try flow.destination(after: "broken", for: order) == .step("stand/payment"), "past the end of a recovery's scope")
    let edited =
      try flow.removing("stand/broken").removing("paper")
      .replacing("counter") { Step("till") { (order: Order) in Pick.leaving(order) } }
      .replacing("unpack") { Step("open") { (parcel: Parcel) in Order(item: "open " + parcel.item) } }
      .inserting(after: "reserve") {
        Step("sign") { (receipt: Receipt) in Receipt(item: "signed", paid: receipt.paid) }
      }
    #expect(edited.steps.contains("stand/each/*/open") && edited.steps.contains("stand/desk/sign"))
    #expect(try await FlowCoordinator().run(edited, with: Cart(item: "teapot")) == Receipt(item: "signed", paid: 7))
    #expect(flow.diagram(.mermaid).contains("wrapping"))
  }

  @Test("mistakes inside branches name their steps by the paths that the flow would have")
  func stepsOfMistakes() throws {
    let catalog = try shop()
    let found = mistakes { () throws(FlowDocumentError) in
      try catalog.flow(
        json: """
          {"version": 1, "name": "f", "flow": [
            {"forEach": "parcels", "do": [{"step": "gift-wrap"}], "until": "first-heavy"},
            {"race": [{"forEach": "parcels", "do": [{"step": "free"}], "until": "first-heavy", "as": "x"}]},
            {"hub": {"step": "counter"}, "as": "h", "done": "leaving",
             "cases": [{"case": "wrapping", "as": "w", "do": [{"step": "guest-order"}]}]}
          ]}
          """, input: Order.self, output: Order.self)
    }
    #expect(
      found.compactMap(\.step?.path) == [
        "f/each/*/wrap", "f/each", "f/race/0/x/*/free", "f/race/0/x", "f/h/w/order",
      ])
  }
}
