import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import ActorFlowWeb
import Foundation
import Testing

@Suite("Malformed and oversized requests", .timeLimit(.minutes(15))) struct MalformedTests {
  /// A number from the environment: `ACTORFLOW_FUZZ_ROUNDS` requests of the sequence `ACTORFLOW_SEED`.
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  @Test("random targets, headers and bodies never give 500, and never trap")
  func random() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let question = try #require(try await site.getJSON("/flows/\(id)")["questions.0.question"])
    var dice = SplitMix(seed: Self.setting("ACTORFLOW_SEED") ?? 19)
    let pieces = [
      "/", "flows", id, "questions", "1", "back", "abandon", "events", "history", "diagram", "tasks", "start", "order",
      "signals", "payments", "?", "after=", "cursor=", "format=", "%", "%2", "%00", "%FF", "%2F", "..",
      "999999999999999999999",
      "-1", "+1", "&", "=", "\u{0}", "é", "\"", "<", "openapi.json", "health", String(repeating: "a", count: 600),
    ]
    let bodies = [
      "", "{", "{}", "[]", "null", "\"", #"{"question":"\#(question)"}"#, #"{"question":"\#(question)","answer":"#,
      #"{"question":"\#(question)","answer":{}}"#, #"{"question":"\#(question)","answer":{"street":1,"city":[]}}"#,
      #"{"question":5}"#, "_question=\(TestSite.encoded(question))&street=%", "street=%FF", "a&b&=&==", "+%2B",
      "_revision=99999999999999999999", #"{"revision":1e400}"#, String(repeating: "[", count: 20_000),
      #"{"answer":"\"#, "\u{FEFF}{}",
    ]
    let names = ["Accept", "Content-Type", "Idempotency-Key", "Last-Event-ID", "Accept-Language", "Cookie", "Origin"]
    let values = [
      "application/json", "text/html;q=x, */*;q=-1", "application/x-www-form-urlencoded", ";;;,,,q=", "\"\"", "nan",
      "1e999",
      "session=ann", "session=staff", "session=expired", "multipart/form-data; boundary=x",
      String(repeating: ",", count: 5_000),
    ]
    for _ in 0..<(Self.setting("ACTORFLOW_FUZZ_ROUNDS") ?? 1_500) {
      var target = "/"
      for _ in 0..<Int.random(in: 0...6, using: &dice) {
        target += pick(pieces, &dice) + pick(["/", ""], &dice)
      }
      var headers: WebHeaders = ["Sec-Fetch-Site": "same-origin", "Cookie": "session=ann"]
      for name in names where Bool.random(using: &dice) { headers[name] = pick(values, &dice) }
      var body = Array(pick(bodies, &dice).utf8)
      if Bool.random(using: &dice) { body = (0..<20).map { _ in UInt8.random(in: 0...255, using: &dice) } }
      let method = pick(["GET", "POST", "HEAD", "PUT", ""], &dice)
      let response = await site.site.respond(
        to: WebRequest(method: method, target: target, headers: headers, body: body))
      #expect(
        response.status < 500 || target.contains("health"),
        "\(method) \(target) \(headers) \(String(decoding: body, as: UTF8.self))")
    }
  }

  @Test("random fields of a form are refused or taken, and nothing else")
  func randomForms() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let page = await site.get("/flows/\(id)")
    let secret = page.questionFields.filter { $0.0 == "_question" || $0.0 == "_prompt" }
    var dice = SplitMix(seed: 7)
    let texts = [
      "", "1", "-1", "1e9", "nan", "0x10", "٣", "true", "\u{0}", "2026-13-45T99:99", "<", "9223372036854775808",
    ]
    for _ in 0..<300 {
      let fields = ["street", "city", "floor", "floor", "order", "", "_revision", "_key"].compactMap { name in
        Bool.random(using: &dice) ? (name, pick(texts, &dice)) : nil
      }
      // A street of a single letter is refused, so the question stays open.
      let response = await site.post(
        "/flows/\(id)/questions/1", secret + fields.filter { $0.1.count < 3 || $0.0 != "street" })
      #expect([409, 422].contains(response.status))
    }
  }

  @Test("JSON in another encoding is refused, whatever is hidden in it")
  func encodings() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    // Read as UTF-8, the letters of the value are a quote, the name of a member, and the end.
    let hidden = String(decoding: [0x6122, 0x736E, 0x6577, 0x2272] as [UInt16], as: UTF16.self)
    for text in [#"{"question":"x"}"#, #"{"a":"\#(hidden)"}"#, #"{"answer":"\#(hidden)"#] {
      for isBig in [true, false] {
        let body = text.utf16.flatMap { unit in
          isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        let response = await site.post(
          "/flows/\(id)/questions/1", [], headers: ["Content-Type": "application/json"], body: body)
        #expect(response.status == 400)
      }
    }
  }

  @Test("a body over the limit gets 413, and one of another type 415")
  func bodies() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let limit = site.site.maximumBodyBytes
    for target in ["/flows/order", "/flows/\(id)/questions/1", "/signals/payments", "/flows/\(id)/back"] {
      let headers: WebHeaders = ["Sec-Fetch-Site": "same-origin", "Cookie": "session=ann", "Signature": "good"]
      let response = await site.site.respond(
        to: WebRequest(method: "POST", target: target, headers: headers, body: Array(repeating: 0, count: limit + 1)))
      #expect(response.status == 413)
    }
    let other = await site.post("/flows/\(id)/questions/1", [], headers: ["Content-Type": "multipart/form-data"])
    #expect(other.status == 415)
    let many = (0..<1_001).map { ("a\($0)", "") }
    #expect(await site.post("/flows/\(id)/questions/1", many).status == 400)
  }

  @Test("a reason that no store can keep is refused, and changes nothing")
  func reasons() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    for path in ["back", "abandon"] {
      let json = try await site.postJSON("/flows/\(id)/\(path)", #"{"reason":"a\u0000b"}"#)
      #expect(json.status == 422 && json.response.text.contains(#""field":"reason""#))
      #expect(await site.post("/flows/\(id)/\(path)", [("_reason", "a\u{0}b")]).status == 422)
    }
    #expect(try await site.getJSON("/flows/\(id)")["status"] == "waiting")
  }

  @Test("each kind of refusal has the status of the table, and 503 says when to come again")
  func statuses() async throws {
    let site = try await TestSite()
    let id = try await site.started()
    let question = try #require(try await site.getJSON("/flows/\(id)")["questions.0.question"])
    let wrong = try await site.postJSON("/flows/\(id)/questions/1", #"{"question":"\#(question)","answer":7}"#)
    #expect(wrong.status == 422 && wrong["code"] == "wrongAnswerType")
    let back = try await site.postJSON("/flows/\(id)/back", "{}")
    #expect(back.status == 409 && back["code"] == "cannotBackUp")
    let nothing = try await site.postJSON("/flows/nothing", "{}")
    #expect(nothing.status == 404 && nothing["type"] == "about:blank" && nothing["title"] == "Not found")
    site.store.plan { _ in .fail(FlowStoreError(.unavailable, "the disk is away")) }
    let down = try await site.getJSON("/flows/\(id)")
    #expect(down.status == 503 && down["code"] == "unavailable")
    #expect(down.response.headers["Retry-After"] == "5" && !down.response.text.contains("the disk is away"))
    #expect(await site.get("/flows/\(id)").text.contains("Not available at the moment"))
  }
}

private func pick(_ texts: [String], _ dice: inout SplitMix) -> String {
  texts[Int.random(in: texts.indices, using: &dice)]
}

/// A generator of random numbers that plays the same sequence again.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
