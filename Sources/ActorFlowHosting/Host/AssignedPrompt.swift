public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt that is assigned to certain people. Stores find its questions by assignee and by due date.
public protocol AssignedPrompt: Prompt {
  /// The people who are to answer, by the names that your inbox queries. An update of the prompt can reassign it.
  var assignees: [String] { get }
  /// The time by which an answer is expected, or `nil` for none. Passing it has no effect; to end the ask, give it a
  /// deadline.
  var due: Date? { get }
}
