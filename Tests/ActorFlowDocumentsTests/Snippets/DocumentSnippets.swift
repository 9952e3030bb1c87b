import ActorFlow
import ActorFlowDocuments
import Foundation
import Testing

/// The code of the documentation, with tests of its behaviour.
@Suite("Snippets: documents") struct DocumentSnippets {
  private let text = """
    {"version": 1, "flow": [{"step": "shipping"}, {"step": "payment", "options": {"amount": 7}}]}
    """

  @Test("the catalog of the overview")
  func overview() async throws {
    var catalog = FlowCatalog()
    try catalog.register("shipping", Step("shipping") { (cart: Cart) in Order(item: cart.item) })
    try catalog.register("payment", options: PaymentOptions.self) { options in
      Step("payment") { (order: Order) in Receipt(item: order.item, paid: options.amount) }
    }
    let flow = try catalog.flow(json: text, input: Cart.self, output: Receipt.self)
    let receipt = try await FlowCoordinator().run(flow, with: Cart(item: "teapot"))
    #expect(receipt == Receipt(item: "teapot", paid: 7))
  }

  @Test("the catalog of the doc comments")
  func docComment() throws {
    let document = try FlowDocument(json: text)
    var catalog = FlowCatalog()
    try catalog.register("shipping", Step("shipping") { (cart: Cart) in Order(item: cart.item) })
    try catalog.register("payment", options: PaymentOptions.self) { options in
      Step("payment") { (order: Order) in Receipt(item: order.item, paid: options.amount) }
    }
    let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(flow.steps == ["shipping", "payment"])
    try read(catalog)
  }

  private func read(_ catalog: FlowCatalog) throws {
    let document = try FlowDocument(json: text)
    let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(flow.steps == ["shipping", "payment"])
  }

  @Test("components registered for branches")
  func branches() throws {
    var catalog = FlowCatalog()
    try catalog.registerCase("isGuest") { (order: Order) in order.item.hasPrefix("g") ? Guest(item: order.item) : nil }
    try catalog.registerLoop("short") { (order: Order) in order.item.count < 20 ? order : nil }
    try catalog.registerJoin("offer") { (quote: Quote, stock: Stock) in
      Receipt(item: "\(stock.count)", paid: quote.price)
    }
    #expect(catalog.names == [])
  }

  @Test("closures and types registered for elements, routers and outputs")
  func outputs() throws {
    var catalog = FlowCatalog()
    try catalog.registerElements("parcels") { (order: Order) in
      order.item.split(separator: " ").map { Parcel(item: "\($0)") }
    }
    try catalog.registerTally("first-heavy") { (weights: [Weight], open: Int) -> Tally<Order> in
      if let heavy = weights.last, heavy.grams > 5 { return .done(Order(item: "heavy \(heavy.grams)")) }
      return open == 0 ? .done(Order(item: "light")) : .goOn
    }
    try catalog.registerType("receipt", Receipt.self)

    try catalog.registerTransform("shout") { (order: Order) in Order(item: order.item.uppercased()) }
    try catalog.registerJoin("both") { (left: Order, right: Order) in Order(item: "\(left.item)&\(right.item)") }
    try catalog.registerRecovery("replacement") { _ in Order(item: "replacement") }
    #expect(catalog.names == [])
  }

  @Test("the mistakes in the article are those that are reported")
  func mistakes() throws {
    let catalog = try shop()
    var told = ""
    func print(_ error: FlowDocumentError) { told = error.description }
    let text = try #require(jsonBlocks().last)
    do {
      _ = try catalog.flow(json: text, input: Cart.self, output: Receipt.self)
    } catch {
      print(error)
    }
    #expect(try article().contains("```text\n\(told)\n```"), "\(told)")
  }

  @Test("a document built in code")
  func inCode() throws {
    var address = FlowDocument.Entry(.step("shipping"), as: "address")
    address.onBackUp = "returnable"
    let document = FlowDocument(name: "checkout", entries: [address, FlowDocument.Entry(.step("free"))])
    let written = try JSONEncoder().encode(document)
    #expect(try FlowDocument(json: written) == document)
  }

  @Test("a SwiftCurrent document")
  func swiftCurrent() throws {
    let catalog = try shop()
    let theirs = """
      {"schemaVersion": "v0.0.1", "sequence": [{"flowRepresentableName": "shipping"}, {"flowRepresentableName": "free"}]}
      """
    let document = try FlowDocument(swiftCurrent: theirs, platform: "iOS")
    let flow = try catalog.flow(from: document, input: Cart.self, output: Receipt.self)
    #expect(flow.steps == ["shipping", "free"])
  }

  @Test("each JSON block of the article is a document, or an entry")
  func blocks() throws {
    let blocks = try jsonBlocks()
    #expect(blocks.count == 5)
    for block in blocks {
      let text = block.contains("\"version\"") ? block : "{\"version\": 1, \"flow\": [\(block)]}"
      #expect(throws: Never.self) { try FlowDocument(json: text) }
    }
    for block in blocks.dropFirst().dropLast() {
      let flow = "{\"version\": 1, \"flow\": [\(block), {\"step\": \"survey\"}]}"
      #expect(throws: Never.self) { try shop().flow(json: flow, input: Order.self, output: Order.self) }
    }
    let flow = try shop().flow(json: try #require(blocks.first), input: Cart.self, output: Receipt.self)
    #expect(flow.steps.first == "checkout/address")
  }

  private func jsonBlocks() throws -> [String] {
    try article().components(separatedBy: "```json\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  private func article() throws -> String { try String(contentsOf: catalogue("TheDocumentFormat.md"), encoding: .utf8) }
}

/// A file of the module's documentation catalogue.
func catalogue(_ file: String, _ here: String = #filePath) -> URL {
  var root = URL(fileURLWithPath: here)
  while root.lastPathComponent != "Tests", root.pathComponents.count > 1 { root.deleteLastPathComponent() }
  return root.deletingLastPathComponent().appending(
    path: "Sources/ActorFlowDocuments/ActorFlowDocuments.docc/\(file)")
}
