import ActorFlow
import ApprovalFlow
import ArgumentParser
import Foundation

/// Submits an expense.
struct Submit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Hand an expense in.")

  @OptionGroup var place: Place
  @Option(help: "Who spent the money.") var by: String
  @Option(help: "How many euros, as in 129.90.") var amount: String
  @Option(help: "What for.") var purpose: String
  @Option(name: .customLong("approver"), help: "Who decides; given twice.") var approvers: [String]
  @Option(help: "Who decides if the two do not settle it in time.") var boss: String?
  @Option(help: "The expense's name; without it, the next number.") var id: String?

  func run() async throws {
    guard approvers.count == 2 else { throw ValidationError("Give two approvers: --approver NAME --approver NAME.") }
    let staff = try place.staff()
    let claim = try Claim(
      submitter: by, amount: try Amount(parsing: amount), purpose: purpose, approvers: (approvers[0], approvers[1]),
      boss: boss, staff: staff)
    let name = try id.map(Self.checked)
    try await place.open { office in
      let id = try await office.submit(claim, as: name)
      print("\(id): \(claim.summary), waits for \(approvers[0]) and \(approvers[1])")
    }
  }

  private static func checked(_ id: String) throws -> FlowID {
    guard (1...40).contains(id.count), id.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" }) else {
      throw Problem("“\(id.prefix(40))” is no name of an expense; use 1 to 40 letters, digits and hyphens.")
    }
    return FlowID(id)
  }
}

/// Shows the expenses that wait for a person.
struct Inbox: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Show what waits for somebody.")

  @OptionGroup var place: Place
  @Argument(help: "Whose inbox.") var name: String

  func run() async throws {
    try await place.open { office in
      let items = try await office.inbox(of: name)
      if items.isEmpty { print("Nothing waits for \(name).") }
      for item in items {
        let end = item.due.map { ", until \(Time.text($0))" } ?? ""
        print("\(item.expense)  \(item.claim.summary), \(item.task)\(end)")
      }
    }
  }
}

/// Approves or rejects an expense.
struct Decide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Approve or reject an expense.")

  enum Decision: String, ExpressibleByArgument, CaseIterable {
    case approve, reject
  }

  @OptionGroup var place: Place
  @Argument(help: "The expense.") var expense: String
  @Argument(help: "What is decided.") var decision: Decision
  @Option(help: "Who decides.") var by: String
  @Option(help: "Why; a rejection needs it.") var comment = ""

  func run() async throws {
    try await place.open { office in
      try await office.decide(FlowID(expense), by: by, Ballot(approves: decision == .approve, comment: comment))
    } afterwards: { office in
      print("\(expense): \(try await office.trail(of: FlowID(expense)).ending)")
    }
  }
}

/// Lets another person decide.
struct Delegate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Let another person decide.")

  @OptionGroup var place: Place
  @Argument(help: "The expense.") var expense: String
  @Option(help: "The person who is asked.") var by: String
  @Option(help: "Who is to have it.") var to: String

  func run() async throws {
    try await place.open { office in
      try await office.delegate(FlowID(expense), from: by, to: to)
    } afterwards: { office in
      print("\(expense): \(try await office.trail(of: FlowID(expense)).ending)")
    }
  }
}

/// Books an expense.
struct Book: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Book an expense to an account.")

  @OptionGroup var place: Place
  @Argument(help: "The expense.") var expense: String
  @Option(help: "Who books: a member of the finance group.") var by: String
  @Option(help: "The account.") var account: String

  func run() async throws {
    try await place.open { office in
      try await office.book(FlowID(expense), by: by, Booking(account: account))
    } afterwards: { office in
      print("\(expense): \(try await office.trail(of: FlowID(expense)).ending)")
    }
  }
}

/// Shows the audit page of an expense.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Show who did what to an expense, when and why.")

  @OptionGroup var place: Place
  @Argument(help: "The expense.") var expense: String

  func run() async throws {
    try await place.open { office in
      let lines = try await office.trail(of: FlowID(expense)).lines
      let width = lines.map { $0.who?.count ?? 0 }.max() ?? 0
      for line in lines {
        let who = (line.who ?? "").padding(toLength: width, withPad: " ", startingAt: 0)
        print("\(Time.text(line.at))  \(who)  \(line.what)\(line.why.map { ": \($0)" } ?? "")")
      }
    }
  }
}
