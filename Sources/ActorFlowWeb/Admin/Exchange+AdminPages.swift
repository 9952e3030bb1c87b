import ActorFlow
import ActorFlowHosting

// The operators' pages: the lists of flows and tasks, and the page of a flow with its history.
extension Exchange {
  /// Returns the page of a list of flows.
  ///
  /// - Parameters:
  ///   - page: The flows; `nil` if the filter was refused.
  ///   - problem: The reason for that.
  func adminPage(of page: FlowPage?, _ problem: Problem? = nil) async -> WebResponse {
    let words = texts.admin
    let fields = [
      FormField("definition", label: words.definition, optional: true),
      FormField("version", .integer, label: words.version, optional: true),
      FormField("status", label: words.status, help: words.several, optional: true),
      FormField("step", label: words.step, optional: true),
      FormField("label", label: words.label, help: words.pair, optional: true),
    ]
    let rows: [[HTML]] = (page?.flows ?? []).map { flow in
      [
        link(to: flow.id), "\(flow.definition) \(flow.version)", "\(flow.status.rawValue)",
        "\(flow.steps.map(\.path).joined(separator: ", "))", time(flow.changedAt),
      ]
    }
    let list: HTML? = page.map { page in
      """
      \(table([words.flow, words.definition, words.status, words.steps, words.changed], rows))\
      \(next(page.cursor, at: paths.admin))
      """
    }
    return await adminPage(
      words.flows, "\(filter(fields, at: paths.admin, problem))\(list)",
      status: problem?.status ?? 200)
  }

  /// Returns the page of the open questions of all people.
  func adminPage(of page: TaskPage) async -> WebResponse {
    let words = texts.admin
    let fields = [
      FormField("assignee", label: words.assignees, help: words.several, optional: true),
      FormField("prompt", label: words.prompt, optional: true),
      FormField("definition", label: words.definition, optional: true),
    ]
    let rows: [[HTML]] = page.tasks.map { summary in
      [
        "\(summary.task.due.map(time))", link(to: summary.flow), "\(summary.definition)",
        "\(summary.task.step.path)", "\(summary.task.prompt)", "\(summary.task.assignees.joined(separator: ", "))",
        time(summary.task.askedAt),
      ]
    }
    let headings = [
      texts.due, words.flow, words.definition, words.step, words.prompt, words.assignees, words.asked,
    ]
    return await adminPage(
      words.tasks,
      "\(filter(fields, at: paths.adminTasks))\(table(headings, rows))\(next(page.cursor, at: paths.adminTasks))")
  }

  /// Returns the page of a flow.
  ///
  /// - Parameter refused: The form that was refused, to be shown again.
  func adminPage(
    of view: FlowView, _ entries: [HistoryEntry], _ refused: AdminFormState? = nil
  ) async -> WebResponse {
    let words = texts.admin
    let failures = view.undoFailures.map { "\($0.step.map { "\($0.path): " } ?? "")\($0.error)" }
    let labels = view.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let facts = facts([
      (words.definition, "\(view.definition) \(view.version)"), (words.status, view.status.rawValue),
      (words.failure, view.failure), (words.compensationFailures, Self.text(failures)), (texts.reason, view.reason),
      (words.steps, Self.text(view.steps.map(\.path))), (words.labels, Self.text(labels)),
      (words.started, WireDate.readable(view.startedAt)), (words.changed, WireDate.readable(view.changedAt)),
      (words.wakes, view.wakeAt.map(WireDate.readable)),
    ])
    let questions: [[HTML]] = view.questions.map { question in
      [
        "\(question.id.number)", "\(question.step.path)", "\(question.prompt)",
        "\(question.assignees.joined(separator: ", "))",
      ]
    }
    let questionTable: HTML? =
      questions.isEmpty
      ? nil
      : """
      <h2>\(words.questions)</h2>
      \(table([words.question, words.step, words.prompt, words.assignees], questions))
      """
    let forms = await adminForms(view, refused)
    let drawing = site.served(view.definition).map { _ in figure(of: view, at: "\(paths.admin(view.id))/diagram") }
    let whole = await may(.operate(.history), view)
    return await adminPage(
      view.id.description,
      """
      \(refused.map { notice($0, isShown: forms.contains { $0.isRefused }) })\(facts)\(drawing)\(questionTable)\
      \(HTML.when(!forms.isEmpty, "<h2>\(words.changes)</h2>\n\(forms.map(\.markup))"))\
      <h2>\(texts.history)</h2>
      \(HTML.when(whole, "<p><a href=\"\(paths.adminHistory(view.id))\">\(words.wholeHistory)</a></p>\n"))\
      \(table(of: entries.reversed()))
      """, status: refused?.problem.status ?? 200)
  }

  /// Returns the page of a refused form alone, of a flow as it was before: for a store that cannot be read now.
  func adminFormPage(_ view: FlowView, _ refused: AdminFormState) async -> WebResponse {
    let form = adminForm(view, refused)
    return await adminPage(
      view.id.description, "<p>\(link(to: view.id))</p>\n\(notice(refused, isShown: form != nil))\(form)",
      status: refused.problem.status)
  }

  /// Returns the page of a flow's history.
  ///
  /// - Parameter next: The number of the last entry, if there may be more.
  func adminHistoryPage(of view: FlowView, _ entries: [HistoryEntry], next: Int?) async -> WebResponse {
    let limit = query["limit"].map { "&limit=\(PercentCoding.encoded($0))" } ?? ""
    let more: HTML? = next.map {
      "<p><a href=\"\(paths.adminHistory(view.id))?after=\($0)\(limit)\">\(texts.next)</a></p>\n"
    }
    return await adminPage(
      "\(texts.history): \(view.id.description)", "<p>\(link(to: view.id))</p>\n\(table(of: entries))\(more)")
  }

  /// Returns the notice of a refused form.
  ///
  /// - Parameter isShown: Whether the page has the form, with the reason. If not, the notice has it.
  private func notice(_ refused: AdminFormState, isShown: Bool) -> HTML {
    if isShown, refused.problem.status != 409 { return "" }
    let reason: HTML? = isShown ? nil : "<br>\(refused.problem.detail)"
    return "<p class=\"notice\" role=\"alert\">\(texts.title(of: refused.problem))\(reason)</p>\n"
  }

  private func link(to flow: FlowID) -> HTML { "<a href=\"\(paths.admin(flow))\">\(flow.description)</a>" }

  /// Returns texts with commas between them; `nil` if there are none.
  private static func text(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: ", ") }
}
