import ActorFlow
import ActorFlowHosting

// The parts that the operators' pages have in common, and the pages of numbers.
extension Exchange {
  /// Returns those operators' pages, with their names, that the client may see.
  func adminLooks() async -> [(path: String, name: String)] {
    let words = texts.admin
    let pages: [(operation: FlowSite.Operation, path: String, name: String)] = [
      (.list, paths.admin, words.flows), (.tasks, paths.adminTasks, words.tasks), (.plan, paths.adminPlan, words.plan),
      (.list, paths.adminCounts, words.numbers),
    ]
    var looks: [(path: String, name: String)] = []
    for page in pages {
      if await may(.operate(page.operation), nil) { looks.append((page.path, page.name)) }
    }
    return looks
  }

  /// Returns a page with links to those pages that the operator may see.
  func adminPage(_ title: String, _ body: HTML, status: Int = 200) async -> WebResponse {
    let links: [HTML] = await adminLooks().map { "<li><a href=\"\($0.path)\">\($0.name)</a></li>\n" }
    return layout(
      title,
      """
      <nav aria-label="\(texts.admin.pages)">
      <ul>
      \(links)</ul>
      </nav>
      <h1>\(title)</h1>
      \(body)
      """, status: status)
  }

  func adminPage(of plan: MigrationPlan) async -> WebResponse {
    let (words, counts) = (texts.admin, plan.counts)
    let numbers = facts([
      (words.stay, "\(counts.stay)"), (words.move, "\(counts.move)"), (words.unmigrated, "\(counts.unmigrated)"),
      (words.unchecked, "\(counts.unchecked)"), (words.erased, "\(plan.erased)"),
    ])
    let lines: [HTML] = plan.description.split(separator: "\n").map { "<li>\($0)</li>\n" }
    // The plan's own words are English.
    let list: HTML = lines.isEmpty ? "" : "<ul lang=\"en\">\n\(lines)</ul>\n"
    return await adminPage(words.plan, "\(numbers)\(list)")
  }

  func adminPage(
    of statuses: [(status: FlowSnapshot.Status, count: Int)], _ backlog: FlowHost.Backlog, _ health: FlowHost.Health
  ) async -> WebResponse {
    let words = texts.admin
    let definition = query["definition"]
    let filters = definition.map { "definition=\(PercentCoding.encoded($0))&" } ?? ""
    let rows: [[HTML]] = statuses.map { status, count in
      [
        "<a href=\"\(paths.admin)?\(filters)status=\(status.rawValue)\">\(status.rawValue)</a>",
        "\(count < Self.countLimit ? "" : "≥ ")\(count)",
      ]
    }
    let condition = facts([
      (words.dueFlows, "\(backlog.due)"), (words.oldestDue, backlog.oldestDue.map(WireDate.readable)),
      (words.liveFlows, "\(health.liveFlows)"), (words.isRunning, health.isRunning ? words.yes : words.no),
      (words.lastPoll, health.lastPoll.map(WireDate.readable)), (words.failedPolls, "\(health.failedPolls)"),
    ])
    let fields = [FormField("definition", label: words.definition, optional: true)]
    return await adminPage(
      words.numbers, "\(filter(fields, at: paths.adminCounts))\(table([words.status, words.flows], rows))\(condition)")
  }

  /// Returns names with their values, without those that have none.
  func facts(_ facts: [(name: String, value: String?)]) -> HTML {
    let items: [HTML] = facts.compactMap { name, value in value.map { "<dt>\(name)</dt><dd>\($0)</dd>\n" } }
    return "<dl>\n\(items)</dl>\n"
  }

  /// Returns the form that filters a list. The filters of the request for which it has no field stay as they are, without
  /// the refused one.
  func filter(_ fields: [FormField], at path: String, _ problem: Problem? = nil) -> HTML {
    let problems = problem?.problems(of: fields) ?? []
    let names = Set(fields.map(\.name) + (problem?.fields ?? []).map(\.field))
    let others = query.names.filter { $0 != "cursor" && !names.contains($0) }.sorted()
    let hidden: [HTML] = others.compactMap { name in
      query[name].map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">\n" }
    }
    let form = WebForm(
      fields: fields, texts: texts, action: path, hidden: [], values: query, problems: problems, prefix: "filter-",
      submit: texts.admin.filter, marksOptional: false)
    let isUsed = !problems.isEmpty || fields.contains { query[$0.name] != nil }
    return """
      <details\(HTML.when(isUsed, " open"))>
      <summary>\(texts.admin.filter)</summary>
      <form method="get" action="\(path)" class="form">
      \(hidden)\(form.errors)\(fields.map { form.control($0) })\(form.buttons)</form>
      </details>

      """
  }

  /// Returns the link to the next page of a list, with the filters of this one.
  func next(_ cursor: String?, at path: String) -> HTML? {
    guard let cursor else { return nil }
    let filters = query.names.filter { $0 != "cursor" }.sorted().compactMap { name in
      query[name].map { "\(PercentCoding.encoded(name))=\(PercentCoding.encoded($0))&" }
    }
    return "<p><a href=\"\(path)?\(filters.joined())cursor=\(PercentCoding.encoded(cursor))\">\(texts.next)</a></p>\n"
  }
}
