import ActorFlow

/// Asks whether the customer has an account.
package struct AccountForm: Prompt, Codable {
  /// What the customer says.
  package enum Answer: Sendable, Equatable, Codable {
    case guest
    case member(email: String)
  }

  /// Who has one. Stays with the shop: it is not stored with the question, and who reads that knows no members.
  package private(set) var members = Members([])

  package init(members: Members) {
    self.members = members
  }

  private enum CodingKeys: CodingKey {}

  /// Lets through guests, and members who are known.
  package func validate(_ answer: Answer) throws { _ = try visitor(answer, with: Basket()) }

  /// Who answered, with the basket.
  func visitor(_ answer: Answer, with basket: Basket) throws -> Visitor {
    guard case .member(let email) = answer else { return .guest(basket) }
    guard let member = members[email] else {
      throw Refusal("there is no account for \(quoted(email)); write guest to order without one")
    }
    return .member(member, basket)
  }
}

/// Asks whether parcels may leave one by one.
package struct PackingForm: Prompt, Codable {
  package typealias Answer = Packing

  /// How much there is to pack.
  package let pieces: Int
}

/// Asks for the year of birth.
package struct BirthYearForm: Prompt, Codable {
  package typealias Answer = Int

  /// The current year.
  package let thisYear: Int

  /// Lets through a year of which somebody alive may be.
  package func validate(_ answer: Int) throws {
    guard (thisYear - 120...thisYear).contains(answer) else {
      throw Refusal("the year of birth must be from \(thisYear - 120) to \(thisYear), not \(answer)")
    }
  }
}

/// Offers something beside the goods.
package struct OfferForm: Prompt, Codable {
  package typealias Answer = Bool

  /// What is offered.
  package let extra: Extra
}
