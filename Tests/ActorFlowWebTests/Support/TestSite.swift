import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Testing

/// A site of the shop on a store in memory, with a clock that stands still, and clients that talk to it.
struct TestSite: Sendable {
  let host: FlowHost
  let store: FaultyStore<MemoryFlowStore>
  let clock: ManualWallClock
  var site: FlowSite

  init() async throws {
    clock = ManualWallClock()
    store = FaultyStore(MemoryFlowStore(clock: clock))
    host = FlowHost(store: store, clock: clock)
    site = try await Shop.site(host, Sessions(), Bank())
    site.settleTime = .seconds(600)
  }

  func get(
    _ target: String, as name: String? = "ann", accept: String = "text/html", headers: [String: String] = [:]
  ) async -> WebResponse {
    var all = common(name, accept)
    for (name, value) in headers { all[name] = value }
    return await site.respond(to: WebRequest(method: "GET", target: target, headers: all))
  }

  func getJSON(_ target: String, as name: String? = "ann") async throws -> Reply {
    try Reply(await get(target, as: name, accept: "application/json"))
  }

  /// Sends a form as a browser does.
  func post(
    _ target: String, _ values: [(String, String)], as name: String? = "ann", headers: [String: String] = [:],
    body: [UInt8]? = nil
  ) async -> WebResponse {
    var all = common(name, "text/html")
    all["Sec-Fetch-Site"] = "same-origin"
    all["Content-Type"] = "application/x-www-form-urlencoded"
    for (name, value) in headers { all[name] = value }
    return await site.respond(
      to: WebRequest(method: "POST", target: target, headers: all, body: body ?? Array(Self.form(values).utf8)))
  }

  func postJSON(
    _ target: String, _ json: String, as name: String? = "ann", key: String? = nil
  ) async throws -> Reply {
    var all = common(name, "application/json")
    all["Sec-Fetch-Site"] = "same-origin"
    all["Content-Type"] = "application/json"
    all["Idempotency-Key"] = key
    return try Reply(
      await site.respond(to: WebRequest(method: "POST", target: target, headers: all, body: Array(json.utf8))))
  }

  /// Starts an order by JSON and returns its id.
  func started(as name: String = "ann", item: String = "teapot") async throws -> String {
    let reply = try await postJSON("/flows/order", #"{"item":"\#(item)","quantity":2}"#, as: name)
    #expect(reply.status == 201)
    return try #require(reply["id"])
  }

  private func common(_ name: String?, _ accept: String) -> WebHeaders {
    var headers: WebHeaders = ["Accept": accept]
    if let name { headers["Cookie"] = "theme=dark; session=\(name)" }
    return headers
  }

  static func form(_ values: [(String, String)]) -> String {
    values.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
  }

  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}

/// A JSON response.
struct Reply {
  let status: Int
  let json: Any
  let response: WebResponse

  init(_ response: WebResponse) throws {
    self.response = response
    status = response.status
    json = try JSONSerialization.jsonObject(with: Data(response.bytes), options: .fragmentsAllowed)
  }

  /// The text at a path such as `questions.0.question`.
  subscript(_ path: String) -> String? { value(path) as? String }

  func number(_ path: String) -> Int? { value(path) as? Int }

  func value(_ path: String) -> Any? {
    var value: Any? = json
    for part in path.split(separator: ".") {
      if let index = Int(part), let list = value as? [Any] {
        value = index < list.count ? list[index] : nil
      } else {
        value = (value as? [String: Any])?[String(part)]
      }
    }
    return value
  }
}

extension WebResponse {
  var bytes: [UInt8] {
    if case .bytes(let bytes) = body { bytes } else { [] }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value of a hidden field of the page's first form that has it.
  func hidden(_ name: String) -> String? {
    let mark = "name=\"\(name)\" value=\""
    guard let start = text.range(of: mark) else { return nil }
    let rest = text[start.upperBound...]
    return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
  }

  /// The hidden fields of the form of a question.
  var questionFields: [(String, String)] {
    ["_key", "_question", "_revision", "_prompt"].compactMap { name in hidden(name).map { (name, $0) } }
  }

  /// Returns the path of the form that the page sends.
  var action: String? {
    guard let start = text.range(of: "action=\"") else { return nil }
    let rest = text[start.upperBound...]
    return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
  }
}
