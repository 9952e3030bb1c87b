public import ActorFlow
public import ActorFlowHosting

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An open question that shows a `P`, as ``HostTester/question(_:of:at:fileID:line:)`` found it in the store.
public struct HostedQuestion<P: Prompt & Decodable>: Sendable, Identifiable {
  /// The flow that asks.
  public let flow: FlowID
  /// The question, as the host shows it.
  public let question: StoredQuestion
  /// The prompt that the question shows.
  public let prompt: P

  init(_ question: StoredQuestion, of flow: FlowID) throws {
    (self.flow, self.question) = (flow, question)
    prompt = try question.prompt(as: P.self)
  }

  /// The question's id, for the host's own requests.
  public var id: Question.ID { question.id }
  /// The step that asks.
  public var step: StepID { question.step }
  /// The assignees of the question; empty if any caller may answer.
  public var assignees: [String] { question.assignees }
  /// The time by which an answer is expected, if there is one.
  public var due: Date? { question.due }
}
