import ActorFlow
import ActorFlowDocuments

struct Cart: Sendable, Hashable { var item = "teapot" }
struct Order: Sendable, Hashable { var item: String }
struct Receipt: Sendable, Hashable {
  var item: String
  var paid: Int
}
struct Guest: Sendable { var item: String }
struct Member: Sendable { var item: String }
struct Quote: Sendable, Hashable { var price: Int }
struct Stock: Sendable, Hashable { var count: Int }

struct PaymentOptions: Decodable, Sendable {
  var amount: Int
  var currency: String?
  var lines: [Line]?

  struct Line: Decodable, Sendable {
    var text: String
    var width: Int?
  }
}

struct Refused: Error, Equatable {}

/// Components under names, as the tests' documents write them.
func shop() throws -> FlowCatalog {
  var catalog = FlowCatalog()
  try catalog.register("shipping", Step("shipping") { (cart: Cart) in Order(item: cart.item) })
  try catalog.register("gift-wrap", Step("wrap") { (order: Order) in Order(item: "wrapped " + order.item) })
  try catalog.register("payment", options: PaymentOptions.self) { options in
    guard options.amount > 0 else { throw Refused() }
    return Step("payment") { (order: Order) in Receipt(item: order.item, paid: options.amount) }
  }
  try catalog.register("free", Step("free") { (order: Order) in Receipt(item: order.item, paid: 0) })
  try catalog.register("survey", Step("survey") { () in Order(item: "survey") })
  try catalog.register("guest-order", Step("order") { (guest: Guest) in Order(item: guest.item) })
  try catalog.register("member-order", Step("order") { (member: Member) in Order(item: member.item) })
  try catalog.register("ask-price", Step("price") { (_: Order) in Quote(price: 42) })
  try catalog.register("ask-stock", Step("stock") { (_: Order) in Stock(count: 3) })
  try catalog.registerCase("isGuest") { (order: Order) in order.item.hasPrefix("g") ? Guest(item: order.item) : nil }
  try catalog.registerCase("isMember") { (order: Order) in order.item.hasPrefix("m") ? Member(item: order.item) : nil }
  try catalog.registerLoop("short") { (order: Order) in order.item.count < 20 ? order : nil }
  try catalog.registerJoin("offer") { (quote: Quote, stock: Stock) in
    Receipt(item: "\(stock.count)", paid: quote.price)
  }
  try catalog.registerBranches()
  return catalog
}

/// A document with every key of the format but those of `everyBranch`, made of the shop's components.
let everything = """
  {
    "$schema": "flow-document.schema.json",
    "version": 1,
    "name": "checkout",
    "flow": [
      {"step": "shipping", "as": "address", "onBackUp": "returnable", "presentation": "modal"},
      {"flow": [{"step": "gift-wrap"}, {"step": "gift-wrap", "onFailure": "suspend"}], "as": "wrapping"},
      {"switch": [
        {"case": "isGuest", "as": "guest", "do": [{"step": "guest-order"}]},
        {"case": "isMember", "do": [{"step": "member-order"}]}
      ], "otherwise": []},
      {"loop": [{"step": "gift-wrap"}], "while": "short"},
      {"race": [{"step": "gift-wrap"}, {"step": "survey"}], "timeout": 2.5},
      {"step": "payment",
       "options": {"amount": 42, "currency": "€ \\u00e9\\ud83d\\ude00", "lines": [{"text": "a", "width": 3}]},
       "retry": {"attempts": 3, "pause": 0.1, "factor": 2, "longestPause": 60},
       "expiresAfterIdle": 7200}
    ]
  }
  """

/// Returns the mistakes of a document; any other error fails the test.
func mistakes(_ body: () throws(FlowDocumentError) -> some Any) -> [FlowDocumentError.Mistake] {
  do {
    _ = try body()
    return []
  } catch {
    return error.mistakes
  }
}
