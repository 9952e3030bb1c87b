public import ActorFlow
public import ActorFlowHosting

// Requests from outside. Each returns when all that follows from it has happened, and throws what the host throws.
extension HostTester {
  /// Answers a question that was looked at.
  ///
  /// - Returns: The flow when it has come to rest; so do the others here.
  /// - Throws: As `FlowHost.answer(_:of:with:by:revision:key:)`; a ``FlowTestFailure`` if a step does not come back
  ///   afterwards: the answer is in the store then. So do the others here.
  @discardableResult
  public func answer<P: Prompt & Decodable>(
    _ question: HostedQuestion<P>, with answer: P.Answer, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView where P.Answer: Codable {
    try await host.answer(
      question.id, of: question.flow, with: answer, by: principal, revision: revision, key: key)
    return try await view(of: question.flow, fileID: fileID, line: line)
  }

  /// Waits until the flow comes to rest, and answers the one open question that shows a `P`.
  ///
  /// - Throws: As `FlowHost.answer(_:of:with:by:key:)`; a ``FlowTestFailure`` if a step does not come back.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, of id: FlowID, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView where P.Answer: Codable {
    try await settle(fileID: fileID, line: line)
    try await host.answer(prompt, of: id, with: answer, by: principal, key: key)
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Sends a signal.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> Delivery {
    let delivery = try await host.send(value, to: signal, of: id, key: key, by: principal)
    try await settle(fileID: fileID, line: line)
    return delivery
  }

  /// Backs up: the flow lands, and goes on from there.
  @discardableResult
  public func backUp(
    _ id: FlowID, to step: StepID? = nil, by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await host.backUp(id, to: step, by: principal, key: key)
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Ends a flow: everything it did is undone. Asserts this ending.
  @discardableResult
  public func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await host.abandon(id, reason: reason, rollingBack: rollingBack, by: principal, key: key)
    let view = try await view(of: id, fileID: fileID, line: line)
    assert(HostFact.ending(of: view))
    return view
  }

  /// Lets a flow go on that stands still.
  @discardableResult
  public func retry(
    _ id: FlowID, by principal: Principal? = nil, key: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await host.retry(id, by: principal, key: key)
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Removes a flow with its history.
  public func delete(_ id: FlowID, fileID: String = #fileID, line: Int = #line) async throws {
    try await host.delete(id)
    try await settle(fileID: fileID, line: line)
  }
}
