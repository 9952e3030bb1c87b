/// The products of the shop, in the order of their file. A value: the warehouse knows what is reserved or sold.
package struct Catalogue: Sendable {
  /// All products.
  package let products: [Product]
  private let bySKU: [SKU: Product]

  /// A catalogue of these products; of two with one SKU the first counts.
  package init(_ products: [Product]) {
    bySKU = Dictionary(products.map { ($0.sku, $0) }, uniquingKeysWith: { first, _ in first })
    self.products = products
  }

  /// The product of that SKU.
  package subscript(sku: SKU) -> Product? { bySKU[sku] }

  /// The products whose name or SKU contains `word`, whatever its case.
  package func search(_ word: some StringProtocol) -> [Product] {
    let word = word.lowercased()
    return products.filter { $0.name.lowercased().contains(word) || $0.sku.code.lowercased().contains(word) }
  }
}
