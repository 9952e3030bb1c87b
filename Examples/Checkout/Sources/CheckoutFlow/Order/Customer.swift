/// How the shop reaches the customer.
package struct Contact: Sendable, Codable {
  /// The customer's name.
  package let name: String
  /// Where the receipt goes.
  package let email: String
}

/// Where the parcel goes.
package struct Address: Sendable, Codable {
  /// Street and number.
  package let street: String
  /// As the country writes it.
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

  /// Where the shop itself is.
  package static let home = Country.germany

  /// The name in English.
  package var name: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }
}
