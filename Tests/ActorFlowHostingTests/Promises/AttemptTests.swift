import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A payment provider whose network fails at some calls, after the payment was made.
private final class Gateway: Sendable {
  private let calls = Lock<[String]>([])
  private let failing: @Sendable (Int) -> Bool

  init(failing: @escaping @Sendable (Int) -> Bool) { self.failing = failing }

  func charge(_ card: String, _ key: String) throws -> String {
    let number = calls.withLock { calls in
      calls.append("\(card) \(key)")
      return calls.count
    }
    if failing(number) { throw NetworkError(call: number) }
    return "paid with \(card)"
  }

  var all: [String] { calls.withLock { $0 } }
  var cards: [String] { all.map { String($0.prefix { $0 != " " }) } }
}

private struct NetworkError: Error, Codable, Equatable {
  var call: Int
}

@Suite("Hosted attempts", .timeLimit(.minutes(15))) struct HostedAttemptTests {
  private func cards(_ gateway: Gateway, _ log: Log = Log()) -> Flow<String, String> {
    Flow("f") {
      Step("pay") {
        Scripted(backUp: { context in
          for number in 1...3 { log.add("\(await context.record("card-\(number)", as: String.self))") }
        }) { _, context in
          var refusal = "-"
          for number in 1...3 {
            let card = try await context.ask(Form(text: refusal))
            switch try await context.attempt("card-\(number)", { try gateway.charge(card, $0) }) {
            case .made(let receipt): return receipt
            case .failed(let error): refusal = "\(error.typeName) \(error.detail(as: NetworkError.self)?.call ?? 0)"
            }
          }
          throw Boom()
        }
      }
    }
  }

  @Test("§1, the second card: the first one failed by the network, and is not charged again when the second comes")
  func secondCard() async throws {
    // Each later call works: a first card that was tried again would be charged.
    let gateway = Gateway { $0 == 1 }
    try await testHost { tester in
      let flows = try await tester.deploy(cards(gateway))
      try await flows.start(id: "f", with: "-")
      try await tester.answer(Form.self, of: "f", with: "first")
      try await tester.crash()
      #expect(try await tester.question(Form.self, of: "f").prompt.text == "NetworkError 1")
      try await tester.answer(Form.self, of: "f", with: "second")
      #expect(try await flows.finish("f") == "paid with second")
      #expect(gateway.cards == ["first", "second"])
    }
  }

  @Test("an abandoned flow sees each failed card as interrupted, and voids it")
  func abandoned() async throws {
    let (gateway, log) = (Gateway { _ in true }, Log())
    try await testHost { tester in
      try await tester.deploy(cards(gateway, log)).start(id: "f", with: "-")
      for card in ["first", "second"] { try await tester.answer(Form.self, of: "f", with: card) }
      try await tester.abandon("f")
      let keys = gateway.all.map { $0.drop { $0 != " " }.dropFirst() }
      #expect(log.all == keys.map { "interrupted(idempotencyKey: \"\($0)\")" } + ["none"])
    }
  }

  @Test("an operator's retry runs the last card again under its key, and none of those before it")
  func retried() async throws {
    let gateway = Gateway { $0 < 4 }
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(cards(gateway))
      try await flows.start(id: "f", with: "-")
      for card in ["1", "2", "3"] { try await tester.answer(Form.self, of: "f", with: card) }
      #expect(try await tester.view(of: "f").status == .suspended)
      try await tester.crash()
      #expect(gateway.cards == ["1", "2", "3"])
      try await tester.retry("f")
      #expect(try await flows.finish("f") == "paid with 3")
      #expect(gateway.cards == ["1", "2", "3", "3"])
      #expect(gateway.all[2] == gateway.all[3])
    }
  }

  @Test("each activation gets the first time under a key, by the host's clock")
  func now() async throws {
    let times = Log()
    let flow = Flow<String, String>("f") {
      Step("a") {
        Scripted { _, context in
          times.add("\(try await context.now(key: "t").date?.timeIntervalSinceReferenceDate ?? 0)")
          return try await context.ask(Form(text: "1")) + context.ask(Form(text: "2"))
        }
      }
    }
    let clock = ManualWallClock()
    try await testHost(clock: clock) { tester in
      let started = clock.now.timeIntervalSinceReferenceDate
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      for answer in ["a", "b"] {
        try await tester.advance(by: .seconds(60))
        try await tester.crash()
        try await tester.answer(Form.self, of: "f", with: answer)
      }
      #expect(try await flows.finish("f") == "ab")
      #expect(times.all.count > 1 && Set(times.all) == ["\(started)"])
    }
  }
}
