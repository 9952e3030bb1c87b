/// What the fraud desk gives to an order it lets through.
package struct Clearance: Sendable, Equatable, Codable {
  /// What it is filed under.
  package let reference: String
}

/// Looks for fraud, by rule: refuses e-mail addresses at `fraud.example`, and customers under 18.
package struct FraudDesk: Sendable {
  /// From this amount on the desk wants to know how old the customer is.
  package static let ageLimit = Money(cents: 30_000)

  package init() {}

  /// Whether the customer has to be asked for the year of birth.
  package func asksForAge(_ order: Order) -> Bool { order.total >= Self.ageLimit }

  /// Lets the order through.
  ///
  /// - Throws: ``Refusal`` if it looks like fraud.
  package func clear(_ order: Order, birthYear: Int?, thisYear: Int) throws -> Clearance {
    if order.contact.email.lowercased().hasSuffix("@fraud.example") {
      throw Refusal("the fraud check refused the order: the address \(quoted(order.contact.email)) is on its list")
    }
    if let birthYear, thisYear - birthYear < 18 {
      throw Refusal("the fraud check refused the order: from \(Self.ageLimit) on a customer must be 18")
    }
    return Clearance(reference: birthYear == nil ? "unasked" : "age known")
  }
}
