/// The extent to which a test must assert what a flow does.
public struct Exhaustivity: Sendable {
  let isFull: Bool
  let report: (@Sendable ([SkippedFact]) -> Void)?

  /// Everything must be asserted: each event, in order, and that the flow has ended. The default.
  public static let full = Exhaustivity(isFull: true, report: nil)

  /// Only what is asserted counts.
  ///
  /// An expectation skips the events before the one it expects, and the flow may still be running at the end of the
  /// test. ``FlowTester/skipped`` lists what was skipped.
  public static let partial = Exhaustivity(isFull: false, report: nil)

  /// As ``partial``, with a report of everything that was not asserted.
  ///
  /// When the body has returned, `report` receives the skipped events, those after the last expectation, and what was
  /// left open.
  public static func partial(report: @escaping @Sendable ([SkippedFact]) -> Void) -> Exhaustivity {
    Exhaustivity(isFull: false, report: report)
  }
}
