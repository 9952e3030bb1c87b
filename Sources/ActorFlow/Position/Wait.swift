/// A step's wait for a signal.
public struct Wait: Sendable, Hashable {
  /// The signal's name.
  public let signal: String
  /// The step that waits.
  public let step: StepID
  /// The visit that waits.
  public let visit: VisitID
  package let number: Int

  package init(signal: String, step: StepID, visit: VisitID, number: Int) {
    self.signal = signal
    self.step = step
    self.visit = visit
    self.number = number
  }
}
