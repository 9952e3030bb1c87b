import ArgumentParser

/// The flows that a command is about, if it is about more than one.
struct FlowFilter: ParsableArguments {
  @Option(help: ArgumentHelp("Flows of this definition.", valueName: "name"))
  var definition: String?
  @Option(help: ArgumentHelp("Flows of this version of their definition.", valueName: "number"))
  var flowVersion: Int?
  @Option(
    help: ArgumentHelp(
      "Flows of these statuses: runnable, waiting, suspended, unmigrated, erased, finished, failure, abandoned, cancelled.",
      valueName: "status,..."))
  var status: String?
  @Option(help: ArgumentHelp("Flows at this step: its path, or the last part.", valueName: "step"))
  var step: String?
  @Option(help: ArgumentHelp("Flows with this label.", valueName: "key=value"))
  var label: String?
  @Flag(inversion: .prefixedNo, help: "Flows with a `backUp` that failed and is owed, or without one.")
  var rollbackFailed: Bool?
  @Option(help: ArgumentHelp("Flows whose next timer is before this time.", valueName: "time"))
  var dueBefore: String?
  @Option(help: ArgumentHelp("Flows that last changed before this time.", valueName: "time"))
  var changedBefore: String?
  @Option(help: ArgumentHelp("Flows that started before this time.", valueName: "time"))
  var startedBefore: String?

  func validate() throws {
    if let label, !label.dropFirst().contains("=") { throw ValidationError("--label takes key=value, not '\(label)'.") }
    for (option, text) in [("definition", definition), ("status", status), ("step", step)] where text == "" {
      throw ValidationError("--\(option) is empty.")
    }
  }

  /// The filters by the names that the service has for them.
  var pairs: [(String, String?)] {
    [
      ("definition", definition), ("version", flowVersion.map { "\($0)" }), ("status", status), ("step", step),
      ("label", label), ("rollbackFailed", rollbackFailed.map { "\($0)" }), ("dueBefore", dueBefore),
      ("changedBefore", changedBefore), ("startedBefore", startedBefore),
    ]
  }

  var isEmpty: Bool { pairs.allSatisfy { $0.1 == nil } }

  /// The filters as the member `query` of a request.
  var json: String {
    JSONValue.object(
      Dictionary(uniqueKeysWithValues: pairs.compactMap { name, text in text.map { (name, .text($0)) } })
    ).description
  }
}
