import ActorFlow
import ActorFlowHosting

// The lists: the open questions of the client, and the history of a flow.
extension Exchange {
  private static let pageSize = 50

  func tasks() async throws -> WebResponse {
    try await allow(.list, nil)
    // An anonymous client is none of the people who are asked by name.
    let names = principal.map { [$0.id] + $0.roles.sorted() } ?? []
    let cursor = query["cursor"]
    let page: QuestionPage
    do {
      page = try await withRefusals {
        try await site.host.questions(
          TaskQuery(assignees: names, order: .due), after: cursor, limit: Self.pageSize, by: principal)
      }
    } catch let error as FlowStoreError where error.code == .notFound {
      throw Problem(400, "malformed", "the cursor is not of this list")
    }
    var seen: [FlowID: Bool] = [:]
    var entries: [(listed: ListedQuestion, question: StoredQuestion)] = []
    for listed in page.questions {
      guard site.served(listed.definition) != nil, case .success(let question) = listed.question else { continue }
      let isSeen: Bool
      if let known = seen[listed.flow] {
        isSeen = known
      } else {
        isSeen = await isVisible(listed.flow)
        seen[listed.flow] = isSeen
      }
      if isSeen { entries.append((listed, question)) }
    }
    return wantsJSON ? .json(json(of: entries, page.cursor)) : tasksPage(entries, page.cursor)
  }

  private func isVisible(_ id: FlowID) async -> Bool {
    do { _ = try await look(id) } catch { return false }
    return true
  }

  private func json(of entries: [(listed: ListedQuestion, question: StoredQuestion)], _ cursor: String?) -> JSON {
    let tasks = entries.map { entry in
      JSON.members([
        ("flow", .text(entry.listed.flow.description)), ("definition", .text(entry.listed.definition)),
        ("number", .int(entry.question.id.number)), ("prompt", .text(entry.question.prompt)),
        ("title", prompt(of: entry.question).flatMap { try? $0.title(entry.question) }.map { .text(words($0)) }),
        ("askedAt", .text(WireDate.text(of: entry.question.askedAt))),
        ("due", entry.question.due.map { .text(WireDate.text(of: $0)) }),
      ])
    }
    return .members([("tasks", .array(tasks)), ("cursor", cursor.map { .text($0) })])
  }

  private func tasksPage(
    _ entries: [(listed: ListedQuestion, question: StoredQuestion)], _ cursor: String?
  ) -> WebResponse {
    let items: [HTML] = entries.map { entry in
      let title =
        prompt(of: entry.question).flatMap { try? $0.title(entry.question) }.map(words) ?? entry.question.step.name
      let due: HTML? = entry.question.due.map { due in
        " – \(texts.due): \(time(due))"
      }
      return "<li><a href=\"\(paths.flow(entry.listed.flow))\">\(title)</a>\(due)</li>\n"
    }
    let next: HTML? = cursor.map {
      "<p><a href=\"\(paths.tasks)?cursor=\(PercentCoding.encoded($0))\">\(texts.next)</a></p>\n"
    }
    let list: HTML = items.isEmpty ? "<p>\(texts.noTasks)</p>\n" : "<ul>\n\(items)</ul>\n"
    return layout(texts.tasks, "<h1>\(texts.tasks)</h1>\n\(list)\(next)")
  }

  func history(_ id: FlowID) async throws -> WebResponse {
    let (view, served) = try await look(id, .history)
    guard let after = Route.number(query["after"] ?? "0") else {
      throw Problem(400, "malformed", "the number of the last entry has digits alone")
    }
    let entries = try await withRefusals { try await hosted(id).history(after: after, limit: Self.pageSize) }
    let next = entries.count == Self.pageSize ? entries.last?.sequence : nil
    guard !wantsJSON else {
      return .json(.members([("entries", .array(entries.map { .entry($0) })), ("next", next.map { .int($0) })]))
    }
    let more: HTML? = next.map {
      "<p><a href=\"\(paths.part("history", of: id))?after=\($0)\">\(texts.next)</a></p>\n"
    }
    return layout(
      "\(texts.history): \(words(served.title))",
      """
      <h1>\(texts.history)</h1>
      <p><a href="\(paths.flow(view.id))">\(words(served.title))</a></p>
      \(table(of: entries))\(more)
      """)
  }

  func diagram(_ id: FlowID) async throws -> WebResponse {
    let (view, served) = try await look(id)
    return try drawing(of: view, served)
  }

  /// Returns the drawing of a flow in the format that the client asks for.
  func drawing(of view: FlowView, _ served: ServedFlow) throws -> WebResponse {
    switch query["format"] {
    case nil, "svg": return .text(served.diagram(.svg, view), type: "image/svg+xml")
    case "mermaid": return .text(served.diagram(.mermaid, view), type: "text/plain; charset=utf-8")
    case "dot": return .text(served.diagram(.dot, view), type: "text/plain; charset=utf-8")
    default: throw Problem(400, "malformed", "the format is svg, mermaid or dot")
    }
  }
}
