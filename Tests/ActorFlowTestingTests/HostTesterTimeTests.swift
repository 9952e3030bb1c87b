import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Time of hosts under test", .timeLimit(.minutes(15))) struct HostTesterTimeTests {
  private let log = Trace()

  @Test("time advances from timer to timer: reminders run in order, and the deadline fires at its time")
  func timers() async throws {
    try await testHost { tester in
      let flows = try await tester.deploy(patient(log))
      try await flows.start(id: "a", with: "a")
      try await tester.advance(by: .seconds(3_600))
      try await flows.start(id: "b", with: "b")
      let due = try await tester.view(of: "b").wakeAt
      #expect(due == tester.clock.now.addingTimeInterval(86_400))
      try await tester.advance(by: .day * 3)
      #expect(log.all == ["a 1", "b 1", "a 2", "b 2", "a 3", "b 3"])
      try await tester.answer(TextForm.self, of: "b", with: "in time")
      try await tester.advance(by: .day * 30)
      #expect(try await flows.finish("a") == "nobody")
      #expect(try await flows.finish("b") == "in time")
      let entries = try await tester.history(of: "a")
      #expect(entries.last?.at == entries.first?.at.addingTimeInterval(4 * 86_400))
      #expect(tester.clock.now == entries.first?.at.addingTimeInterval(33 * 86_400 + 3_600))
    }
  }

  @Test("pauses between attempts, and timeouts of a part, are timers as well")
  func pauses() async throws {
    let retried = Flow<String, String>("retried") {
      Step("flaky") { [log] (input: String, _: StepContext) throws -> String in
        log.add("attempt")
        guard log.all.count == 3 else { throw WorkError() }
        return input + "!"
      }.retry(5, backoff: .exponential(from: .seconds(60)))
    }
    let limited = Flow<String, String>("limited") {
      Step("ask") { (input: String, context: StepContext) in
        input + (try await context.ask(TextForm(text: input)))
      }.timeout(Duration.day)
    }
    try await testHost { tester in
      let (first, second) = (try await tester.deploy(retried), try await tester.deploy(limited))
      try await first.start(id: "r", with: "-")
      try await second.start(id: "l", with: "-")
      try await tester.advance(by: .seconds(59))
      #expect(log.all.count == 1)
      try await tester.crash()
      try await tester.advance(by: .seconds(1))
      #expect(log.all.count == 2)
      try await tester.advance(by: .seconds(120))
      #expect(try await first.finish("r") == "-!")
      _ = try await tester.question(TextForm.self, of: "l")
      try await tester.advance(by: .day)
      let failure = try await tester.failure(of: "l")
      #expect(failure.contains("time"), "\(failure)")
    }
  }

  @Test("a timer fires at its exact time, whatever its precision and the start of the clock")
  func fineTimes() async throws {
    for start in [1_767_225_600.123_456_7, 1_799_999_999.999_999_4, 12_345.678_901_2] {
      let clock = ManualWallClock(Date(timeIntervalSince1970: start))
      try await testHost(clock: clock) { tester in
        let limits: [Duration] = [.nanoseconds(333_333_333), .nanoseconds(1), .microseconds(1), .seconds(1) / 7]
        for (number, limit) in limits.enumerated() {
          let flow = Flow<String, String>("fine \(number)") {
            Step("ask") { (input: String, context: StepContext) in
              try await context.ask(TextForm(text: input), within: limit) ?? "nobody"
            }
          }
          let flows = try await tester.deploy(flow)
          try await flows.start(id: FlowID("\(number)"), with: "-")
          try await tester.advance(by: limit + .microseconds(2))
          #expect(try await flows.finish(FlowID("\(number)")) == "nobody", "\(limit) from \(start)")
        }
      }
    }
  }

  @Test("twenty flows run through fifty days of reminders, a year in all")
  func aYear() async throws {
    try await testHost(patience: Patience(.seconds(600))) { tester in
      let flows = try await tester.deploy(patient(log, days: 50))
      for number in 0..<20 { try await flows.start(id: FlowID("p\(number)"), with: "\(number)") }
      try await tester.advance(by: .day * 365)
      for number in 0..<20 { #expect(try await flows.finish(FlowID("p\(number)")) == "nobody") }
      #expect(log.all.count == 20 * 49)
    }
  }
}
