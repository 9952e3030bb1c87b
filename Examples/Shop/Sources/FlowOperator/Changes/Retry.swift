import ArgumentParser

/// `actorflow retry`.
struct Retry: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Retries suspended flows.",
    discussion: """
      actorflow retry order-17 --reason "the bank is back"
      actorflow retry --status suspended --step pay --reason "the bank is back" --apply
      """)
  static let operation = "retry"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey
  @OptionGroup var service: ServiceOptions

  var key: String? { idempotency.orNew }
  var values: RequestBody { RequestBody(reason: reason) }

  func validate() throws { try Reason.check(reason) }
}

/// `actorflow refresh`.
struct Refresh: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has open questions asked again, under the version that the flow follows now.")
  static let operation = "refresh"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey
  @OptionGroup var service: ServiceOptions

  var key: String? { idempotency.orNew }
  var values: RequestBody { RequestBody(reason: reason) }

  func validate() throws { try Reason.check(reason) }
}

/// `actorflow move`.
struct Move: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has flows continue with the newest version of their definition that takes them, now.",
    discussion: """
      A flow moves by itself when it is activated. `actorflow plan` says which flows would move. Flows that stay with their \
      version are not changed.

      actorflow move --definition checkout --flow-version 1 --reason "version 1 is taken out" --apply
      """)
  static let operation = "move"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The reason, for the history.") var reason: String
  @OptionGroup var idempotency: ChangeKey
  @OptionGroup var service: ServiceOptions

  var key: String? { idempotency.orNew }
  var values: RequestBody { RequestBody(reason: reason) }

  func validate() throws { try Reason.check(reason) }
}

/// The reason of a change.
enum Reason {
  static func check(_ reason: String) throws {
    guard reason.contains(where: { !$0.isWhitespace }) else { throw ValidationError("--reason is empty.") }
  }
}

extension RequestBody {
  init(reason: String) { set("reason", reason) }
}
