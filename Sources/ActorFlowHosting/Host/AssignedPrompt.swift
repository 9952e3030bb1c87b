public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt that is assigned to certain people. Stores find its questions by assignee and by due date.
public protocol AssignedPrompt: Prompt {
  /// The people who are to answer, by the names that your inbox queries. Updating the prompt can assign it to others.
  /// Names are compared byte by byte, have at most 512 UTF-8 bytes, and contain no U+0000: a step that asks with another
  /// name fails, and its flow is suspended.
  var assignees: [String] { get }
  /// The time by which an answer is expected, or `nil` for none. Nothing happens by itself then; for
  /// that, give the ask a deadline.
  var due: Date? { get }
}
