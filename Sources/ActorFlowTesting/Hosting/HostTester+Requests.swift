public import ActorFlow
public import ActorFlowHosting

// What the outside does. Each returns when it is in the store, and throws what the host throws.
extension HostTester {
  /// Answers a question that was looked at.
  @discardableResult
  public func answer<P: Prompt & Decodable>(
    _ question: HostedQuestion<P>, with answer: P.Answer, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil
  ) async throws -> FlowView where P.Answer: Codable {
    try await host.answer(
      question.id, of: question.flow, with: answer, by: principal, revision: revision, key: key)
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
    return try await host.answer(prompt, of: id, with: answer, by: principal, key: key)
  }

  /// Sends a signal.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    try await host.send(value, to: signal, of: id, key: key, by: principal)
  }

  /// Backs up, and returns when the flow has landed.
  @discardableResult
  public func backUp(
    _ id: FlowID, to step: StepID? = nil, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try await host.backUp(id, to: step, by: principal, key: key)
  }

  /// Ends a flow, and returns when what was done is undone. Asserts this ending.
  @discardableResult
  public func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    let view = try await host.abandon(id, reason: reason, rollingBack: rollingBack, by: principal, key: key)
    assert(HostFact.ending(of: view))
    return view
  }

  /// Lets a flow go on that stands still.
  @discardableResult
  public func retry(_ id: FlowID, by principal: Principal? = nil, key: String? = nil) async throws -> FlowView {
    try await host.retry(id, by: principal, key: key)
  }

  /// Removes a flow with its history.
  public func delete(_ id: FlowID) async throws {
    try await host.delete(id)
  }
}
