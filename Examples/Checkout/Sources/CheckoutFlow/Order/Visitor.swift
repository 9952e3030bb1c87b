/// Who is buying, with the basket.
package enum Visitor: Sendable, Codable {
  /// Nothing is known yet.
  case guest(Basket)
  /// Everything is on file.
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
