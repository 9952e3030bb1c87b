public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A line of a flow's history: what happened, when, and by whom. It is written in the commit that made it true.
public struct HistoryEntry: Sendable, Equatable, Codable {
  /// The number of the navigation event, or of what the host did between two of them: 1, 2, 3… without gaps in a flow.
  public var sequence: Int
  /// When it happened.
  public var at: Date
  /// What happened, in a word.
  ///
  /// Of the flow's navigation events, named as the cases of `Change`: `launched`, `moved`, `skipped`, `asked`, `updated`,
  /// `answered`, `withdrawn`, `waiting`, `received`, `stoppedWaiting`, `leaving`, `backedUp`, `caught`, `unwound`,
  /// `joined`, `parked`, `finished`, `failed`, `abandoned`, `cancelled`, `rolledBack`.
  ///
  /// Of the host: `sent`, a signal came that nobody waits for yet, with its name as ``detail``; `moved` with a ``detail``
  /// such as `1 → 3`, the flow goes on with another version; `parked`, it cannot go on, with the reason as ``detail``;
  /// `freed`, it can again; `retried`, somebody lets it try again. New words may be added.
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
