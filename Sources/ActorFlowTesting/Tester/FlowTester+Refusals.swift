public import ActorFlow

// Requests that a flow refuses.
extension FlowTester {
  /// Asserts that `verb` is refused with a `FlowError` of this code.
  ///
  /// ```swift
  /// try await tester.refusal(.cannotBackUp) { try await $0.backUp() }
  /// ```
  ///
  /// Asserts no event. A refused request makes none; assert any event that has come nevertheless.
  ///
  /// - Returns: The error.
  /// - Throws: ``FlowTestFailure`` if `verb` returns or throws anything else; `CancellationError` if the test is
  ///   cancelled.
  @discardableResult
  public func refusal(
    _ code: FlowError.Code, fileID: String = #fileID, line: Int = #line,
    _ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void
  ) async throws -> FlowError {
    let location = SourceLocation(fileID, line)
    let error = try await refusal(of: FlowError.self, "a refusal with \"\(code)\"", verb, location)
    guard error.code == code else {
      throw FlowTestFailure(
        "expected a refusal with \"\(code)\", but found: \(error)", at: location, underlying: error)
    }
    return error
  }

  /// Asserts that `verb` throws an error of type `type`, for example one from a prompt's `validate`.
  ///
  /// ```swift
  /// try await tester.refusal(of: FormError.self) { try await $0.answer(form.id, with: Address(street: "")) }
  /// ```
  ///
  /// - Returns: The error.
  /// - Throws: As ``refusal(_:fileID:line:_:)``.
  @discardableResult
  public func refusal<Failure: Error>(
    of type: Failure.Type, fileID: String = #fileID, line: Int = #line,
    _ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void
  ) async throws -> Failure {
    try await refusal(of: type, "a refusal with \(type)", verb, SourceLocation(fileID, line))
  }

  private func refusal<Failure: Error>(
    of type: Failure.Type, _ expected: String,
    _ verb: @escaping @Sendable (FlowCoordinator) async throws -> Void, _ location: SourceLocation
  ) async throws -> Failure {
    let thrown = try await tape.patience.wait { [coordinator] in
      do { try await verb(coordinator) } catch { return error as (any Error)? }
      return nil
    }
    try Task.checkCancellation()
    switch thrown {
    case nil: throw await failure(expected, found: .silence, location)
    case .some(nil): throw FlowTestFailure("expected \(expected), but nothing was refused", at: location)
    case .some(let error as Failure): return error
    case .some(let error?):
      throw FlowTestFailure("expected \(expected), but found: \(error)", at: location, underlying: error)
    }
  }
}
