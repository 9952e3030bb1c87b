/// Decides whether a request that may change a flow comes from a page of this site.
///
/// A browser sends a person's cookies with requests that other sites' pages make, and says so in headers which those
/// pages cannot change. A client that is no browser sends neither header, and no cookies.
enum CrossSite {
  static func refuse(_ request: WebRequest, unlessFrom origins: Set<String>) throws(Problem) {
    guard request.isUnsafe else { return }
    let (site, origin) = (request.headers["Sec-Fetch-Site"], request.headers["Origin"])
    if site == "same-origin" { return }
    if let origin, origin != "null", origins.contains(origin) { return }
    if site == nil, origin == nil, request.headers["Cookie"] == nil { return }
    throw Problem(
      403, "crossSite",
      "the request does not come from a page of this site: it needs `Sec-Fetch-Site: same-origin`, an allowed `Origin`, or "
        + "neither of the two headers and no cookies")
  }
}
