package import ActorFlow

/// A running flow, in memory or on a host, as attackers see it. A request returns its result as a word.
package protocol Arena: Sendable {
  var hasEnded: Bool { get async }
  /// The open questions, with the steps that ask them.
  var questions: [AskedQuestion] { get async }
  func answer(_ question: Question.ID, with command: Command) async -> String
  func send(_ value: Int, to signal: String, key: String?) async -> String
  func backUp(to step: String?) async -> String
  func backUp(from question: Question.ID) async -> String
  func abandon(rollingBack: Bool) async -> String
  /// Retries a flow that a failed step has suspended; in memory no flow is suspended, and it does nothing.
  func retry() async
  /// Completes a step with an output of this number; in memory there is no such verb, and it does nothing.
  func complete(_ step: String, with number: Int, of program: Program) async -> String
  /// Enters a step anew with an input of this number; in memory there is no such verb, and it does nothing.
  func enter(_ step: String, with number: Int, of program: Program) async -> String
  /// Has the open questions of a hosted flow asked again.
  func refresh() async
  /// Writes a note into the history of a hosted flow.
  func note() async
  /// Cancels the caller of `run`; a hosted flow has no caller, and it does nothing.
  func cancelCaller()
  func advance(by time: Duration) async
}

package struct AskedQuestion: Sendable {
  package let id: Question.ID
  package let step: String
  package let text: String

  package init(id: Question.ID, step: String, text: String) {
    (self.id, self.step, self.text) = (id, step, text)
  }
}

/// The result of a request: `ok`, or the error as a word.
package func outcome(_ request: () async throws -> Void) async -> String {
  do {
    try await request()
    return "ok"
  } catch { return word(for: error) }
}

/// The error as a word.
package func word(for error: any Error) -> String {
  switch error {
  case let error as FlowError: "\(error.code)"
  case is CancellationError: "cancelled"
  case let error as Trouble: error.description
  default: "\(error)"
  }
}
