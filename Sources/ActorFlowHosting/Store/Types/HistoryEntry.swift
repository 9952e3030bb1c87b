public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A line of a flow's history: what happened, when, and by whom. It is written in the commit that made it true.
public struct HistoryEntry: Sendable, Equatable, Codable {
  /// The number of the navigation event: 1, 2, 3… without gaps in a flow.
  public var sequence: Int
  /// When it happened.
  public var at: Date
  /// What happened, in a word, for example `moved` or `answered`.
  public var what: String
  /// The step concerned, where there is one.
  public var step: StepID?
  /// The id of the principal who caused it, where there is one.
  public var by: String?
  /// More about it, for people.
  public var detail: String?

  /// An entry of these parts.
  public init(
    sequence: Int, at: Date, what: String, step: StepID? = nil, by: String? = nil, detail: String? = nil
  ) {
    self.sequence = sequence
    self.at = at
    self.what = what
    self.step = step
    self.by = by
    self.detail = detail
  }
}
