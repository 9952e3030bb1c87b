public import ActorFlow

// Flows that finish or fail by themselves.
extension FlowTester {
  /// Asserts that the flow finishes, and returns the output of its last step.
  ///
  /// - Throws: ``FlowTestFailure`` if any other event comes next; `CancellationError` if the test is cancelled.
  @discardableResult
  public func finish(fileID: String = #fileID, line: Int = #line) async throws -> Output {
    let location = SourceLocation(fileID, line)
    try await assert([.finished], location)
    let result = try await tape.patience.wait { [run] in try await run.result.value() }
    switch result {
    case .success(let output)?: return output
    case .failure(let error)?:
      throw FlowTestFailure("expected an output, but `run` threw \(error)", at: location, underlying: error)
    case nil: throw await failure("`run` to return", found: .silence, location)
    }
  }

  /// Asserts that a step fails with an error of type `type`, and that everything is then rolled back without errors.
  ///
  /// - Parameters:
  ///   - type: The type of the error; `(any Error).self` for any error.
  ///   - step: The step that must fail; `nil` for any step.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Returns: The error.
  /// - Throws: ``FlowTestFailure`` if any other event comes next, if the error has another type, or if a `backUp`
  ///   threw; `CancellationError` if the test is cancelled.
  @discardableResult
  public func failure<Failure: Error>(
    _ type: Failure.Type = (any Error).self, at step: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> Failure {
    let location = SourceLocation(fileID, line)
    let text = "a failure with \(type)\(ExpectedChange.at(step))"
    let failed = ExpectedChange(text) { change in
      guard case .failed(let failed, let error) = change else { return false }
      return step.matches(failed) && error is Failure
    }
    let events = try await assertArrival(failed, text, location)
    guard case .failed(_, let error)? = events.last?.change, let error = error as? Failure else {
      throw FlowTestFailure("expected \(text), but found another", at: location)
    }
    try await assert([.rolledBack], location)
    return error
  }
}
