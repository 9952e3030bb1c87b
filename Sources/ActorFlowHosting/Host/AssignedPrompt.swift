public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A prompt that waits for certain people: a store finds it by them, and by when it is due.
public protocol AssignedPrompt: Prompt {
  /// Who is to answer, by the names that your inbox asks for. An update of the prompt moves it to others.
  var assignees: [String] { get }
  /// When an answer is expected; nil: some time. Nothing happens then by itself: give the ask a deadline for that.
  var due: Date? { get }
}
