import CheckoutFlow

extension LineForm: TextPrompt {
  private static let pageLength = 20

  var heading: [String] {
    var lines = basket.lines.isEmpty ? [] : ["", "Basket: \(basket.total)"]
    lines += basket.lines.map { "  \($0.quantity) × \($0.product.name) (\($0.product.sku))  \($0.price)" }
    if let refusal { lines.append("Sorry, \(refusal).") }
    return lines
  }

  var label: String {
    basket.lines.isEmpty ? "SKU and quantity" : "Next SKU and quantity, or done"
  }

  func lookUp(_ text: String) -> [String]? {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    switch words.first?.lowercased() {
    case "list": return page(words.count > 1 ? words[1] : "1")
    case "search":
      guard words.count > 1 else { return ["Write the word to look for, for example: search lamp."] }
      return found(words[1])
    default: return nil
    }
  }

  func parse(_ text: String) throws -> LineAnswer {
    if text.lowercased() == "done" { return .done }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else {
      throw Refusal("write a SKU and how many, for example \(example)")
    }
    guard let quantity = Int(words[1]) else {
      throw Refusal("the quantity \(quoted(words[1])) must be a whole number from 1 to \(Self.quantityLimit)")
    }
    return .add(SKU(words[0]), quantity: quantity)
  }

  /// A line that can be typed.
  var example: String {
    let product = catalogue.products.first { left(of: $0) > 0 }
    return "\(product?.sku.code ?? "TLS-101") 1"
  }

  private func page(_ number: String) -> [String] {
    let products = catalogue.products
    let pages = (products.count + Self.pageLength - 1) / Self.pageLength
    guard let page = Int(number), (1...max(pages, 1)).contains(page) else {
      return ["There are pages 1 to \(pages): write list 1."]
    }
    let shown = products.dropFirst((page - 1) * Self.pageLength).prefix(Self.pageLength)
    return shown.map(row) + ["Page \(page) of \(pages)" + (page < pages ? "; list \(page + 1) shows the next." : ".")]
  }

  private func found(_ word: String) -> [String] {
    let products = catalogue.search(word)
    let rest = products.count - Self.pageLength
    guard !products.isEmpty else { return ["No product has \(quoted(word)) in its name."] }
    return products.prefix(Self.pageLength).map(row) + (rest > 0 ? ["… and \(rest) more; search a longer word."] : [])
  }

  private func row(_ product: Product) -> String {
    let left = left(of: product)
    let stock = left == 0 ? "sold out" : "\(left) left"
    return "  \(product.sku)  \(product.name), \(product.price), \(stock)"
  }
}
