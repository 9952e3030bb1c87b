/// The fraud desk's clearance of an order.
package struct Clearance: Sendable, Equatable, Codable {
  /// The file number.
  package let reference: String
}

/// Looks for fraud, by rule: refuses e-mail addresses at `fraud.example`, and customers under 18.
package struct FraudDesk: Sendable {
  /// The amount from which on the desk needs the customer's age.
  package static let ageLimit = Money(cents: 30_000)

  package init() {}

  /// Whether the customer has to be asked for the year of birth.
  package func asksForAge(_ order: Order) -> Bool { order.total >= Self.ageLimit }

  /// Clears the order.
  ///
  /// - Throws: ``Problem`` if it looks like fraud.
  package func clear(_ order: Order, birthYear: Int?, thisYear: Int) throws -> Clearance {
    if order.contact.email.lowercased().hasSuffix("@fraud.example") {
      throw Problem("the fraud check refused the order: the address \(quoted(order.contact.email)) is on its list")
    }
    if let birthYear, thisYear - birthYear < 18 {
      throw Problem("the fraud check refused the order: from \(Self.ageLimit) on a customer must be 18")
    }
    return Clearance(reference: birthYear == nil ? "unasked" : "age known")
  }
}
