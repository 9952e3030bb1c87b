public import ActorFlow
public import ActorFlowHosting

// Requests from outside. Each returns when everything that follows has happened, and throws what the host throws.
extension HostTester {
  /// Answers a question that a helper such as ``question(_:of:at:fileID:line:)`` has returned.
  ///
  /// - Returns: The flow when it can do nothing more by itself. The other requests return it likewise.
  /// - Throws: As `FlowHost.answer(_:of:with:by:revision:key:)`; a ``FlowTestFailure`` if a step does not return
  ///   afterwards. The answer is then already in the store. The other requests throw in the same way.
  @discardableResult
  public func answer<P: Prompt & Decodable>(
    _ question: HostedQuestion<P>, with answer: P.Answer, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView where P.Answer: Codable {
    try await request(for: question.flow, fileID: fileID, line: line) { host in
      try await host.flow(question.flow).answer(
        question.id, with: answer, by: principal, revision: revision, key: key)
    }
    return try await view(of: question.flow, fileID: fileID, line: line)
  }

  /// Waits until no flow can go on by itself, and answers the one open question of a flow that shows a `P`.
  ///
  /// - Throws: As `FlowHost.answer(_:of:with:by:key:)`; a ``FlowTestFailure`` if a step does not return.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, of id: FlowID, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView where P.Answer: Codable {
    try await settle(fileID: fileID, line: line)
    try await request(for: id, fileID: fileID, line: line) { host in
      try await host.flow(id).answer(prompt, with: answer, by: principal, key: key)
    }
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Sends a signal.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> Delivery {
    let delivery = try await request(for: id, fileID: fileID, line: line) { host in
      try await host.flow(id).send(value, to: signal, key: key, by: principal)
    }
    try await settle(fileID: fileID, line: line)
    return delivery
  }

  /// Backs up a flow, which lands at an earlier step and goes on from there.
  @discardableResult
  public func backUp(
    _ id: FlowID, to step: StepID? = nil, reason: String = "", by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await request(for: id, fileID: fileID, line: line) { host in
      try await host.flow(id).backUp(to: step, reason: reason, by: principal, key: key)
    }
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Abandons a flow, rolls it back unless `rollingBack` is false, and asserts this ending.
  @discardableResult
  public func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> FlowView {
    try await request(for: id, fileID: fileID, line: line) { host in
      try await host.flow(id).abandon(reason: reason, rollingBack: rollingBack, by: principal, key: key)
    }
    let view = try await view(of: id, fileID: fileID, line: line)
    assert(HostFact.ending(of: view))
    return view
  }

  /// Retries a flow that a failed step has suspended, as `HostedFlow.retry(reason:by:key:)` does.
  @discardableResult
  public func retry(
    _ id: FlowID, reason: String = "", by principal: Principal? = nil, key: String? = nil, fileID: String = #fileID,
    line: Int = #line
  ) async throws -> FlowView {
    try await request(for: id, fileID: fileID, line: line) { host in
      try await host.flow(id).retry(reason: reason, by: principal, key: key)
    }
    return try await view(of: id, fileID: fileID, line: line)
  }

  /// Removes a flow with its history.
  public func delete(_ id: FlowID, fileID: String = #fileID, line: Int = #line) async throws {
    try await request(for: id, fileID: fileID, line: line) { host in try await host.flow(id).delete() }
    try await settle(fileID: fileID, line: line)
  }
}
