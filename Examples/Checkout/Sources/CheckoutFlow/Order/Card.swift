/// A payment card as it was typed. Shows only its last four digits when printed.
///
/// Encoded it is complete, because a step that runs again needs it: an application that stores flows encrypts them.
package struct Card: Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The digits, without blanks.
  package let number: String
  /// The last month in which it is valid.
  package let expiry: Month
  /// The three or four digits on the back.
  package let securityCode: String

  /// A card, unchecked.
  package init(number: String, expiry: Month, securityCode: String) {
    self.number = number
    self.expiry = expiry
    self.securityCode = securityCode
  }

  /// The last four digits.
  package var ending: String { String(number.suffix(4)) }

  /// The visible part of it.
  package var description: String { "card ending in \(ending)" }
  /// The visible part of it in the output of a debugger or a log.
  package var debugDescription: String { description }

  /// Finds a malformed or expired card before a gateway is called.
  ///
  /// - Parameter today: The current month; a card is valid until its month is over.
  /// - Throws: ``Problem``, which never repeats the number.
  package func check(today: Month) throws {
    guard (12...19).contains(number.count), Self.isDigits(number) else {
      throw Problem("a card number has 12 to 19 digits, and this one has not")
    }
    guard Self.passesLuhn(number) else {
      throw Problem("a digit of the card number is wrong: its check digit does not fit; type it again")
    }
    guard expiry >= today else { throw Problem("the card expired in \(expiry); use another one") }
    guard (3...4).contains(securityCode.count), Self.isDigits(securityCode) else {
      throw Problem("the security code must be the 3 or 4 digits on the back of the card")
    }
  }

  /// The check digit's rule: every second digit from the right counts twice, and the sum ends in 0.
  static func passesLuhn(_ number: String) -> Bool {
    var sum = 0
    for (index, digit) in number.reversed().enumerated() {
      guard let value = digit.wholeNumberValue else { return false }
      let counted = index.isMultiple(of: 2) ? value : value * 2
      sum += counted > 9 ? counted - 9 : counted
    }
    return sum.isMultiple(of: 10)
  }

  private static func isDigits(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
