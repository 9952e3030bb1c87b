public import ActorFlow

// Questions and answers.
extension FlowTester {
  /// Returns the next question, which must show a `P`.
  ///
  /// Waits for the question, and asserts it and the move to the step that asks. A question that was asserted before, by
  /// ``expect(_:fileID:line:)`` or by this method, and is still open is returned as it is now. If several branches have
  /// open questions, pass `step` to choose one. Use ``questions(_:at:fileID:line:)`` to wait for several in any order.
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - step: The step that must be asking; `nil` for any step.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: ``FlowTestFailure`` if any other event comes next; with ``Exhaustivity/partial``, if no such question
  ///   comes. `CancellationError` if the test is cancelled.
  public func question<P: Prompt>(
    _ prompt: P.Type = P.self, at step: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> ShownQuestion<P> {
    try await question(prompt, at: step, SourceLocation(fileID, line))
  }

  /// Answers a question, and asserts that the answer is accepted.
  ///
  /// - Throws: ``FlowTestFailure`` if the answer is refused (use ``refusal(of:fileID:line:_:)`` to expect that), or if
  ///   an earlier event was not asserted; `CancellationError` if the test is cancelled.
  public func answer<P: Prompt>(
    _ question: ShownQuestion<P>, with answer: P.Answer, by principal: Principal? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await self.answer(question, with: answer, by: principal, SourceLocation(fileID, line))
  }

  /// Waits for the next question, which must show a `P`, and answers it.
  ///
  /// Asserts what ``question(_:at:fileID:line:)`` and ``answer(_:with:by:fileID:line:)-(ShownQuestion<P>,_,_,_,_)``
  /// assert.
  ///
  /// - Returns: The question as it was before the answer.
  /// - Throws: As those two methods.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, at step: StepID? = nil, with answer: P.Answer, by principal: Principal? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> ShownQuestion<P> {
    let location = SourceLocation(fileID, line)
    let question = try await question(prompt, at: step, location)
    try await self.answer(question, with: answer, by: principal, location)
    return question
  }

  /// Waits for the next update of a question, asserts it, and returns the question as it is then.
  ///
  /// - Throws: ``FlowTestFailure`` if any other event comes next; `CancellationError` if the test is cancelled.
  public func updated<P: Prompt>(
    _ question: ShownQuestion<P>, fileID: String = #fileID, line: Int = #line
  ) async throws -> ShownQuestion<P> {
    let expected = ExpectedChange("updated \(question.question.summary)", duringQuestion: true) { change in
      if case .updated(let updated) = change { updated.id == question.id } else { false }
    }
    let events = try await assert([expected], SourceLocation(fileID, line))
    // The coordinator refuses updates of another type, so this cast always succeeds.
    guard case .updated(let updated)? = events.first?.change, let open = ShownQuestion<P>(updated) else {
      return question
    }
    return open
  }
}

extension FlowTester {
  private func question<P: Prompt>(
    _ prompt: P.Type, at step: StepID?, _ location: SourceLocation
  ) async throws -> ShownQuestion<P> {
    tape.listen()
    // In a flow with branches, unread events may belong to other branches.
    if tape.unread.isEmpty || step != nil, let question = askedBefore(prompt, at: step) { return question }
    let asked = ExpectedChange.asked(prompt, at: step)
    let events = try await assertArrival(asked, "a question of \(prompt)\(ExpectedChange.at(step))", location)
    guard case .asked(let question)? = events.last?.change, let open = ShownQuestion<P>(question) else {
      throw FlowTestFailure("expected a question of \(prompt), but found another", at: location)
    }
    return open
  }

  private func answer<P: Prompt>(
    _ question: ShownQuestion<P>, with answer: P.Answer, by principal: Principal?, _ location: SourceLocation
  ) async throws {
    let text = "the answer to \(question.question.summary)"
    try await attempt(text, location) { [coordinator] in
      try await coordinator.answer(question.id, with: answer, by: principal)
    }
    let accepted = ExpectedChange("answered", duringQuestion: true) { change in
      if case .answered(question.id, _) = change { true } else { false }
    }
    try await assert([accepted], location)
  }
}
