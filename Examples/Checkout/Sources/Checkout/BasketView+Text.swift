import CheckoutFlow

extension BasketView: TextPrompt {
  var heading: [String] {
    var text = lines.map(row)
    if !lines.isEmpty {
      text.insert("Basket: \(prices.text(total))", at: 0)
      if prices.currency != .euro { text.append("  You pay \(total), at \(prices.text(Money(cents: 100))) for €1.00.") }
    } else {
      text.append("The basket is empty.")
    }
    if let problem {
      text.append("The prices could not be refreshed: \(problem). These are the last ones that are known.")
    } else if currency != prices.currency {
      text.append("Asking for the prices in \(currency.rawValue)…")
    }
    if let refusal { text.append("Sorry, \(refusal).") }
    return text.isEmpty ? [] : [""] + text
  }

  var label: String {
    lines.isEmpty ? "What would you like? add SKU QUANTITY" : "add, remove, quantity, undo, currency, or checkout"
  }

  private func row(_ line: Line) -> String {
    let text = "  \(line.quantity) × \(line.product.name) (\(line.product.sku))  \(prices.text(line.price))"
    return line.quantity > line.left ? text + ", but only \(line.left) left" : text
  }

  func lookUp(_ text: String) -> [String]? {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first?.lowercased() {
    case "list": return ProductPages(view: self).page(words.count > 1 ? words[1] : "1")
    case "search":
      guard words.count > 1 else { return ["Write the word to look for, for example: search lamp."] }
      return ProductPages(view: self).found(words[1])
    default: return nil
    }
  }

  func parse(_ text: String) throws -> BasketAction {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    switch (words.first?.lowercased(), words.count) {
    case ("add", _):
      let (sku, quantity) = try line(words, among: catalogue.products)
      return .add(sku, quantity: quantity)
    case ("quantity", _):
      let (sku, quantity) = try line(words, among: lines.map(\.product))
      return .quantity(sku, quantity)
    case ("remove", 2...):
      return .remove(try sku(words.dropFirst().joined(separator: " "), among: lines.map(\.product)))
    case ("undo", 1): return .undo
    case ("currency", 2):
      guard let currency = Currency(rawValue: words[1].uppercased()) else {
        throw Problem("choose " + Currency.allCases.map(\.rawValue).joined(separator: ", "))
      }
      return .currency(currency)
    case ("checkout", 1): return .checkout(total: total)
    default:
      throw Problem("write add, remove or quantity with a product, undo, currency USD, or checkout; help explains them")
    }
  }

  /// Reads a verb, a product and a number.
  private func line(_ words: [String], among products: [Product]) throws -> (SKU, Int) {
    guard words.count >= 3, let last = words.last else {
      throw Problem("write a SKU and how many, for example \(words[0].lowercased()) \(example)")
    }
    guard let quantity = Int(last) else {
      throw Problem("the quantity \(quoted(last)) must be a whole number from 1 to \(ShoppingList.quantityLimit)")
    }
    return (try sku(words.dropFirst().dropLast().joined(separator: " "), among: products), quantity)
  }

  /// Returns the SKU that a text means: its own, or that of the one product whose name contains it.
  private func sku(_ text: String, among products: [Product]) throws -> SKU {
    if catalogue[SKU(text)] != nil { return SKU(text) }
    let found = products.filter { $0.name.lowercased().contains(text.lowercased()) }
    if found.count > 1 {
      throw Problem("\(found.count) products have \(quoted(text)) in their names; write the SKU of one of them")
    }
    return found.first?.sku ?? SKU(text)
  }

  /// A product that is available, and a number.
  private var example: String {
    let product = catalogue.products.first { left(of: $0) > 0 }
    return "\(product?.sku.code ?? "TLS-101") 1"
  }
}
