/// An expense to be approved.
package struct Claim: Sendable, Codable, Equatable {
  /// The person who spent it.
  package let submitter: String
  /// The amount.
  package let amount: Amount
  /// The purpose.
  package let purpose: String
  /// The people who are asked first.
  package let approvers: [String]
  /// The boss, who is asked if the two do not decide in time; if nil, the expense is then rejected.
  package let boss: String?

  /// A claim.
  ///
  /// - Throws: A ``Problem`` if the purpose is missing or too long, a name is unknown, or one person has two parts.
  package init(
    submitter: String, amount: Amount, purpose: String, approvers: (String, String), boss: String?, staff: Staff
  ) throws {
    let purpose = purpose.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard (1...200).contains(purpose.count) else {
      throw Problem("Say what the expense was for, in at most 200 characters.")
    }
    guard !purpose.holdsControlCharacters else { throw Problem("The purpose holds characters that cannot be shown.") }
    let people = try ([submitter, approvers.0, approvers.1] + [boss].compactMap(\.self)).map(staff.checked)
    guard Set(people).count == people.count else {
      throw Problem("An expense takes different people: one submits, two decide, and none of them is asked last.")
    }
    self.submitter = people[0]
    self.amount = amount
    self.purpose = purpose
    self.approvers = [people[1], people[2]]
    self.boss = boss == nil ? nil : people[3]
  }

  /// The claim in a few words.
  package var summary: String { "“\(purpose)”, \(amount), of \(submitter)" }
}

/// A part in the decision. The first two are decided by two different people, in any order.
package enum Seat: String, Sendable, Codable, CaseIterable {
  case first, second, boss

  /// The seat of a step, by its path.
  package init?(path: String) {
    for part in path.split(separator: "/") {
      if let seat = Seat(rawValue: String(part)) {
        self = seat
        return
      }
    }
    return nil
  }

  /// The seat as it is called in a sentence.
  package var title: String {
    switch self {
    case .first: "the first decision"
    case .second: "the second decision"
    case .boss: "the boss's decision"
    }
  }
}
