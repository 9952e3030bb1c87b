/// An answer, with the circumstances in which it was accepted.
///
/// A replay of the visit gets an equal reply.
public struct Reply<Answer: Sendable>: Sendable {
  /// The answer.
  public let answer: Answer
  /// The principal that answered; `nil` if the answer was anonymous.
  public let by: Principal?
  /// The time at which the answer was accepted.
  public let at: FlowTime
  /// The revision of the prompt that was answered: 1 for the prompt of the question, one more after each update.
  ///
  /// Zero for an answer that a version of this library without replies has stored. Such a reply has the answer and
  /// nothing else: `by` is `nil` even if the answerer was known, `at` is the run's start, and the number of `question` is zero.
  public let revision: Int
  /// The question that was answered.
  public let question: Question.ID

  /// Creates a reply, for a test of code that takes one.
  public init(answer: Answer, by principal: Principal?, at time: FlowTime, revision: Int, question: Question.ID) {
    (self.answer, by, at, self.revision, self.question) = (answer, principal, time, revision, question)
  }
}

extension Reply: Equatable where Answer: Equatable {}
extension Reply: Encodable where Answer: Encodable {}
extension Reply: Decodable where Answer: Decodable {}

/// The circumstances of an answer, as the journal stores them.
package struct AnswerFacts: Sendable, Equatable {
  package var principal: Principal?
  /// The time from the run's start.
  package var time: Duration
  package var revision: Int
  /// The number and the token of the question.
  package var number: Int
  package var token: RandomBits?

  package init(by principal: Principal?, at time: Duration, revision: Int, number: Int, token: RandomBits?) {
    (self.principal, self.time, self.revision) = (principal, time, revision)
    (self.number, self.token) = (number, token)
  }

  /// Facts behind a reference, because most entries of a journal are copied without a look at them.
  package final class Box: Sendable {
    package let facts: AnswerFacts

    package init(_ facts: AnswerFacts) {
      self.facts = facts
    }
  }
}
