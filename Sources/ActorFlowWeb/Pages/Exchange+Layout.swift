import ActorFlowHosting

// The parts that all pages have in common, and the pages that are of no flow.
extension Exchange {
  /// Returns a page.
  ///
  /// - Parameters:
  ///   - view: The flow that the page shows, which the script follows.
  ///   - refreshes: Whether a browser without the script loads the page again after a moment.
  func layout(
    _ title: String, _ body: HTML, status: Int = 200, follows view: FlowView? = nil, refreshes: Bool = false
  ) -> WebResponse {
    let following: HTML? = view.map { view in
      """
       data-events="\(paths.part("events", of: view.id))?after=\(view.sequence)" \
      data-page="\(paths.flow(view.id))" data-revision="\(view.revision.number)" data-changed="\(texts.changed)" data-reload="\(texts.reload)"
      """
    }
    // The page's own address is that of a form after a refusal.
    let refreshing: HTML? =
      if let view, refreshes {
        "<noscript><meta http-equiv=\"refresh\" content=\"3; url=\(paths.flow(view.id))\"></noscript>\n"
      } else {
        nil
      }
    let sheets: [HTML] = site.stylesheets.map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" }
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="\(texts.language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) – \(words(site.title))</title>
      <link rel="stylesheet" href="\(paths.style)">
      \(sheets)\
      \(refreshing)\
      <script src="\(paths.script)" defer></script>
      </head>
      <body>
      <a class="skip" href="#main">\(texts.skipToContent)</a>
      <header><a href="\(paths.home)">\(words(site.title))</a></header>
      <main id="main" tabindex="-1"\(following)>
      \(body)</main>
      </body>
      </html>

      """
    return .text(page.markup, type: "text/html; charset=utf-8", status: status)
  }

  /// Returns a text of the service in the language of the page.
  func words(_ text: LocalizedText) -> String { text.text(in: texts) }

  func problemPage(_ problem: Problem) -> WebResponse {
    let title = texts.title(of: problem)
    let signIn: HTML? =
      problem.status == 401 ? site.signInPath.map { "<p><a href=\"\($0)\">\(texts.signIn)</a></p>\n" } : nil
    // Refusals are written for people, other messages for programs.
    let reason: HTML? = ["notAllowed", "invalid"].contains(problem.code) ? "<p>\(problem.detail)</p>\n" : nil
    return layout(title, "<h1>\(title)</h1>\n\(reason)\(signIn)", status: problem.status)
  }

  func home() async throws -> WebResponse {
    var links: [HTML] = []
    for flow in site.flows where flow.starter != nil {
      guard await may(.start(flow.name), nil) else { continue }
      links.append("<li><a href=\"\(paths.startForm(flow.name))\">\(words(flow.title))</a></li>\n")
    }
    if await may(.list, nil) { links.append("<li><a href=\"\(paths.tasks)\">\(texts.tasks)</a></li>\n") }
    if site.isAdministered, principal != nil, let first = await adminLooks().first {
      links.append("<li><a href=\"\(first.path)\">\(texts.operating)</a></li>\n")
    }
    return layout(words(site.title), "<h1>\(words(site.title))</h1>\n<ul>\n\(links)</ul>\n")
  }

  func startForm(_ name: String) async throws -> WebResponse {
    try await allow(.start(name), nil)
    guard let served = site.served(name), let starter = served.starter else {
      throw Problem(404, "noSuchFlow", "no flow of this name can be started here")
    }
    return startPage(served, starter, FormValues(), nil)
  }

  func startPage(
    _ served: ServedFlow, _ starter: ServedFlow.Starter, _ values: FormValues, _ problem: Problem?
  ) -> WebResponse {
    let form = WebForm(
      fields: starter.plan.fields, texts: texts, action: paths.start(served.name),
      hidden: [(FormName.key, RequestKey.random())], values: values,
      problems: problem.map { $0.fields.isEmpty ? [FieldProblem(field: "", message: texts.title(of: $0))] : $0.fields }
        ?? [], prefix: "start-", submit: texts.start)
    return layout(
      words(served.title), "<h1>\(words(served.title))</h1>\n\(form.standard)", status: problem?.status ?? 200)
  }
}
