import ActorFlow

/// What the customer says about the next line of the basket.
package enum LineAnswer: Sendable, Equatable {
  /// So many of this, please.
  case add(SKU, quantity: Int)
  /// That is all.
  case done
}

/// Asks for one more line of the basket.
package struct LineForm: Prompt {
  package typealias Answer = LineAnswer

  /// The most that one line may ask for.
  package static let quantityLimit = 99

  /// What is in the basket already.
  package let basket: Basket
  /// What can be bought.
  package let catalogue: Catalogue
  /// How many of each product were left when this was asked.
  package let available: [SKU: Int]
  /// Why the answer before this one could not be met, if there was one.
  package let refusal: String?

  /// How many of this product were left when this was asked.
  package func left(of product: Product) -> Int { available[product.sku, default: 0] }

  /// Lets through a product of the catalogue in a quantity that is left, and an end after at least one line.
  package func validate(_ answer: LineAnswer) throws {
    guard case .add(let sku, let quantity) = answer else {
      guard !basket.lines.isEmpty else {
        throw Refusal("the basket is empty; add a line first, or abandon")
      }
      return
    }
    guard let product = catalogue[sku] else {
      throw Refusal("there is no product \(quoted(sku.code)); list and search show what there is")
    }
    guard (1...Self.quantityLimit).contains(quantity) else {
      throw Refusal("the quantity must be from 1 to \(Self.quantityLimit), not \(quantity)")
    }
    guard quantity <= left(of: product) else { throw Refusal(Self.shortage(of: product, left: left(of: product))) }
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
