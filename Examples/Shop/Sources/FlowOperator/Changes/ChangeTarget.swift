import ArgumentParser
import Foundation

/// The flows that a command changes: one by its id, or many by filters.
struct ChangeTarget: ParsableArguments {
  @Argument(help: "The id of a flow. Leave it out to change the flows that the filters mean.") var flow: String?
  @OptionGroup(title: "Filters, for many flows") var filter: FlowFilter
  @Flag(help: "All flows of the service's store, in place of filters.") var all = false
  @Flag(help: "Change the flows that the filters mean. Without it they are listed, and nothing is changed.")
  var apply = false
  @Option(help: "The greatest number of flows to change. Default: all that match.") var limit: Int?
  @Option(help: ArgumentHelp("Go on behind this cursor of an earlier command that has stopped.", valueName: "cursor"))
  var after: String?

  var isOfMany: Bool { flow == nil }

  func validate() throws {
    if let limit { try Limits.check(limit) }
    guard flow != "" else { throw ValidationError("The id of the flow is empty.") }
    switch (flow, filter.isEmpty, all) {
    case (.some, true, false):
      guard limit == nil, after == nil else { throw ValidationError("--limit and --after are for many flows.") }
    case (.some, _, _): throw ValidationError("Name a flow, or say with filters which flows you mean, but not both.")
    case (nil, true, false):
      throw ValidationError("Name a flow, or say with filters which flows you mean; --all means all of them.")
    case (nil, false, true): throw ValidationError("--all means all flows: leave it out, or the filters.")
    default: break
    }
  }
}

/// The idempotency key of a change.
struct ChangeKey: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The idempotency key, to repeat a command whose reply was lost: what it changed is not changed again.",
      valueName: "key"))
  var key: String?

  /// The key that the operator gave, or a new one.
  var orNew: String { key ?? UUID().uuidString }

  func validate() throws {
    // The service takes more, but a header does not.
    guard key.map({ Credential.isToken($0) && $0.utf8.count <= 256 }) ?? true else {
      throw ValidationError("--key takes 1 to 256 letters, digits and marks of ASCII.")
    }
  }
}
