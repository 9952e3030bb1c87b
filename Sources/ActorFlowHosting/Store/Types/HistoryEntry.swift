public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry of a flow's history: what happened, when and by whom, written in the commit that made it true.
public struct HistoryEntry: Sendable, Equatable, Codable {
  /// The number of the navigation event, or of the host's action between two events: 1, 2, 3… without gaps in a flow.
  public var sequence: Int
  /// The time of the event.
  public var at: Date
  /// The kind of event, in a word.
  ///
  /// Navigation events are named after the cases of `Change`: `launched`, `moved`, `skipped`, `asked`, `updated`,
  /// `answered`, `withdrawn`, `waiting`, `received`, `stoppedWaiting`, `leaving`, `backedUp`, `caught`, `unwound`,
  /// `joined`, `suspended`, `finished`, `failed`, `abandoned`, `cancelled`, `rolledBack`.
  ///
  /// The host adds these words, and new ones may be added:
  /// - `sent`: a signal arrived that no step waits for yet; ``detail`` is the signal's name.
  /// - `moved`, with a ``detail`` such as `1 → 3`: the flow continues with another version.
  /// - `suspended`: a step failed, and the flow stands still; ``detail`` is the reason.
  /// - `unmigrated`: the flow fits no registered version; ``detail`` is the reason. Earlier versions wrote `parked` for
  ///   both.
  /// - `freed`: the unmigrated flow can continue.
  /// - `retried`: an operator let the flow try again; ``detail`` is the reason, if one was given.
  /// - `noted`: an operator wrote a note; ``detail`` is its text.
  ///
  /// If a request that made a step be left had a reason, the ``detail`` of `leaving` ends with it: `back: wrong address`.
  public var what: String
  /// The step concerned, if there is one.
  public var step: StepID?
  /// The id of the principal who caused the event, if there is one.
  public var by: String?
  /// More about the event, for people.
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
