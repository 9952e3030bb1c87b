public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An open question of a stored flow, with its prompt as JSON. Code that knows the prompt's type can decode it.
public struct StoredQuestion: Sendable, Identifiable {
  /// The id to answer with.
  public let id: Question.ID
  /// The step that asks.
  public let step: StepID
  /// The prompt's `promptName`; in flows of a format before 6, the unqualified name of its type.
  public let prompt: String
  /// The prompt as JSON, as the step has made it. If an operator has assigned the question to others, only
  /// ``assignees`` and ``prompt(as:)`` say so.
  public let json: [UInt8]
  /// The number of the prompt's version: 1 when asked, one more after each update.
  public let revision: Int
  /// The people who are to answer; empty if everyone may, and in a flow whose erased key has come back, until its next
  /// request.
  public let assignees: [String]
  /// The time by which an answer is expected, if there is one.
  public let due: Date?
  /// The time at which the question was asked.
  public let askedAt: Date
  /// Whether an operator has assigned the question.
  let isReassigned: Bool

  /// Whether the question shows a prompt of this type: its `promptName` or, in flows of a format before 6, the
  /// unqualified name of the type.
  public func shows(_ type: any Prompt.Type) -> Bool {
    let names = PromptNames(of: type, isQualified: true)
    return prompt == names.current || names.earlier.contains(prompt)
  }

  /// Returns the prompt, decoded as its type; a `ReassignablePrompt` with the people who are asked now.
  ///
  /// - Throws: `DecodingError` if the prompt is of another type.
  public func prompt<P: Prompt & Decodable>(as type: P.Type) throws -> P {
    let prompt = try JSONValueCodec().decode(json, as: type)
    guard isReassigned, var assigned = prompt as? any ReassignablePrompt else { return prompt }
    assigned.assignees = assignees
    return assigned as? P ?? prompt
  }
}
