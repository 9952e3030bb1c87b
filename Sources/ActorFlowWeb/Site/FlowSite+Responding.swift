extension FlowSite {
  /// Returns the response to a request.
  ///
  /// Throws nothing: a refused request gets a page or problem details with the status of its reason. Waits no longer than
  /// ``settleTime`` for a flow's next question, but as long as the store takes. Cancelling the task gives up waiting; what
  /// was accepted by then stays.
  public func respond(to request: WebRequest) async -> WebResponse {
    var request = request
    let isHead = request.method == "HEAD"
    if isHead { request.method = "GET" }
    var response = await Exchange(site: self, request: request).response()
    SecurityHeaders.add(to: &response)
    if isHead { response.body = .bytes([]) }
    return response
  }

  /// Returns the refusal of a request that the page of another site may have made; `nil` for any other request.
  ///
  /// ``respond(to:)`` asks by itself. Call it for the places that your service has beside the site, above all for the login:
  /// another site could sign a person in under a name of its own.
  public func crossSiteRefusal(of request: WebRequest) -> WebResponse? {
    do { try CrossSite.refuse(request, unlessFrom: origins) } catch {
      var response = Exchange(site: self, request: request).refusal(error)
      SecurityHeaders.add(to: &response)
      return response
    }
    return nil
  }
}

/// The headers that every response has.
enum SecurityHeaders {
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    + "base-uri 'none'; frame-ancestors 'none'"

  static func add(to response: inout WebResponse) {
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
    if response.headers["Vary"] == nil { response.headers["Vary"] = "Accept, Accept-Language, Cookie" }
  }
}
