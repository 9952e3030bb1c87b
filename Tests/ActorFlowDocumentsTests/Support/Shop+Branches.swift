import ActorFlow
import ActorFlowDocuments

struct Parcel: Sendable, Hashable { var item: String }
struct Weight: Sendable, Hashable { var grams: Int }

/// A choice in the shop's menu.
enum Pick: Sendable, Hashable {
  case wrapping(Order)
  case leaving(Order)
  case lost
}

extension FlowCatalog {
  /// Registers what documents name for branches, menus, routers, and outputs.
  mutating func registerBranches() throws {
    try registerElements("parcels") { (order: Order) in order.item.split(separator: " ").map { Parcel(item: "\($0)") } }
    try registerTally("first-heavy") { (weights: [Weight], open: Int) -> Tally<Order> in
      if let heavy = weights.last, heavy.grams > 5 { return .done(Order(item: "heavy \(heavy.grams)")) }
      return open == 0 ? .done(Order(item: "light")) : .goOn
    }
    try register("weigh", Step("weigh") { (parcel: Parcel) in Weight(grams: parcel.item.count) })
    try register("unpack", Step("unpack") { (parcel: Parcel) in Order(item: parcel.item) })
    try registerTransform("total") { (weights: [Weight]) in Order(item: "\(weights.reduce(0) { $0 + $1.grams }) g") }
    try registerTransform("list") { (orders: [Order]) in Order(item: orders.map(\.item).joined(separator: "+")) }
    try registerTransform("shout") { (order: Order) in Order(item: order.item.uppercased()) }
    try registerTransform("order") { (receipt: Receipt) in Order(item: receipt.item) }
    try registerTransform("checkout") { (cart: Cart) in Order(item: cart.item) }
    try registerTransform("one-word") { (order: Order) in Order(item: oneWord(order.item)) }
    try registerJoin("from-cart") { (cart: Cart, order: Order) in Order(item: "\(cart.item): \(order.item)") }
    try registerJoin("both") { (left: Order, right: Order) in Order(item: "\(left.item.prefix(12))&\(right.item)") }
    try registerMenu()
    try registerRouter()
    try register("broken", Step("broken") { (_: Order) -> Order in throw Refused() })
    try registerRecovery("replacement") { _ in Order(item: "replacement") }
    try registerRecovery("refund") { _ in Receipt(item: "refund", paid: -1) }
    try register("news", Step("news") { () in })
  }

  private mutating func registerMenu() throws {
    try register(
      "counter",
      Step("counter") { (order: Order) in order.item.count < 20 ? Pick.wrapping(order) : .leaving(order) })
    try register("help", Step("help") { () in Pick.lost })
    try register("nothing", Step("nothing") { (order: Order) in order.item.count < 20 ? Pick.lost : .leaving(order) })
    try register(
      "two",
      Flow<Order, Pick> {
        Step("one") { (order: Order) in order }
        Step("two") { (order: Order) in Pick.leaving(order) }
      })
    try registerCase("wrapping") { (pick: Pick) in if case .wrapping(let order) = pick { order } else { Order?.none } }
    try registerCase("leaving") { (pick: Pick) in if case .leaving(let order) = pick { order } else { Order?.none } }
  }

  private mutating func registerRouter() throws {
    try register(
      "triage",
      Step("triage") { (order: Order) -> OneOf2<Quote, Stock> in
        order.item.hasPrefix("g") ? .first(Quote(price: 7)) : .second(Stock(count: order.item.count))
      })
    try register("sell", Step("sell") { (quote: Quote) in Receipt(item: "sold", paid: quote.price) })
    try register("reserve", Step("reserve") { (stock: Stock) in Receipt(item: "reserved", paid: stock.count) })
    try registerType("receipt", Receipt.self)
    try registerType("guest", Guest.self)
  }
}

/// A document with the keys of branches for elements, hubs, routers and outputs, made of the shop's components.
let everyBranch = """
  {
    "version": 1,
    "name": "stand",
    "flow": [
      {"step": "shipping", "carrying": "from-cart"},
      {"step": "news", "passingThrough": true},
      {"forEach": "parcels", "do": [{"step": "unpack"}, {"step": "gift-wrap"}], "map": "list"},
      {"forEach": "parcels", "do": [{"step": "weigh"}], "until": "first-heavy", "as": "weighing"},
      {"hub": {"step": "counter", "onBackUp": "returnable"},
       "cases": [{"case": "wrapping", "as": "wrapper", "do": [{"step": "gift-wrap", "as": "paper"}]}],
       "otherwise": [{"step": "survey"}], "done": "leaving"},
      {"typeRouter": [{"step": "triage"}, {"step": "sell"}, {"flow": [{"step": "reserve"}]}], "end": "receipt",
       "as": "desk", "map": "order"},
      {"step": "broken", "recover": "replacement"},
      {"step": "payment", "options": {"amount": 7}, "recover": "refund", "timeout": 60}
    ]
  }
  """
