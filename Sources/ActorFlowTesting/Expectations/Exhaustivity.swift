/// How much of what a flow does a test must assert.
public struct Exhaustivity: Sendable {
  let isFull: Bool
  let report: (@Sendable ([SkippedFact]) -> Void)?

  /// Everything: each event, in order, and that the flow has ended. The default.
  public static let full = Exhaustivity(isFull: true, report: nil)

  /// Only what is asserted counts: an expectation passes over the events before the one it is about, and at its end the
  /// test leaves the flow as it stands. ``FlowTester/skipped`` lists what was passed over.
  public static let partial = Exhaustivity(isFull: false, report: nil)

  /// As ``partial``; when the body has returned, `report` gets everything that was not asserted: the events passed over,
  /// those that followed the last expectation, and what was left open.
  public static func partial(report: @escaping @Sendable ([SkippedFact]) -> Void) -> Exhaustivity {
    Exhaustivity(isFull: false, report: report)
  }
}
