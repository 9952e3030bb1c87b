import ActorFlow
import ActorFlowHosting

/// A request with its response: the site, the principal, the language and the representation.
struct Exchange: Sendable {
  let site: FlowSite
  let request: WebRequest
  let representation: Representation
  let texts: Texts
  let paths: Paths
  var query = FormValues()
  var principal: Principal?

  init(site: FlowSite, request: WebRequest) {
    self.site = site
    self.request = request
    representation = Representation(accepting: request.headers["Accept"], contentType: request.contentType)
    texts = .preferred(request.headers["Accept-Language"], of: site.languages)
    paths = Paths(prefix: site.prefix)
  }

  var wantsJSON: Bool { representation == .json }

  /// Whether the client names HTML as a type that it takes, as browsers do and programs that say nothing do not.
  var namesHTML: Bool {
    QualityList.items(request.headers["Accept"] ?? "").contains { $0.name == "text/html" && $0.quality > 0 }
  }

  func response() async -> WebResponse {
    do { return try await answered() } catch { return refusal(Problem(error)) }
  }

  private func answered() async throws -> WebResponse {
    guard request.body.count <= site.maximumBodyBytes else {
      throw Problem(413, "tooLarge", "the body has more than \(site.maximumBodyBytes) bytes")
    }
    try CrossSite.refuse(request, unlessFrom: site.origins)
    guard let target = Target(request.target, below: site.prefix), let route = Route(target.segments),
      site.isAdministered || !route.isOfOperators
    else {
      throw Problem(404, "notFound", "there is nothing at this path")
    }
    guard route.methods.contains(request.method) else {
      // The address of a form, loaded again from the browser's bar after a refusal.
      if request.method == "GET", let page = route.page(in: paths), namesHTML { return .seeOther(page) }
      var problem = Problem(405, "methodNotAllowed", "use \(route.methods.joined(separator: ", "))")
      problem.allowed = route.methods
      throw problem
    }
    var exchange = self
    exchange.query = target.query
    if !route.isOpen { exchange.principal = try await exchange.authenticated() }
    return try await exchange.response(at: route)
  }

  private func response(at route: Route) async throws -> WebResponse {
    switch route {
    case .home: try await home()
    case .startForm(let name): try await startForm(name)
    case .flow(let name) where request.method == "POST": try await start(name)
    case .flow(let id): try await flowPage(FlowID(id))
    case .answer(let id, let number): try await answer(number, of: id)
    case .back(let id): try await backUp(id)
    case .abandon(let id): try await abandon(id)
    case .events(let id): try await events(id)
    case .history(let id): try await history(id)
    case .diagram(let id): try await diagram(id)
    case .signal(let name): try await signal(name)
    case .tasks: try await tasks()
    case .description: try await description()
    case .health: await health()
    case .script: SiteFiles.script
    case .style: SiteFiles.style
    case .admin(let route): try await admin(route)
    }
  }

  /// Returns the response to a refused request.
  ///
  /// - Parameter page: The flow as clients get it, to be shown in place of an outdated page.
  func refusal(_ problem: Problem, page: JSON? = nil) -> WebResponse {
    var response: WebResponse
    if wantsJSON {
      response = .json(problem.json(page: page), type: "application/problem+json", status: problem.status)
    } else {
      response = problemPage(problem)
    }
    add(problem, to: &response)
    return response
  }

  func add(_ problem: Problem, to response: inout WebResponse) {
    if let seconds = problem.retryAfter { response.headers["Retry-After"] = "\(seconds)" }
    if !problem.allowed.isEmpty { response.headers["Allow"] = problem.allowed.joined(separator: ", ") }
  }
}
