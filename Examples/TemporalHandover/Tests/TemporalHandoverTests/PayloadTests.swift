import Foundation
import TemporalHandover
import Testing

@Suite struct PayloadTests {
  private func outcome(_ payloads: Payload...) -> WorkflowOutcome {
    WorkflowOutcome(run: WorkflowRun(workflow: "w", id: "r1"), ending: .completed(payloads))
  }

  private func json(_ text: String) -> Payload { Payload(encoding: "json/plain", data: Data(text.utf8)) }

  @Test func `JSON, null and bytes are read`() throws {
    #expect(try outcome(json(#"{"a":1}"#)).result(as: [String: Int].self) == ["a": 1])
    #expect(try outcome(Payload(encoding: "json/protobuf", data: Data("\"x\"".utf8))).result(as: String.self) == "x")
    #expect(try outcome(Payload(encoding: "binary/plain", data: Data([1, 2]))).result(as: Data.self) == Data([1, 2]))
    #expect(try outcome(Payload(encoding: "binary/null", data: Data())).result(as: Int?.self) == nil)
  }

  @Test func `no result is nil of an optional type, and an error for any other`() async throws {
    #expect(try outcome().result(as: Int?.self) == nil)
    #expect(await code { _ = try outcome().result(as: Int.self) } == .unreadablePayload)
  }

  @Test func `several results are read together, by their number and types`() async throws {
    let two = outcome(json("1"), json("\"b\""))
    let (number, text) = try two.results(as: Int.self, String.self)
    #expect((number, text) == (1, "b"))
    #expect(await code { _ = try two.result(as: Int.self) } == .unreadablePayload)
    #expect(await code { _ = try two.results(as: Int.self) } == .unreadablePayload)
    #expect(await code { _ = try two.results(as: Int.self, Int.self) } == .unreadablePayload)
    #expect(await code { _ = try two.results(as: Int.self, String.self, Int.self) } == .unreadablePayload)
  }

  @Test func `a payload that cannot be read is named by its encoding or place, never by its value`() async throws {
    for payload in [
      json("4711 and more"), json(#"{"iban":4711}"#), Payload(encoding: "binary/encrypted", data: Data("4711".utf8)),
      Payload(encoding: "binary/plain", data: Data("4711".utf8)),
    ] {
      let error = #expect(throws: HandoverError.self) { _ = try outcome(payload).result(as: [String: String].self) }
      #expect(error?.code == .unreadablePayload)
      #expect(error?.message.contains(payload.encoding) == true || payload.encoding == "binary/plain")
      #expect(error?.message.contains("4711") == false)
    }
  }
}
