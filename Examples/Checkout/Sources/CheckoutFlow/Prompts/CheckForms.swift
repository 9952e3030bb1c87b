import ActorFlow

/// Asks whether the customer has an account.
package struct AccountForm: Prompt, Codable {
  /// The customer's answer.
  package enum Answer: Sendable, Equatable, Codable {
    case guest
    case member(email: String)
  }

  /// The shop's accounts. They stay with the shop and are not stored with the question, whose reader knows no members.
  package private(set) var members = Members([])

  package init(members: Members) {
    self.members = members
  }

  private enum CodingKeys: CodingKey {}

  /// Accepts guests, and known members.
  package func validate(_ answer: Answer) throws { _ = try visitor(answer, with: Basket()) }

  /// The customer, with the basket.
  func visitor(_ answer: Answer, with basket: Basket) throws -> Visitor {
    guard case .member(let email) = answer else { return .guest(basket) }
    guard let member = members[email] else {
      throw Problem("there is no account for \(quoted(email)); write guest to order without one")
    }
    return .member(member, basket)
  }
}

/// Asks whether parcels may leave one by one.
package struct PackingForm: Prompt, Codable {
  package typealias Answer = Packing

  /// The number of pieces to pack.
  package let pieces: Int
}

/// Asks for the year of birth.
package struct BirthYearForm: Prompt, Codable {
  package typealias Answer = Int

  /// The current year.
  package let thisYear: Int

  /// Accepts a year in which a living person may have been born.
  package func validate(_ answer: Int) throws {
    guard (thisYear - 120...thisYear).contains(answer) else {
      throw Problem("the year of birth must be from \(thisYear - 120) to \(thisYear), not \(answer)")
    }
  }
}

/// Offers an extra beside the goods.
package struct OfferForm: Prompt, Codable {
  package typealias Answer = Bool

  /// The offered extra.
  package let extra: Extra
}
