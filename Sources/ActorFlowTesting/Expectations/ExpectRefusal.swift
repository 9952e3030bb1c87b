public import ActorFlow

// Checks of the guards of prompts, without a flow. They call a guard through `Prompt`, as a coordinator does. A
// function that only looks like a guard is therefore not called, and the test fails.

/// Asserts that a prompt's `authorize(_:)` refuses a principal.
///
/// ```swift
/// try await expectRefusal(ofPrincipal: nil, by: Approval(amount: 100))
/// ```
///
/// - Parameters:
///   - principal: The answerer; `nil` for an anonymous one.
///   - prompt: The prompt that must refuse.
///   - fileID: The file to name in a failure.
///   - line: The line to name in a failure.
/// - Returns: The error that the guard threw.
/// - Throws: ``FlowTestFailure`` if the guard admits the principal; `CancellationError` if the test is cancelled.
@discardableResult
public func expectRefusal<P: Prompt>(
  ofPrincipal principal: Principal?, by prompt: P, fileID: String = #fileID, line: Int = #line
) async throws -> any Error {
  let answerer = principal.map { "the principal \($0.id)" } ?? "an anonymous answerer"
  return try await refusal("authorize(_:) of \(P.self) to refuse \(answerer)", SourceLocation(fileID, line)) {
    try await prompt.authorize(principal)
  }
}

/// Asserts that a prompt's `validate(_:)` refuses an answer.
///
/// ```swift
/// try await expectRefusal(ofAnswer: 101, by: Approval(amount: 100))
/// ```
///
/// - Parameters:
///   - answer: The answer.
///   - prompt: The prompt that must refuse.
///   - fileID: The file to name in a failure.
///   - line: The line to name in a failure.
/// - Returns: The error that the guard threw.
/// - Throws: ``FlowTestFailure`` if the guard accepts the answer; `CancellationError` if the test is cancelled.
@discardableResult
public func expectRefusal<P: Prompt>(
  ofAnswer answer: P.Answer, by prompt: P, fileID: String = #fileID, line: Int = #line
) async throws -> any Error {
  try await refusal("validate(_:) of \(P.self) to refuse \(answer)", SourceLocation(fileID, line)) {
    try await prompt.validate(answer)
  }
}

/// Asserts that a prompt's `authorize(_:answering:)` refuses an answer of a principal.
///
/// ```swift
/// try await expectRefusal(ofAnswer: yes, of: ada, by: SecondApproval(first: reply.by))
/// ```
///
/// - Parameters:
///   - answer: The answer.
///   - principal: The answerer; `nil` for an anonymous one.
///   - prompt: The prompt that must refuse.
///   - fileID: The file to name in a failure.
///   - line: The line to name in a failure.
/// - Returns: The error that the guard threw.
/// - Throws: ``FlowTestFailure`` if the guard admits the answer; `CancellationError` if the test is cancelled.
@discardableResult
public func expectRefusal<P: Prompt>(
  ofAnswer answer: P.Answer, of principal: Principal?, by prompt: P, fileID: String = #fileID, line: Int = #line
) async throws -> any Error {
  let answerer = principal.map { "the principal \($0.id)" } ?? "an anonymous answerer"
  let expected = "authorize(_:answering:) of \(P.self) to refuse \(answer) of \(answerer)"
  return try await refusal(expected, SourceLocation(fileID, line)) {
    try await prompt.authorize(principal, answering: answer)
  }
}

private func refusal(
  _ expected: String, _ location: SourceLocation, by asked: () async throws -> Void
) async throws -> any Error {
  do { try await asked() } catch {
    try Task.checkCancellation()
    return error
  }
  throw FlowTestFailure(
    "expected \(expected), but it did not; check that the guard has the signature that `Prompt` declares, because "
      + "otherwise the default applies", at: location)
}
