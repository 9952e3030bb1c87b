public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An open question as a store keeps and finds it: an entry in somebody's inbox.
public struct OpenTask: Sendable, Equatable {
  /// The question's id.
  public var question: String
  /// The step that asks.
  public var step: StepID
  /// The name of the prompt's type.
  public var prompt: String
  /// Who is to answer; empty if anybody may.
  public var assignees: [String]
  /// When an answer is expected, if it is.
  public var due: Date?
  /// When the question was asked.
  public var askedAt: Date

  /// An open question of these parts.
  public init(
    question: String, step: StepID, prompt: String, assignees: [String] = [], due: Date? = nil, askedAt: Date
  ) {
    self.question = question
    self.step = step
    self.prompt = prompt
    self.assignees = assignees
    self.due = due
    self.askedAt = askedAt
  }
}
