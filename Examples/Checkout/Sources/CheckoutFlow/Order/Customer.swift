/// The customer's contact data.
package struct Contact: Sendable, Codable {
  /// The customer's name.
  package let name: String
  /// The e-mail address for the receipt.
  package let email: String
}

/// The delivery address.
package struct Address: Sendable, Codable {
  /// Street and number.
  package let street: String
  /// The postcode in the country's format.
  package let postcode: String
  /// The town.
  package let city: String
  /// The country.
  package let country: Country
}

/// The countries the shop delivers to.
package enum Country: String, Sendable, Codable, CaseIterable {
  case austria = "AT"
  case belgium = "BE"
  case denmark = "DK"
  case france = "FR"
  case germany = "DE"
  case italy = "IT"
  case netherlands = "NL"
  case poland = "PL"
  case spain = "ES"

  /// The shop's own country.
  package static let home = Country.germany

  /// The name in English.
  package var name: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }
}
