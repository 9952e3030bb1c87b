/// The customer, with the basket.
package enum Visitor: Sendable, Codable {
  /// A guest, whose data is unknown.
  case guest(Basket)
  /// A member, whose data is on file.
  case member(Member, Basket)

  /// The basket of a guest.
  package var guest: Basket? {
    if case .guest(let basket) = self { basket } else { nil }
  }

  /// Account and basket of a member.
  package var member: MemberBasket? {
    if case .member(let member, let basket) = self { MemberBasket(member: member, basket: basket) } else { nil }
  }
}

/// A member, with the basket.
package struct MemberBasket: Sendable, Codable {
  package let member: Member
  package let basket: Basket
}
