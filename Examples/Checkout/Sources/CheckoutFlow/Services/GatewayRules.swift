/// By what the simulated gateway declines.
///
/// | card ending in | what happens |
/// |---|---|
/// | 0002 | declined: the bank refuses the card |
/// | 9995 | declined: the account does not hold the money |
/// | 0119 | money is taken, and the line breaks off before the gateway says so |
/// | 3155 | charged only after the card's bank has approved it: 3-D Secure |
/// | any other | approved up to ``limit``, declined above |
package struct GatewayRules: Sendable {
  /// The gateway's handling of a charge.
  package enum Verdict: Sendable, Equatable {
    case approve
    case decline(String)
    case breakOff
  }

  /// The highest amount one charge may have.
  package let limit: Money

  /// Rules with a limit.
  package init(limit: Money) {
    self.limit = limit
  }

  /// At most €5,000.00 a charge.
  package static let standard = GatewayRules(limit: Money(cents: 500_000))

  /// Whether the card's bank asks its owner before the card may be charged.
  package func needsApproval(_ card: Card) -> Bool { card.ending == "3155" }

  /// Returns the handling of this charge.
  package func verdict(on amount: Money, card: Card) -> Verdict {
    switch card.ending {
    case "0002": return .decline("the bank refuses this card")
    case "9995": return .decline("the account behind this card does not hold \(amount)")
    case "0119": return .breakOff
    default: break
    }
    if amount > limit { return .decline("\(amount) is above the limit of \(limit) a payment") }
    return .approve
  }
}
