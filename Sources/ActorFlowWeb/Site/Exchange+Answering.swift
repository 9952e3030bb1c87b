import ActorFlow
import ActorFlowHosting

/// The parts of a request to change a flow that are no values.
private struct Head: Decodable {
  var question: String?
  var revision: Int?
  var prompt: String?
  var reason: String?

  /// - Throws: A ``Problem`` for JSON that has not this form.
  init(_ submission: Submission) throws(Problem) {
    switch submission.content {
    case .json(let bytes): self = try Submission.decode(bytes, as: Head.self)
    case .form(let values):
      question = values[FormName.question]
      prompt = values[FormName.prompt]
      reason = values[FormName.reason]
      if let text = values[FormName.revision] {
        guard let number = Route.number(text) else { throw Problem(422, "invalid", "the revision is not a number") }
        revision = number
      }
    case .empty: break
    }
    try Submission.checkStorable(reason, "reason")
  }
}

extension Exchange {
  func answer(_ number: Int, of id: FlowID) async throws -> WebResponse {
    let (view, served) = try await look(id, .answer)
    let submission = try Submission(request)
    let head = try Head(submission)
    let key = try RequestKey.key(of: request, submission, by: principal)
    // The digits in the id are the proof that the client was shown the question.
    guard let question = head.question.flatMap(Question.ID.init), question.flow == id, question.number == number else {
      throw Problem(404, "noSuchQuestion", "the request does not name a question of this flow as its page does")
    }
    let prompt =
      view.questions.first { $0.id == question }.flatMap(prompt(of:))
      ?? site.prompts.first { $0.name == head.prompt }
    do {
      let answered = try await withRefusals {
        if let prompt {
          return try await prompt.answer(
            ServedPrompt.Answering(
              flow: hosted(id), question: question, submission: submission, revision: head.revision,
              key: key?.forHost, texts: texts))
        }
        guard case .json(let bytes) = submission.content, let answer = JSONMember.value(of: "answer", in: bytes) else {
          throw Problem(422, "wrongAnswerType", "the site has no form for this question; send JSON with its \"answer\"")
        }
        return try await hosted(id).answer(question, json: answer, revision: head.revision, key: key?.forHost)
      }
      return await done(answered, served)
    } catch {
      return try await refused(
        Problem(error), id, FormState(question: number, values: submission.values, problems: Problem(error).fields))
    }
  }

  func backUp(_ id: FlowID) async throws -> WebResponse {
    let (view, served) = try await look(id, .backUp)
    let submission = try Submission(request)
    let head = try Head(submission)
    let key = try RequestKey.key(of: request, submission, by: principal)
    do {
      var from: Question.ID?
      if let text = head.question {
        guard let question = Question.ID(text), question.flow == id else {
          throw Problem(404, "noSuchQuestion", "the request does not name a question of this flow as its page does")
        }
        from = question
      } else if let revision = head.revision, revision != view.revision.number {
        throw Problem(409, "\(FlowError.Code.staleRevision)", "the flow has changed since its page was made")
      }
      let landed = try await left(id) {
        try await $0.backUp(from: from, reason: head.reason ?? "", key: key?.forHost)
      }
      return await done(landed, served)
    } catch { return try await refused(Problem(error), id, FormState()) }
  }

  func abandon(_ id: FlowID) async throws -> WebResponse {
    let (_, served) = try await look(id, .abandon)
    let submission = try Submission(request)
    let head = try Head(submission)
    let key = try RequestKey.key(of: request, submission, by: principal)
    do {
      let ended = try await left(id) { try await $0.abandon(reason: head.reason ?? "", key: key?.forHost) }
      return await done(ended, served)
    } catch { return try await refused(Problem(error), id, FormState()) }
  }

  /// Calls a verb that leaves steps, and returns the flow as it is then, also if a `backUp` has thrown: the client's request
  /// is done, and what is still owed is the operators' business.
  private func left(_ id: FlowID, _ verb: (HostedFlow) async throws -> FlowView) async throws -> FlowView {
    try await withRefusals {
      do { return try await verb(hosted(id)) } catch let error as FlowError where error.code == .rollbackFailed {
        return try await hosted(id).view()
      }
    }
  }

  private func done(_ view: FlowView, _ served: ServedFlow) async -> WebResponse {
    let view = await settled(view.id, else: view)
    return wantsJSON ? await viewResponse(view, served) : .seeOther(paths.flow(view.id))
  }

  /// Returns the response to a refused change: the flow as it is now, so that the client need not ask for it.
  private func refused(_ problem: Problem, _ id: FlowID, _ state: FormState) async throws -> WebResponse {
    guard problem.status == 409 || problem.status == 422 && !wantsJSON else { throw problem }
    // The page is a look of its own: the answerer may not be one of those who see what comes next.
    let (view, served): (FlowView, ServedFlow)
    do { (view, served) = try await look(id) } catch { throw problem }
    if wantsJSON { return refusal(problem, page: await json(of: view, served)) }
    var response = await page(of: view, served, state, problem)
    add(problem, to: &response)
    return response
  }
}

/// The form that a client has sent, for the page that shows it again.
struct FormState: Sendable {
  /// The number of the question; `nil` if the request was no answer.
  var question: Int?
  var values = FormValues()
  var problems: [FieldProblem] = []
}
