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
  /// - `reassigned`: an operator asked other people; ``detail`` names them, and the reason. Earlier versions wrote `updated`.
  /// - `movedByHand`: an operator had the flow move at that moment; ``detail`` is the reason, if one was given.
  /// - `imported`: the flow was brought in from another store; ``detail`` is the reason, if one was given.
  /// - `suspended`: a step failed, and the flow stands still; ``detail`` is the reason.
  /// - `unmigrated`: the flow fits no registered version; ``detail`` is the reason. Earlier versions wrote `parked` for
  ///   both.
  /// - `freed`: the unmigrated flow can continue.
  /// - `retried`: an operator let the flow try again; ``detail`` is the reason, if one was given.
  /// - `noted`: an operator wrote a note; ``detail`` is its text.
  /// - `edited`, `refreshed`: an operator changed what is stored, or had the questions asked again; ``detail`` is the reason,
  ///   if one was given.
  /// - `forgotten`: the `edited` before it has taken a place of this step from the flow, whose `backUp` is not called any
  ///   more; ``detail`` is the reason, if one was given.
  /// - `compensated`, `compensationFailed`: an operator had a `backUp` called again, and it returned or threw; ``detail`` is
  ///   the reason, if one was given, and the error, if there is one.
  /// - `redacted`: an operator removed what people said; ``detail`` is the reason, if one was given.
  ///
  /// If a request that made a step be left had a reason, the ``detail`` of `leaving` ends with it: `back: wrong address`.
  public var what: String
  /// The step concerned, if there is one.
  public var step: StepID?
  /// The id of the principal who caused the event, if there is one.
  public var by: String?
  /// More about the event, for people.
  ///
  /// A store is given a text of the host's own if the detail has passed a codec, or the entry has an ``answer``. A host
  /// returns the detail, or `nil` if the key of the flow was erased.
  public var detail: String?
  /// The answer as JSON, in an `answered` entry of a prompt that is audited: see `Prompt.isAudited`.
  ///
  /// A host sets it. It is `nil` in all entries that a store is given or returns: the host stores it within ``detail``.
  public var answer: [UInt8]?

  /// An entry of these parts.
  public init(
    sequence: Int, at: Date, what: String, step: StepID? = nil, by: String? = nil, detail: String? = nil,
    answer: [UInt8]? = nil
  ) {
    self.sequence = sequence
    self.at = at
    self.what = what
    self.step = step
    self.by = by
    self.detail = detail
    self.answer = answer
  }
}
