import ActorFlow

/// Shows the basket. Its answers change it, until one of them is a checkout.
package struct BasketView: Prompt, Codable {
  package typealias Answer = BasketAction

  /// One product in the basket.
  package struct Line: Sendable, Codable {
    package let product: Product
    package let quantity: Int
    /// The price of all pieces, in euros.
    package let price: Money
    /// The warehouse's stock.
    package let left: Int
  }

  /// The products for sale. They stay with the shop and are not stored with the question, see ``shown(in:)``.
  package private(set) var catalogue = Catalogue([])
  /// The lines of the basket, in the order in which they were first added.
  package let lines: [Line]
  /// The known prices.
  package let prices: PriceList
  /// The chosen currency; that of ``prices`` as soon as the prices in it are known.
  package let currency: Currency
  /// The reason why the prices are not current, if they are not.
  package let problem: String?
  /// The stock of each product.
  package let stock: [SKU: Int]
  /// Whether there is a change to revert.
  package let canUndo: Bool
  /// The reason why the warehouse refused the basket, if it was asked.
  package let refusal: String?

  /// The view, with the products of this catalogue.
  package func shown(in catalogue: Catalogue) -> BasketView {
    var view = self
    view.catalogue = catalogue
    return view
  }

  private enum CodingKeys: CodingKey { case lines, prices, currency, problem, stock, canUndo, refusal }

  /// The price of all lines, in euros.
  package var total: Money { lines.reduce(.zero) { $0 + $1.price } }

  /// The stock of this product.
  package func left(of product: Product) -> Int { stock[product.sku, default: 0] }

  /// Accepts a change that can be made, and the checkout of available goods for the shown total.
  package func validate(_ action: BasketAction) throws {
    switch action {
    case .add(let sku, let quantity):
      try check(quantity, of: product(sku), besides: line(of: sku)?.quantity ?? 0)
    case .quantity(let sku, let quantity): try check(quantity, of: try inBasket(sku).product, besides: 0)
    case .remove(let sku): _ = try inBasket(sku)
    case .undo: guard canUndo else { throw Problem("there is no change to undo") }
    case .currency: break
    case .checkout(let seen): try checkCheckout(seen)
    case .news: throw Problem("only the shop itself says what is new")
    }
  }

  private func line(of sku: SKU) -> Line? { lines.first { $0.product.sku == sku } }

  private func inBasket(_ sku: SKU) throws -> Line {
    if let line = line(of: sku) { return line }
    throw Problem("\(try product(sku).name) (\(sku)) is not in the basket")
  }

  private func product(_ sku: SKU) throws -> Product {
    if let product = catalogue[sku] { return product }
    throw Problem("there is no product \(quoted(sku.code)); list and search show what there is")
  }

  private func check(_ quantity: Int, of product: Product, besides there: Int) throws {
    let limit = ShoppingList.quantityLimit
    guard (1...limit).contains(quantity) else {
      throw Problem("the quantity must be from 1 to \(limit), not \(quantity)")
    }
    guard there + quantity <= limit else {
      throw Problem("the basket holds at most \(limit) of one product, and \(there) are there already")
    }
    guard there + quantity <= left(of: product) else {
      throw Problem(Self.shortage(of: product, left: left(of: product)))
    }
  }

  private func checkCheckout(_ seen: Money) throws {
    guard !lines.isEmpty else { throw Problem("the basket is empty; add something first, or abandon") }
    for line in lines where line.quantity > line.left {
      throw Problem(Self.shortage(of: line.product, left: line.left))
    }
    guard seen == total else {
      throw Problem("the prices have just changed: it is \(total) now, and not \(seen); look again, and check out then")
    }
  }

  /// The sentence for a quantity that is more than the stock.
  static func shortage(of product: Product, left: Int) -> String {
    switch left {
    case 0: "\(product.name) (\(product.sku)) is sold out; choose something else"
    case 1: "only one \(product.name) (\(product.sku)) is left"
    default: "only \(left) of \(product.name) (\(product.sku)) are left"
    }
  }
}
