import ActorFlowWeb
import Foundation

/// A page beside the flows', in their style.
enum Page {
  static func response(_ title: String, _ body: HTML, status: Int = 200) -> WebResponse {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="stylesheet" href="/flow.css">
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      \(body)</main>
      </body>
      </html>

      """
    return secured(
      WebResponse(
        status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(Array(page.markup.utf8))))
  }

  static func seeOther(_ location: String) -> WebResponse {
    secured(WebResponse(status: 303, headers: ["Location": location]))
  }

  private static func secured(_ response: WebResponse) -> WebResponse {
    var response = response
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    return response
  }
}

extension WebRequest {
  /// The path without the query.
  var path: String { String(target.prefix { $0 != "?" }) }

  /// The values of a form by the names of its fields; empty if the body is none.
  var form: [String: String] {
    guard headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true,
      let text = String(validating: body, as: UTF8.self)
    else { return [:] }
    let pairs = text.split(separator: "&").prefix(100).compactMap { pair -> (String, String)? in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacing("+", with: " ").removingPercentEncoding }
      guard parts.count == 2, let name = parts[0], let value = parts[1] else { return nil }
      return (name, value)
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
