public import ActorFlow

extension FlowHost {
  /// Returns a page of the open questions that match a query, each with its prompt, for an inbox that says what they are
  /// about.
  ///
  /// The index of the store finds the questions, as for ``tasks(_:after:limit:by:)``, and then each flow of the page is
  /// read once: no index has a part of a prompt, so that what prompts say passes the codec, and is gone with an erased key
  /// or a redaction. No flow is activated. A question that was closed between the index and the flow is left out, so that
  /// a page can have fewer questions than `limit`, and none, and still have a cursor.
  ///
  /// ```swift
  /// let inbox = try await host.questions(TaskQuery(assignees: ["ann", "clerks"], order: .due))
  /// for entry in inbox.questions {
  ///   guard case .success(let question) = entry.question, question.shows(Decision.self) else { continue }
  ///   print(entry.flow, try question.prompt(as: Decision.self).expense.purpose)
  /// }
  /// ```
  ///
  /// The guard ``Options/access`` is asked for the list, and then for a look at each flow. A flow that the principal may
  /// not see, whose key was erased, or that cannot be read does not end the list: its questions have the error in place of
  /// the prompt.
  ///
  /// - Parameters:
  ///   - query: The questions to list.
  ///   - cursor: The cursor of the page before, or `nil` for the first page.
  ///   - limit: The greatest number of questions of the page, and of flows that are read for it.
  ///   - principal: The principal who looks, for the guard.
  /// - Throws: The guard's error for the list. ``FlowStoreError`` of the store, except `corrupted` and `unsupportedFormat`,
  ///   which concern one flow. `CancellationError` if the calling task is cancelled.
  public func questions(
    _ query: TaskQuery = TaskQuery(), after cursor: String? = nil, limit: Int = 100, by principal: Principal? = nil
  ) async throws -> QuestionPage {
    let page = try await tasks(query, after: cursor, limit: limit, by: principal)
    var questions: [ListedQuestion] = []
    var flows: [FlowID: Result<FlowView, any Error>] = [:]
    for task in page.tasks {
      if flows[task.flow] == nil {
        try Task.checkCancellation()
        flows[task.flow] = try await shown(task.flow, to: principal)
      }
      if let listed = ListedQuestion(task, of: flows[task.flow]) { questions.append(listed) }
    }
    return QuestionPage(questions: questions, cursor: page.cursor)
  }

  /// Returns a flow as it is stored, or the reason why it is not shown; `nil` if it was deleted.
  private func shown(_ id: FlowID, to principal: Principal?) async throws -> Result<FlowView, any Error>? {
    let stored: StoredFlow
    do {
      guard let found = try await shared.store.load(id) else { return nil }
      stored = found
    } catch let error as FlowStoreError where error.code == .corrupted || error.code == .unsupportedFormat {
      return .failure(error)
    }
    do {
      try await allowLook(at: stored, by: principal)
      return .success(FlowView(stored, try shared.state(of: stored)))
    } catch is CancellationError {
      throw CancellationError()
    } catch is ErasedKey {
      return .failure(HostContext.erased(id))
    } catch {
      return .failure(error)
    }
  }
}

extension ListedQuestion {
  /// - Returns: `nil` if the flow does not ask the question any more.
  fileprivate init?(_ summary: TaskSummary, of flow: Result<FlowView, any Error>?) {
    switch flow {
    case nil: return nil
    case .failure(let error)?: question = .failure(error)
    case .success(let view)?:
      guard let open = view.questions.first(where: { $0.id.description == summary.task.question }) else { return nil }
      question = .success(open)
    }
    (self.flow, definition, labels, task) = (summary.flow, summary.definition, summary.labels, summary.task)
  }
}
