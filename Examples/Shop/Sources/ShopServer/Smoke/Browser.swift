import Foundation
import LoopbackClient
import NIOHTTP1

/// A person at a browser, without JavaScript: keeps cookies, follows redirects and sends the forms of pages.
struct Browser {
  let client: LoopbackClient
  private(set) var page = Page(path: "/", status: 0, text: "")
  private var cookie: String?

  /// A page that the person looks at.
  struct Page: Sendable {
    let path: String
    let status: Int
    let text: String
  }

  init(_ client: LoopbackClient) { self.client = client }

  mutating func open(_ path: String) async throws {
    try await load("GET", path, headers: [], body: [])
  }

  /// Sends a form of the page: the one that has the field or button.
  mutating func send(_ values: [(String, String)], with name: String) async throws {
    guard let form = page.form(with: name) else { throw SmokeFailure("no form with \(name)", page) }
    let fields = form.hidden.filter { hidden in !values.contains { $0.0 == hidden.0 } } + values
    let body = fields.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    try await load(
      "POST", form.action ?? page.path,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")],
      body: Array(body.utf8))
  }

  private mutating func load(_ method: String, _ path: String, headers: [(String, String)], body: [UInt8]) async throws
  {
    let cookies = cookie.map { [("Cookie", $0)] } ?? []
    let reply = try await client.send(
      method, path, headers: headers + cookies + [("Accept", "text/html")], body: body)
    if let set = reply.headers.first(name: "Set-Cookie") { cookie = String(set.prefix { $0 != ";" }) }
    if reply.status == 303, let location = reply.headers.first(name: "Location") { return try await open(location) }
    page = Page(path: path, status: reply.status, text: reply.text)
  }

  /// Waits until the page of the flow has a text, led by its events as the script of the page is.
  mutating func follow(until text: String) async throws {
    let path = page.path
    try await open(path)
    guard !page.text.contains(text) else { return }
    var browser = self
    browser = try await client.withAnswer("GET", "\(path)/events", headers: cookie.map { [("Cookie", $0)] } ?? []) {
      [browser] answer in
      var browser = browser
      while try await answer.chunks.next() != nil {
        try await browser.open(path)
        if browser.page.text.contains(text) { return browser }
      }
      throw SmokeFailure("no page with “\(text)”", browser.page)
    }
    self = browser
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }
}

extension Browser.Page {
  struct Form {
    let action: String?
    let hidden: [(String, String)]
  }

  /// The form that has a field or a button of this name.
  func form(with name: String) -> Form? {
    for part in text.components(separatedBy: "<form").dropFirst() {
      let form = part.components(separatedBy: "</form>")[0]
      guard form.contains("name=\"\(name)\"") else { continue }
      let hidden = form.components(separatedBy: "<input type=\"hidden\"").dropFirst().compactMap { input in
        Self.attribute("name", in: input).flatMap { name in Self.attribute("value", in: input).map { (name, $0) } }
      }
      return Form(action: Self.attribute("action", in: String(form.prefix { $0 != ">" })), hidden: hidden)
    }
    return nil
  }

  /// The address of the first link that begins so.
  func link(to prefix: String) -> String? {
    text.components(separatedBy: "href=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
      .first { $0.hasPrefix(prefix) }
  }

  private static func attribute(_ name: String, in tag: String) -> String? {
    let parts = tag.components(separatedBy: "\(name)=\"")
    return parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : nil
  }
}

/// The error of a walk that found something else.
struct SmokeFailure: Error, CustomStringConvertible {
  let description: String

  init(_ problem: String, _ page: Browser.Page) {
    description = "\(problem) at \(page.path), status \(page.status):\n\(page.text)"
  }
}
