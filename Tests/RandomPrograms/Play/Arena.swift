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
  /// Whether a failed step suspends the flow.
  var suspendsOnFailure: Bool { get }
  /// Retries a flow that a failed step has suspended; in memory no flow is suspended, and it does nothing.
  func retry() async
  /// Completes a step with an output of this number; in memory there is no such verb, and it does nothing.
  func complete(_ step: String, with number: Int, of program: Program) async -> String
  /// Enters a step anew with an input of this number; in memory there is no such verb, and it does nothing.
  func enter(_ step: String, with number: Int, of program: Program) async -> String
  /// Assigns a question of a hosted flow to others, among them the player.
  func reassign(_ question: Question.ID) async
  /// Edits a hosted flow, so that it is stored and activated anew, and nothing else of it changes.
  func edit() async
  /// Calls the `backUp`s of a hosted flow again that have thrown.
  func compensateAgain() async
  /// Redacts a hosted flow, which is refused while it is open.
  func redact() async
  /// Has the open questions of a hosted flow asked again.
  func refresh() async
  func move() async
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

  /// The name of the cause with which the step fails if this question is answered with `fail`.
  var causeOfFailure: String {
    let number = text.dropFirst(step.count + 1).prefix(while: \.isNumber)
    return "\(step).\(1 + (Int(number) ?? 0))"
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
