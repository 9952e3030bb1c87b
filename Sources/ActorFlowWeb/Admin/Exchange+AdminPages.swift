import ActorFlow
import ActorFlowHosting

// The pages for operators, in English only.
extension Exchange {
  func adminPage(of page: FlowPage) -> WebResponse {
    let rows: [HTML] = page.flows.map { flow in
      """
      <tr><td><a href="\(paths.admin(flow.id))">\(flow.id.description)</a></td><td>\(flow.definition)</td>\
      <td>\(flow.status.rawValue)</td><td>\(flow.steps.map(\.path).joined(separator: ", "))</td>\
      <td>\(WireDate.readable(flow.changedAt))</td></tr>

      """
    }
    let names = ["definition", "status", "step", "label"]
    let fields: [HTML] = names.map { name in
      "<label for=\"f-\(name)\">\(name)</label> <input id=\"f-\(name)\" name=\"\(name)\" value=\"\(query[name])\">\n"
    }
    let filters = query.names.filter { $0 != "cursor" }.sorted().compactMap { name in
      query[name].map { "\(name)=\(PercentCoding.encoded($0))&" }
    }
    let next: HTML? = page.cursor.map {
      "<p><a href=\"\(paths.admin)?\(filters.joined())cursor=\(PercentCoding.encoded($0))\">\(texts.next)</a></p>\n"
    }
    return layout(
      "Flows",
      """
      <h1>Flows</h1>
      <form method="get" action="\(paths.admin)">
      \(fields)<button>Filter</button>
      </form>
      <table>
      <tr><th>Flow</th><th>Definition</th><th>Status</th><th>Steps</th><th>Changed</th></tr>
      \(rows)</table>
      \(next)
      """)
  }

  func adminPage(of view: FlowView, _ entries: [HistoryEntry]) -> WebResponse {
    let facts: [(String, String?)] = [
      ("Definition", "\(view.definition) \(view.version)"), ("Status", view.status.rawValue),
      ("Failure", view.failure), ("Reason", view.reason),
      ("Steps", view.steps.map(\.path).joined(separator: ", ")),
      ("Started", WireDate.readable(view.startedAt)), ("Changed", WireDate.readable(view.changedAt)),
      ("Wakes", view.wakeAt.map(WireDate.readable)),
    ]
    let list: [HTML] = facts.compactMap { name, value in value.map { "<dt>\(name)</dt><dd>\($0)</dd>\n" } }
    let questions: [HTML] = view.questions.map { question in
      """
      <tr><td>\(question.id.number)</td><td>\(question.step.path)</td><td>\(question.prompt)</td>\
      <td>\(question.assignees.joined(separator: ", "))</td></tr>

      """
    }
    let rows: [HTML] = entries.reversed().map { entry in
      """
      <tr><td>\(entry.sequence)</td><td>\(WireDate.readable(entry.at))</td><td>\(entry.what)</td>\
      <td>\(entry.step?.path)</td><td>\(entry.by)</td><td>\(entry.detail)</td></tr>

      """
    }
    // A flow that has ended is retried if its rollback failed. One whose key was erased can do nothing more.
    let canRetry = view.status == .suspended || view.status.isTerminal && view.rollbackFailed
    let canAbandon = !view.status.isTerminal && view.status != .erased
    let forms: HTML = """
      \(HTML.when(view.status != .erased, adminForm(view, "note", "text")))\
      \(HTML.when(canRetry, adminForm(view, "retry", "reason")))\
      \(HTML.when(canAbandon, adminForm(view, "abandon", "reason")))
      """
    let drawing: HTML? =
      site.served(view.definition) == nil
      ? nil : figure(of: view, at: "\(paths.admin(view.id))/diagram")
    return layout(
      view.id.description,
      """
      <p><a href="\(paths.admin)">Flows</a></p>
      <h1>\(view.id.description)</h1>
      <dl>
      \(list)</dl>
      \(drawing)<h2>Questions</h2>
      <table>
      \(questions)</table>
      <h2>Verbs</h2>
      \(forms)
      <h2>\(texts.history)</h2>
      <table>
      \(rows)</table>

      """)
  }

  /// A form of an operation with one text.
  private func adminForm(_ view: FlowView, _ operation: String, _ field: String) -> HTML {
    """
    <form method="post" action="\(paths.admin(view.id))/\(operation)">
    <input type="hidden" name="\(FormName.key)" value="\(RequestKey.random())">
    <label for="\(operation)">\(FormField.label(of: field))</label> <input id="\(operation)" name="\(field)" required>
    <button class="minor">\(FormField.label(of: operation))</button>
    </form>

    """
  }
}
