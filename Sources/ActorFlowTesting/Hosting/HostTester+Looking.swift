public import ActorFlow
public import ActorFlowHosting

// What there is to see when nothing goes on any more.
extension HostTester {
  /// A flow as it stands. Asserts nothing.
  ///
  /// - Throws: As `FlowHost.view(_:)` and ``settle(fileID:line:)``; so do the others here.
  public func view(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> FlowView {
    try await settle(fileID: fileID, line: line)
    return try await host.view(id)
  }

  /// The one open question of a flow that shows a `P`. Asserts that it is open.
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - id: The flow.
  ///   - step: The step that asks, a whole path or its last part; nil: any.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: A ``FlowTestFailure`` if there is none, or more than one; it says where the flow stands.
  public func question<P: Prompt & Decodable>(
    _ prompt: P.Type = P.self, of id: FlowID, at step: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> HostedQuestion<P> {
    let found = try await questions(prompt, of: id, at: step, fileID: fileID, line: line)
    if found.count == 1 { return found[0] }
    let expected = "expected one open question of \(P.self)\(step.map { " at \($0)" } ?? "") in \(id)"
    let location = SourceLocation(fileID, line)
    guard found.isEmpty else {
      let steps = found.map { "\($0.step)" }.joined(separator: ", ")
      throw FlowTestFailure("\(expected), but there are \(found.count): at \(steps)", at: location)
    }
    throw FlowTestFailure("\(expected), but \(try await standing(of: id))", at: location)
  }

  /// All open questions of a flow that show a `P`; of a flow with branches there may be several. Asserts that they are
  /// open.
  public func questions<P: Prompt & Decodable>(
    _ prompt: P.Type = P.self, of id: FlowID, at step: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> [HostedQuestion<P>] {
    let view = try await view(of: id, fileID: fileID, line: line)
    let found = try view.questions.filter { question in
      question.prompt == "\(P.self)" && (step.map { $0.matches(question.step) } ?? true)
    }.map { try HostedQuestion<P>($0, of: id) }
    // One that is not the only one of its kind is asserted all the same: the test gets to see all of them.
    for question in found { assert(HostFact(question.question, of: id)) }
    return found
  }

  /// The signals that a flow waits for. Asserts that it does.
  public func signals(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> [String] {
    let view = try await view(of: id, fileID: fileID, line: line)
    for signal in view.signals { assert(HostFact(signal: signal, of: id)) }
    return view.signals
  }

  /// Why a flow stands still, or cannot be taken up. Asserts that.
  ///
  /// - Throws: A ``FlowTestFailure`` if it does neither; it says where the flow stands.
  @discardableResult
  public func failure(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> String {
    let view = try await view(of: id, fileID: fileID, line: line)
    if let refusal = refused[id] {
      assert(HostFact(refusal: refusal, of: id))
      return "\(refusal)"
    }
    guard let fact = HostFact.standstill(of: view) else {
      throw FlowTestFailure(
        "expected \(id) to stand still, but \(try await standing(of: id))", at: SourceLocation(fileID, line))
    }
    assert(fact)
    return view.failure ?? fact.text
  }

  /// What waits for somebody, by its flow. Asserts nothing.
  public func inbox(
    of assignee: String, fileID: String = #fileID, line: Int = #line
  ) async throws -> [TaskSummary] {
    try await settle(fileID: fileID, line: line)
    var tasks: [TaskSummary] = []
    var cursor: String?
    repeat {
      let page = try await host.tasks(TaskQuery(assignee: assignee), after: cursor, limit: 1_000)
      tasks += page.tasks
      cursor = page.cursor
    } while cursor != nil
    return tasks
  }

  /// Who did what, and when: everything. Asserts nothing.
  public func history(
    of id: FlowID, fileID: String = #fileID, line: Int = #line
  ) async throws -> [HistoryEntry] {
    try await settle(fileID: fileID, line: line)
    return try await host.history(of: id, limit: .max)
  }
}
