import CheckoutFlow

/// Pages of products, with the prices and the stock that a basket knows.
struct ProductPages {
  private static let length = 20

  let view: BasketView

  /// One page of them all.
  func page(_ number: String) -> [String] {
    let products = view.catalogue.products
    let pages = (products.count + Self.length - 1) / Self.length
    guard let page = Int(number), (1...max(pages, 1)).contains(page) else {
      return ["There are pages 1 to \(pages): write list 1."]
    }
    let shown = products.dropFirst((page - 1) * Self.length).prefix(Self.length)
    return shown.map(row) + ["Page \(page) of \(pages)" + (page < pages ? "; list \(page + 1) shows the next." : ".")]
  }

  /// Those with this word in their names.
  func found(_ word: String) -> [String] {
    let products = view.catalogue.search(word)
    let rest = products.count - Self.length
    guard !products.isEmpty else { return ["No product has \(quoted(word)) in its name."] }
    return products.prefix(Self.length).map(row) + (rest > 0 ? ["… and \(rest) more; search a longer word."] : [])
  }

  private func row(_ product: Product) -> String {
    let left = view.left(of: product)
    let stock = left == 0 ? "sold out" : "\(left) left"
    return "  \(product.sku)  \(product.name), \(view.prices.text(view.prices.price(of: product))), \(stock)"
  }
}
