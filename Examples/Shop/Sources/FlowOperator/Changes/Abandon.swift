import ArgumentParser

/// `actorflow abandon`.
struct Abandon: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Abandons flows and rolls them back.",
    discussion: "The steps of a flow are compensated, newest first, unless --no-rolling-back leaves their effects.")
  static let operation = "abandon"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The reason, for the history.") var reason: String
  @Flag(inversion: .prefixedNo, help: "Call the `backUp` of each step.") var rollingBack = true
  @OptionGroup var idempotency: ChangeKey
  @OptionGroup var service: ServiceOptions

  var key: String? { idempotency.orNew }
  var values: RequestBody {
    var values = RequestBody(reason: reason)
    values.set("rollingBack", rollingBack)
    return values
  }

  func validate() throws { try Reason.check(reason) }
}
