public import ActorFlowWeb

/// All pages of the service under one address: the flows', the login and the bank's.
public struct ShopFront: Sendable {
  private let site: FlowSite
  private let login: LoginPages
  private let bank: BankPages

  /// The pages around a site.
  public init(_ site: FlowSite, _ sessions: Sessions, _ bank: FakeBank) {
    (self.site, login, self.bank) = (site, LoginPages(sessions: sessions), BankPages(bank: bank))
  }

  /// Returns the response to a request.
  public func respond(to request: WebRequest) async -> WebResponse {
    let path = request.path
    let (isLogin, isBank) = (path == "/login" || path == "/logout", path.hasPrefix("/bank/"))
    // What is too long, the site refuses.
    guard isLogin || isBank, request.body.count <= site.maximumBodyBytes else { return await site.respond(to: request) }
    // Another site must not sign people in under a name of its own.
    if let refusal = site.crossSiteRefusal(of: request) { return refusal }
    var asked = request
    if request.method == "HEAD" { asked.method = "GET" }
    var response: WebResponse
    do {
      response = try await isLogin ? login.respond(to: asked) : bank.respond(to: asked)
    } catch {
      response = Page.response("Not available", "<p>Please try again later.</p>\n", status: 503)
    }
    if request.method == "HEAD" { response.body = .bytes([]) }
    return response
  }
}
