/// Who is buying, with the basket.
package enum Visitor: Sendable {
  /// Nothing is known yet.
  case guest(Basket)
  /// Everything is on file.
  case member(Member, Basket)

  /// The basket of a guest.
  package var guest: Basket? {
    if case .guest(let basket) = self { basket } else { nil }
  }

  /// Account and basket of a member.
  package var member: (Member, Basket)? {
    if case .member(let member, let basket) = self { (member, basket) } else { nil }
  }
}
