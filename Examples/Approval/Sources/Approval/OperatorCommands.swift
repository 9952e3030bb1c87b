import ActorFlow
import ApprovalFlow
import ArgumentParser

/// The operator, the reason and the expense: the options of every command of an operator.
struct Operation: ParsableArguments {
  @Argument(help: "The expense.") var expense: String
  @Option(help: "The operator.") var by: String
  @Option(help: "Why; it stands in the history.") var reason: String

  var id: FlowID { FlowID(expense) }
}

/// Puts another person in the place of one who is asked.
struct Reassign: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Assign a question to another person.")

  @OptionGroup var place: Place
  @OptionGroup var operation: Operation
  @Option(help: "Who is asked: a person, or a group as in “group finance”.") var from: String
  @Option(help: "Who is to be asked.") var to: String

  func run() async throws {
    try await place.open { office in
      try await office.reassign(operation.id, from: from, to: to, by: operation.by, reason: operation.reason)
    } afterwards: { office in
      print("\(operation.id): \(try await office.trail(of: operation.id).ending)")
    }
  }
}

/// Completes a payment by hand.
struct Complete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Say that an expense was paid by hand.")

  @OptionGroup var place: Place
  @OptionGroup var operation: Operation
  @Option(help: "How it was paid, as in “cash 17”.") var reference: String

  func run() async throws {
    try await place.open { office in
      try await office.complete(
        operation.id, Payment(reference: reference), by: operation.by, reason: operation.reason)
    } afterwards: { office in
      print("\(operation.id): \(try await office.trail(of: operation.id).ending)")
    }
  }
}

/// Tries a payment again.
struct Retry: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Try the payment again.")

  @OptionGroup var place: Place
  @OptionGroup var operation: Operation

  func run() async throws {
    try await place.open { office in
      try await office.retry(operation.id, by: operation.by, reason: operation.reason)
    } afterwards: { office in
      print("\(operation.id): \(try await office.trail(of: operation.id).ending)")
    }
  }
}

/// Removes what people said about an expense.
struct Redact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Remove what people said; the facts stay.")

  @OptionGroup var place: Place
  @OptionGroup var operation: Operation

  func run() async throws {
    try await place.open { office in
      try await office.redact(operation.id, by: operation.by, reason: operation.reason)
    }
    let isErased = try await place.erase(operation.id)
    print("\(operation.id): redacted\(isErased ? "" : "; the database has the old bytes until it is vacuumed")")
  }
}
