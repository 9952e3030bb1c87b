public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An open question as a store indexes it: an entry in the inbox of its assignees.
public struct OpenTask: Sendable, Equatable {
  /// The question's id.
  public var question: String
  /// The step that asked the question.
  public var step: StepID
  /// The prompt's `promptName`; in flows of a format before 6, the unqualified name of its type.
  public var prompt: String
  /// The people in whose inboxes the question is; empty if it is in none. The prompt's guards say who may answer.
  public var assignees: [String]
  /// The time when an answer is due, if there is one.
  public var due: Date?
  /// The time when the question was asked.
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
