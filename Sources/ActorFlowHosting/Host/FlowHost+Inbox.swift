public import ActorFlow

extension FlowHost {
  /// Returns a page of the open questions that match a query, each with its prompt, for an inbox that says what they are
  /// about.
  ///
  /// The index of the store finds the questions, as for ``tasks(_:after:limit:by:)``. Then each flow of the page is read
  /// once, because an index has of a prompt only its name, its people and its due time: what else a prompt says passes the
  /// codec, and is gone with an erased key. No flow is activated. A question that does not match the query any more when
  /// its flow is read is left out, so that a page can have fewer questions than `limit`, and none, and still have a cursor.
  ///
  /// ```swift
  /// let inbox = try await host.questions(TaskQuery(assignees: ["ann", "clerks"], order: .due))
  /// for entry in inbox.questions {
  ///   switch entry.question {
  ///   case .success(let question) where question.shows(Decision.self):
  ///     print(entry.flow, try question.prompt(as: Decision.self).expense.purpose)
  ///   case .success(let question): print(entry.flow, question.prompt)
  ///   case .failure(let error): print(entry.flow, "is not shown:", error)
  ///   }
  /// }
  /// ```
  ///
  /// The guard ``Options/access`` is asked for the list, and then for a look at each flow of the page, one after the other.
  /// A flow that the principal may not see, whose key was erased, or that cannot be read does not end the list: its
  /// questions have the error in place of the prompt. The rest of such an entry is what ``tasks(_:after:limit:by:)``
  /// returns, with the id to answer with: a caller who may list questions may see that.
  ///
  /// - Parameters:
  ///   - query: The questions to list.
  ///   - cursor: The cursor of the page before, or `nil` for the first page.
  ///   - limit: The greatest number of questions of the page, and of flows that are read for it.
  ///   - principal: The principal who looks, for the guard.
  /// - Throws: The guard's error for the list. Errors of the store; but an error `corrupted` or `unsupportedFormat` of one
  ///   flow stands in its entries. `CancellationError` if the calling task is cancelled.
  public nonisolated func questions(
    _ query: TaskQuery = TaskQuery(), after cursor: String? = nil, limit: Int = 100, by principal: Principal? = nil
  ) async throws -> QuestionPage {
    let page = try await tasks(query, after: cursor, limit: limit, by: principal)
    var flows: [FlowID: AskingFlow] = [:]
    var questions: [ListedQuestion] = []
    for found in page.tasks {
      let flow: AskingFlow
      if let known = flows[found.flow] {
        flow = known
      } else {
        try Task.checkCancellation()
        flow = try await asking(found.flow, lookingAs: principal)
        flows[found.flow] = flow
      }
      if let question = flow.question(found, query) { questions.append(question) }
    }
    return QuestionPage(questions: questions, cursor: page.cursor)
  }

  /// Reads a flow whose questions were found.
  private nonisolated func asking(_ id: FlowID, lookingAs principal: Principal?) async throws -> AskingFlow {
    let stored: StoredFlow?
    var damage: FlowStoreError?
    do { stored = try await shared.store.load(id) } catch let error as FlowStoreError
      where error.code == .corrupted || error.code == .unsupportedFormat
    {
      (stored, damage) = (nil, error)
    }
    guard stored != nil || damage != nil else { return .gone }
    let questions: Result<[String: StoredQuestion], any Error>
    do {
      try await allowLook(at: stored, by: principal)
      if let damage { throw damage }
      let open = try stored.map { FlowView($0, try shared.state(of: $0)).questions } ?? []
      questions = .success(Dictionary(open.map { ($0.id.description, $0) }) { first, _ in first })
    } catch {
      if Task.isCancelled { throw CancellationError() }
      questions = .failure(error is ErasedKey ? HostContext.erased(id) : error)
    }
    guard let snapshot = stored?.snapshot else { return .unreadable(questions) }
    let tasks = Dictionary(snapshot.tasks.map { ($0.question, $0) }) { first, _ in first }
    return .read(snapshot, tasks: tasks, questions)
  }
}

/// A flow whose questions were found in the index, as it was read after that.
private enum AskingFlow {
  /// The flow was deleted.
  case gone
  /// The store cannot read the flow, for a reason that the principal may or may not learn.
  case unreadable(Result<[String: StoredQuestion], any Error>)
  /// The row of the flow, and its questions by their ids, if they may and can be shown.
  case read(FlowSnapshot, tasks: [String: OpenTask], Result<[String: StoredQuestion], any Error>)

  /// Returns a question that was found in the index as the flow shows it, unless it does not match the query any more.
  func question(_ found: TaskSummary, _ query: TaskQuery) -> ListedQuestion? {
    switch self {
    case .gone: return nil
    case .unreadable(let questions):
      guard case .failure(let error) = questions else { return nil }
      return ListedQuestion(found, .failure(error))
    case .read(let snapshot, let tasks, let questions):
      guard let task = tasks[found.task.question] else { return nil }
      var labels = snapshot.labels
      labels[Definition.label] = nil
      let summary = TaskSummary(flow: found.flow, definition: snapshot.definition, labels: labels, task: task)
      guard query.matches(summary) else { return nil }
      switch questions {
      case .failure(let error): return ListedQuestion(summary, .failure(error))
      case .success(let open): return open[task.question].map { ListedQuestion(summary, .success($0)) }
      }
    }
  }
}

extension ListedQuestion {
  fileprivate init(_ summary: TaskSummary, _ question: Result<StoredQuestion, any Error>) {
    self.init(
      flow: summary.flow, definition: summary.definition, labels: summary.labels, task: summary.task,
      question: question)
  }
}
