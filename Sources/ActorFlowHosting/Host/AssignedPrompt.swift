public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt that is assigned to certain people. Stores find its questions by assignee and by due date.
public protocol AssignedPrompt: Prompt {
  /// The people who are to answer, by the names that your inbox queries. Updating the prompt can assign it to others.
  var assignees: [String] { get }
  /// The time by which an answer is expected, or `nil` for none. Nothing happens by itself then; for
  /// that, give the ask a deadline.
  var due: Date? { get }
}
