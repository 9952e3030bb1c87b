/// The name under which a product is ordered. Case does not matter: `tls-101` is `TLS-101`.
package struct SKU: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The code in capitals.
  package let code: String

  /// A code, put into capitals.
  package init(_ code: some StringProtocol) {
    self.code = code.uppercased()
  }

  /// The code.
  package var description: String { code }
}

/// Something the shop sells.
package struct Product: Hashable, Sendable, Codable {
  /// The name under which it is ordered.
  package let sku: SKU
  /// The name on the receipt.
  package let name: String
  /// The price of one.
  package let price: Money
  /// How many the warehouse held when the catalogue was written.
  package let stock: Int
}
