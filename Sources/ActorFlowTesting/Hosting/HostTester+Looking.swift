public import ActorFlow
public import ActorFlowHosting

// Looking at flows. Each helper first waits until no flow can go on by itself.
extension HostTester {
  /// Returns a flow as it stands; asserts nothing.
  ///
  /// - Throws: As `FlowHost.view(_:)` and ``settle(fileID:line:)``. The other helpers that look at flows throw these
  ///   errors, too.
  public func view(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> FlowView {
    try await settle(fileID: fileID, line: line)
    return try await reader.flow(id).view()
  }

  /// Returns the one open question of a flow that shows a `P`, and asserts that it is open.
  ///
  /// - Parameters:
  ///   - prompt: The type of the prompt.
  ///   - id: The flow.
  ///   - step: The step that asks, by its whole path or the last part of it; `nil` for any step.
  ///   - fileID: The file to name in a failure.
  ///   - line: The line to name in a failure.
  /// - Throws: A ``FlowTestFailure`` that says where the flow stands if there is no such question, or names the steps
  ///   if there are several.
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

  /// Returns all open questions of a flow that show a `P`, and asserts that they are open.
  ///
  /// A flow with branches may have several.
  public func questions<P: Prompt & Decodable>(
    _ prompt: P.Type = P.self, of id: FlowID, at step: StepID? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> [HostedQuestion<P>] {
    let view = try await view(of: id, fileID: fileID, line: line)
    let found = try view.questions.filter { question in
      question.shows(P.self) && (step.map { $0.matches(question.step) } ?? true)
    }.map { try HostedQuestion<P>($0, of: id) }
    // Assert each question, even where the caller expects only one: the test sees all of them.
    for question in found { assert(HostFact(question.question, of: id)) }
    return found
  }

  /// Returns the signals that a flow waits for, and asserts that it waits for them.
  public func signals(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> [String] {
    let view = try await view(of: id, fileID: fileID, line: line)
    for signal in view.signals { assert(HostFact(signal: signal, of: id)) }
    return view.signals
  }

  /// Returns why a flow is stopped (a failed step, a missing migration) or cannot be activated, and asserts that.
  ///
  /// - Throws: A ``FlowTestFailure`` that says where the flow stands, if it is neither stopped nor refused.
  @discardableResult
  public func failure(of id: FlowID, fileID: String = #fileID, line: Int = #line) async throws -> String {
    let view = try await view(of: id, fileID: fileID, line: line)
    if let refusal = refused[id] {
      assert(HostFact(refusal, of: id))
      return "\(refusal.error)"
    }
    guard let fact = HostFact.standstill(of: view) else {
      throw FlowTestFailure(
        "expected \(id) to be stopped, but \(try await standing(of: id))", at: SourceLocation(fileID, line))
    }
    assert(fact)
    return view.failure ?? fact.text
  }

  /// Returns the open questions that name an assignee, in all flows; asserts nothing.
  public func inbox(
    of assignee: String, fileID: String = #fileID, line: Int = #line
  ) async throws -> [TaskSummary] {
    try await settle(fileID: fileID, line: line)
    var tasks: [TaskSummary] = []
    var cursor: String?
    repeat {
      let page = try await reader.tasks(TaskQuery(assignees: [assignee]), after: cursor, limit: 1_000)
      tasks += page.tasks
      cursor = page.cursor
    } while cursor != nil
    return tasks
  }

  /// Returns the whole history of a flow: who did what, and when. Asserts nothing.
  public func history(
    of id: FlowID, fileID: String = #fileID, line: Int = #line
  ) async throws -> [HistoryEntry] {
    try await settle(fileID: fileID, line: line)
    return try await reader.flow(id).history(limit: .max)
  }
}
