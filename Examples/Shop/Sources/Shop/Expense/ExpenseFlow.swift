import ActorFlow
import ActorFlowHosting
import Foundation

/// The form that hands an expense in.
struct ExpenseForm: Codable, Sendable {
  var purpose: String
  var euros: Double
}

/// An expense, with the person who has spent the money.
public struct Claim: Codable, Sendable, Equatable {
  let submitter: String
  let purpose: String
  /// The amount, in cents.
  let cents: Int

  /// - Throws: A `Refusal` that names the field.
  init(_ form: ExpenseForm, by submitter: String) throws {
    guard (3...200).contains(form.purpose.count) else {
      throw Refusal.invalid("Say in 3 to 200 characters what it was for.", field: "purpose")
    }
    guard (0.01...100_000).contains(form.euros) else {
      throw Refusal.invalid("The amount is from 0.01 to 100000 euros.", field: "euros")
    }
    (self.submitter, purpose, cents) = (submitter, form.purpose, Int((form.euros * 100).rounded()))
  }
}

/// The decision about an expense.
struct Ballot: Codable, Sendable, Equatable {
  var isApproved: Bool
  var comment: String
}

/// Asks the managers, or others to whom an operator assigns the question. It stands in the list of each of them.
struct BallotForm: AssignedPrompt, ReassignablePrompt, Codable {
  typealias Answer = Ballot
  static let isAudited = true
  let claim: Claim
  var assignees = ["managers"]
  var due: Date? { nil }

  init(claim: Claim) { self.claim = claim }

  /// Reads also a question that was asked before it could be assigned to others.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    claim = try values.decode(Claim.self, forKey: .claim)
    assignees = try values.decodeIfPresent([String].self, forKey: .assignees) ?? assignees
  }

  func authorize(_ principal: Principal) throws {
    guard assignees.contains(where: { $0 == principal.id || principal.roles.contains($0) }) else {
      throw Refusal.notAllowed("Only managers decide.")
    }
    guard principal.id != claim.submitter else { throw Refusal.notAllowed("Another manager has to decide this.") }
  }

  func validate(_ ballot: Ballot) throws {
    guard ballot.comment.count <= 500 else {
      throw Refusal.invalid("A comment has at most 500 characters.", field: "comment")
    }
    guard ballot.isApproved || !ballot.comment.isEmpty else {
      throw Refusal.invalid("A rejection needs a reason.", field: "comment")
    }
  }
}

/// The account to which an expense is booked.
struct Booking: Codable, Sendable, Equatable {
  var account: String
}

/// Asks the finance group to book an approved expense.
struct BookingForm: AssignedPrompt, Codable {
  typealias Answer = Booking
  static let isAudited = true
  let claim: Claim
  var assignees: [String] { ["finance"] }
  var due: Date? { nil }

  func authorize(_ principal: Principal) throws {
    guard principal.roles.contains("finance") else { throw Refusal.notAllowed("Only the finance group books.") }
  }

  func validate(_ booking: Booking) throws {
    guard (2...40).contains(booking.account.count) else {
      throw Refusal.invalid("An account has 2 to 40 characters.", field: "account")
    }
  }
}

/// The end of an expense.
public struct Verdict: Codable, Sendable, Equatable {
  /// A sentence for the submitter.
  public var text: String
}

/// The approval of an expense: a manager decides, and the finance group books it.
enum ExpenseFlow {
  static func make() -> Flow<Claim, Verdict> {
    Flow("expense", finishingWith: Verdict.self) {
      Step("decision") { (claim: Claim, context: StepContext) -> Exit<Claim, Verdict> in
        let ballot = try await context.ask(BallotForm(claim: claim))
        return ballot.isApproved ? .proceed(claim) : .finish(Verdict(text: "Rejected: \(ballot.comment)"))
      }
      .onBackUp(.oneWay)
      Step("booking") { (claim: Claim, context: StepContext) -> Exit<Verdict, Verdict> in
        let booking = try await context.ask(BookingForm(claim: claim))
        return .finish(Verdict(text: "Approved, and booked to \(booking.account)."))
      }
    }
  }
}
