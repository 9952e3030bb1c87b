import ArgumentParser

/// `actorflow redact`.
struct Redact: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Removes what people said from flows that have ended.",
    discussion: "Nothing brings it back. Labels and the names of people are removed as well, but for those to keep.")
  static let operation = "redact"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The reason, for the history.") var reason: String
  @Option(help: ArgumentHelp("A label to keep; give it again for more.", valueName: "key")) var keepLabel: [String] = []
  @Option(help: ArgumentHelp("A person whose name is kept in the history; give it again for more.", valueName: "name"))
  var keepPrincipal: [String] = []
  @OptionGroup var service: ServiceOptions

  /// A redaction that is repeated finds nothing left, so it needs no key.
  var key: String? { nil }
  var values: RequestBody {
    var values = RequestBody(reason: reason)
    values.set("labels", keepLabel)
    values.set("principals", keepPrincipal)
    return values
  }

  func validate() throws { try Reason.check(reason) }
}
