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

// A dictionary with SKUs as keys is coded as an object with a field for each.
extension SKU: CodingKeyRepresentable {
  /// The code as a key.
  package var codingKey: any CodingKey { code.codingKey }

  /// The SKU that a key names.
  package init?(codingKey: some CodingKey) {
    self.init(codingKey.stringValue)
  }
}

/// A product of the shop.
package struct Product: Hashable, Sendable, Codable {
  /// The name under which it is ordered.
  package let sku: SKU
  /// The name on the receipt.
  package let name: String
  /// The price of one.
  package let price: Money
  /// The stock when the catalogue was written.
  package let stock: Int
}
