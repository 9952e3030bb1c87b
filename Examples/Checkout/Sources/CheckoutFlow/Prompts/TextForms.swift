import ActorFlow

/// Asks for the customer's name.
package struct NameForm: Prompt, Codable {
  package typealias Answer = String

  package init() {}

  /// Accepts 2 to 80 characters.
  package func validate(_ answer: String) throws { try check(answer, "the name", 2...80) }
}

/// Asks for the e-mail address of the receipt.
package struct EmailForm: Prompt, Codable {
  package typealias Answer = String

  package init() {}

  /// Accepts text in the form of an e-mail address.
  package func validate(_ answer: String) throws {
    try check(answer, "the e-mail address", 6...120)
    let parts = answer.split(separator: "@", omittingEmptySubsequences: false)
    let labels = parts.last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard
      parts.count == 2, !parts[0].isEmpty, labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }),
      !answer.contains(where: \.isWhitespace)
    else { throw Problem("the e-mail address must look like name@example.org") }
  }
}

/// Asks for street and number.
package struct StreetForm: Prompt, Codable {
  package typealias Answer = String

  package init() {}

  /// Accepts 3 to 100 characters.
  package func validate(_ answer: String) throws { try check(answer, "the street", 3...100) }
}

/// Asks for the postcode.
package struct PostcodeForm: Prompt, Codable {
  package typealias Answer = String

  package init() {}

  /// Accepts 3 to 10 letters, digits, blanks and hyphens, a digit among them.
  package func validate(_ answer: String) throws {
    let fits = answer.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " " || $0 == "-") }
    guard (3...10).contains(answer.count), fits, answer.contains(where: \.isNumber) else {
      throw Problem("the postcode must be 3 to 10 letters and digits, such as 10115")
    }
  }
}

/// Asks for the town.
package struct CityForm: Prompt, Codable {
  package typealias Answer = String

  package init() {}

  /// Accepts 2 to 60 characters.
  package func validate(_ answer: String) throws { try check(answer, "the town", 2...60) }
}

private func check(_ answer: String, _ what: String, _ length: ClosedRange<Int>) throws {
  guard length.contains(answer.count) else {
    throw Problem("\(what) must have \(length.lowerBound) to \(length.upperBound) characters, not \(answer.count)")
  }
  guard !answer.holdsControlCharacters else { throw Problem("\(what) holds a character that cannot be printed") }
}
