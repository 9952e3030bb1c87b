import ActorFlow
import ActorFlowHosting

// The page of a flow.
extension Exchange {
  func flowPage(_ id: FlowID) async throws -> WebResponse {
    let (view, served) = try await look(id)
    return wantsJSON ? .json(await json(of: view, served)) : await page(of: view, served, FormState())
  }

  /// Returns the page of a flow.
  ///
  /// - Parameters:
  ///   - state: The form that was refused, to be shown again.
  ///   - problem: The reason for that.
  func page(
    of view: FlowView, _ served: ServedFlow, _ state: FormState, _ problem: Problem? = nil
  ) async -> WebResponse {
    let mayAnswer = await may(.answer, view)
    var sections: [HTML] = []
    var problem = problem
    var shown: StoredQuestion?
    var formNumbers: [Int] = []
    for question in view.questions {
      let prompt = prompt(of: question)
      guard mayAnswer, await isAsked(question, prompt) else {
        // A prompt that another version wrote says nothing of whom it asks.
        let isReadable = prompt.map { (try? $0.title(question)) != nil } ?? true
        sections.append("<p class=\"status\">\(isReadable ? texts.forOthers : texts.noForm)</p>\n")
        continue
      }
      shown = shown ?? question
      if let prompt, (try? prompt.title(question)) != nil { formNumbers.append(question.id.number) }
      sections.append(section(question, prompt, of: view, state.question == question.id.number ? state : FormState()))
    }
    if let refused = problem, refused.status == 422, !refused.fields.isEmpty, let number = state.question,
      !formNumbers.contains(number)
    {
      // The page has no form in which the problems of the fields could stand.
      problem = Problem(
        409, "\(FlowError.Code.questionClosed)", "the question is not open any more, or not for this client")
    }
    // Back leads from the question that the client sees, and from no later one.
    let back = view.canBackUp ? await may(.backUp, view) : false
    let abandon = !view.status.isTerminal && view.status != .erased ? await may(.abandon, view) : false
    let history = await may(.history, view)
    let body: HTML = """
      <h1>\(words(served.title))</h1>
      \(problem.map { notice($0) })\(status(of: view, served))\(sections)\
      \(HTML.when(back, backForm(view, from: shown)))\(HTML.when(abandon, abandonForm(view)))\
      \(figure(of: view, at: paths.part("diagram", of: view.id)))\
      \(HTML.when(history, "<p><a href=\"\(paths.part("history", of: view.id))\">\(texts.history)</a></p>\n"))
      """
    return layout(
      words(served.title), body, status: problem?.status ?? 200, follows: view, refreshes: view.status == .runnable)
  }

  private func notice(_ problem: Problem) -> HTML {
    if problem.status == 409 { return "<p class=\"notice\" role=\"alert\">\(texts.outdated)</p>\n" }
    // The problems of fields stand at the form.
    guard problem.fields.isEmpty else { return "" }
    return "<p class=\"notice\" role=\"alert\">\(texts.title(of: problem))</p>\n"
  }

  private func status(of view: FlowView, _ served: ServedFlow) -> HTML {
    let text: String? =
      switch view.status {
      case .runnable: texts.working
      case .waiting: view.questions.isEmpty ? texts.waiting : nil
      case .suspended, .unmigrated, .erased: texts.suspended
      case .finished: texts.finished
      case .failed: texts.failed
      case .abandoned, .cancelled: texts.abandoned
      }
    guard let text else { return "" }
    let line: HTML = "<p class=\"status\" role=\"status\">\(text)</p>\n"
    guard view.status == .finished else { return line }
    // A finished flow whose output another version wrote is shown without it.
    let outcome = (try? served.outcome(view.output ?? [])) ?? nil
    return "\(line)\(outcome)"
  }

  private func section(
    _ question: StoredQuestion, _ prompt: ServedPrompt?, of view: FlowView, _ state: FormState
  ) -> HTML {
    guard let prompt, let title = (try? prompt.title(question)).map(words) else {
      return "<p class=\"status\">\(texts.noForm)</p>\n"
    }
    let form = WebForm(
      fields: prompt.plan.fields, texts: texts, action: paths.question(question.id.number, of: view.id),
      hidden: [
        (FormName.key, RequestKey.random()), (FormName.question, question.id.description),
        (FormName.revision, "\(question.revision)"), (FormName.prompt, prompt.name),
      ], values: state.values, problems: state.problems, prefix: "q\(question.id.number)-",
      submit: prompt.submit.map(words) ?? texts.send)
    let due: HTML? = question.due.map { due in
      "<p class=\"due\">\(texts.due): \(time(due))</p>\n"
    }
    // Decoded a moment ago for the title, so the prompt can be decoded again.
    let content = (try? prompt.markup(question, form)) ?? ""
    let heading = "q\(question.id.number)-title"
    return """
      <section aria-labelledby="\(heading)">
      <h2 id="\(heading)">\(title)</h2>
      \(due)\(content)</section>

      """
  }

  private func backForm(_ view: FlowView, from question: StoredQuestion?) -> HTML {
    let origin: HTML =
      if let question {
        "<input type=\"hidden\" name=\"\(FormName.question)\" value=\"\(question.id.description)\">"
      } else {
        "<input type=\"hidden\" name=\"\(FormName.revision)\" value=\"\(view.revision.number)\">"
      }
    return """
      <form method="post" action="\(paths.part("back", of: view.id))" class="form">
      <input type="hidden" name="\(FormName.key)" value="\(RequestKey.random())">\(origin)
      <p class="actions"><button type="submit" class="minor">\(texts.back)</button></p>
      </form>

      """
  }

  private func abandonForm(_ view: FlowView) -> HTML {
    """
    <details>
    <summary>\(texts.abandon)</summary>
    <form method="post" action="\(paths.part("abandon", of: view.id))" class="form">
    <input type="hidden" name="\(FormName.key)" value="\(RequestKey.random())">
    <p class="field"><label for="reason">\(texts.reason) (\(texts.optional))</label>
    <input type="text" name="\(FormName.reason)" id="reason" maxlength="200"></p>
    <p class="actions"><button type="submit" class="minor">\(texts.abandon)</button></p>
    </form>
    </details>

    """
  }

  /// Returns the drawing of a flow, which says in words at which steps the flow is.
  func figure(of view: FlowView, at path: String) -> HTML {
    let words = "\(texts.diagram): \(view.steps.map(\.path).joined(separator: ", "))"
    return """
      <figure><img src="\(path)?revision=\(view.revision.number)" alt="\(words)">
      <figcaption>\(texts.diagram)</figcaption></figure>

      """
  }
}
