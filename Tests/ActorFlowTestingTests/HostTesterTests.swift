import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Hosts under test", .timeLimit(.minutes(15))) struct HostTesterTests {
  private let log = Trace()
  private static let day = Duration.seconds(86_400)

  /// Asks for at most `days`, and reminds every day.
  private func patient(_ name: String = "patient", days: Int = 4) -> Flow<String, String> {
    Flow(name) {
      Step("ask") { [log] (input: String, context: StepContext) in
        let answer = try await context.ask(
          Slip(text: input), within: Self.day * days,
          reminding: .every(Self.day, max: 100) { number in log.add("\(input) \(number)") })
        return answer ?? "nobody"
      }
    }
  }

  @Test("time passes from timer to timer: reminders come in their order, and the deadline at its time")
  func timers() async throws {
    try await testHost { tester in
      let flows = try await tester.deploy(patient())
      try await flows.start(id: "a", with: "a")
      try await tester.advance(by: .seconds(3_600))
      try await flows.start(id: "b", with: "b")
      let due = try await tester.view(of: "b").wakeAt
      #expect(due == tester.clock.now.addingTimeInterval(86_400))
      try await tester.advance(by: Self.day * 3)
      #expect(log.all == ["a 1", "b 1", "a 2", "b 2", "a 3", "b 3"])
      try await tester.answer(Slip.self, of: "b", with: "in time")
      try await tester.advance(by: Self.day * 30)
      #expect(try await flows.finish("a") == "nobody")
      #expect(try await flows.finish("b") == "in time")
      let entries = try await tester.history(of: "a")
      #expect(entries.last?.at == entries.first?.at.addingTimeInterval(4 * 86_400))
      #expect(tester.clock.now == entries.first?.at.addingTimeInterval(33 * 86_400 + 3_600))
    }
  }

  @Test("pauses between attempts, and the time of a part, are timers as well")
  func pauses() async throws {
    let retried = Flow<String, String>("retried") {
      Step("flaky") { [log] (input: String, _: StepContext) throws -> String in
        log.add("attempt")
        guard log.all.count == 3 else { throw Mishap() }
        return input + "!"
      }.retry(5, backoff: .exponential(from: .seconds(60)))
    }
    let limited = Flow<String, String>("limited") {
      Step("ask") { (input: String, context: StepContext) in
        input + (try await context.ask(Slip(text: input)))
      }.timeout(Self.day)
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
      _ = try await tester.question(Slip.self, of: "l")
      try await tester.advance(by: Self.day)
      let failure = try await tester.failure(of: "l")
      #expect(failure.contains("time"), "\(failure)")
    }
  }

  @Test("a timer rings at its time however fine that is, and whenever the clock was started")
  func fineTimes() async throws {
    for start in [1_767_225_600.123_456_7, 1_799_999_999.999_999_4, 12_345.678_901_2] {
      let clock = ManualWallClock(Date(timeIntervalSince1970: start))
      try await testHost(clock: clock) { tester in
        let limits: [Duration] = [.nanoseconds(333_333_333), .nanoseconds(1), .microseconds(1), .seconds(1) / 7]
        for (number, limit) in limits.enumerated() {
          let flow = Flow<String, String>("fine \(number)") {
            Step("ask") { (input: String, context: StepContext) in
              try await context.ask(Slip(text: input), within: limit) ?? "nobody"
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

  @Test("a crash loses what is in memory and nothing that was acknowledged; handles work on")
  func crash() async throws {
    let holds = Holds()
    let flow = Flow<String, String>("f") {
      Step("ask") { (input: String, context: StepContext) in
        input + (try await context.ask(Slip(text: input)))
      }
      Step("work") { [log] (input: String, context: StepContext) in
        try await context.once("done") { _ in log.add("once") }
        log.add("entered")
        await holds.pass()
        return input + "!"
      }
    }
    try await testHost { tester in
      let flows = try await tester.deploy(flow)
      try await flows.start(id: "f", with: "-")
      let question = try await tester.question(Slip.self, of: "f")
      try await tester.crash()
      #expect(try await tester.question(Slip.self, of: "f").id == question.id)
      try await tester.answer(question, with: "yes")
      await holds.reached(1)
      let old = tester.host
      try await tester.crash()
      await holds.reached(2)
      holds.open()
      #expect(try await flows.finish("f") == "-yes!")
      #expect(log.all == ["once", "entered", "entered"])
      await #expect(throws: FlowError.self) { try await old.retry("f") }
      let sequences = try await tester.history(of: "f").map(\.sequence)
      #expect(sequences == Array(1...sequences.count))
    }
  }

  @Test("a deploy keeps old definitions beside the new one; flows go on with the version they began with")
  func deploy() async throws {
    func version(_ number: Int) -> Flow<String, String> {
      Flow("f") {
        Step("ask \(number)") { (input: String, context: StepContext) in
          "\(number): " + (try await context.ask(Slip(text: input)))
        }
      }
    }
    try await testHost { tester in
      let first = try await tester.deploy(version(1))
      try await first.start(id: "old", with: "-")
      let second = try await tester.deploy(version(2), version: 2)
      try await second.start(id: "new", with: "-")
      await #expect(throws: FlowError.self) { _ = try await tester.deploy(version(3), version: 2) }
      for id in ["old", "new"] as [FlowID] {
        try await tester.crash()
        try await tester.answer(Slip.self, of: id, with: "yes")
      }
      #expect(try await first.finish("old") == "1: yes")
      #expect(try await second.finish("new") == "2: yes")
    }
  }

  @Test("what the test has not asserted makes it fail, all at once")
  func exhaustive() async throws {
    let failing = Flow<String, String>("failing") {
      Step("bad") { (_: String, _: StepContext) throws -> String in throw Mishap() }
    }
    let waiting = Flow<String, String>("waiting") {
      Step("wait") { (_: String, context: StepContext) in try await context.wait(for: Signal<String>("go")) }
    }
    func leave(_ body: (HostTester) async throws -> Void) async throws -> [String] {
      do {
        try await testHost { tester in
          try await tester.deploy(patient()).start(id: "asks", with: "-")
          try await tester.deploy(failing).start(id: "fails", with: "-")
          try await tester.deploy(waiting).start(id: "waits", with: "-")
          try await tester.deploy(patient("late", days: 1)).start(id: "ended", with: "-")
          try await tester.advance(by: Self.day)
          try await body(tester)
        }
        return []
      } catch let failure as FlowTestFailure {
        return failure.message.split(separator: "\n").map { String($0.drop { $0 == " " }) }
      }
    }
    #expect(
      try await leave { _ in } == [
        "at the end of the test this was not asserted:", "asks has an open question, Slip at patient/ask",
        "ended has ended, finished", "fails stands still at failing/bad: Mishap()",
        "waits waits for the signal \"go\"",
      ])
    let rest = try await leave { tester in
      _ = try await tester.question(Slip.self, of: "asks")
      #expect(try await tester.failure(of: "fails") == "Mishap()")
      try await tester.retry("fails")  // fails again: that is news
      #expect(try await tester.signals(of: "waits") == ["go"])
      try await tester.abandon("waits", reason: "enough")
    }
    #expect(
      rest == [
        "at the end of the test this was not asserted:", "ended has ended, finished",
        "fails stands still at failing/bad: Mishap()",
      ])
    try await testHost(exhaustive: false) { tester in
      try await tester.deploy(patient()).start(id: "asks", with: "-")
    }
  }

  @Test("an expectation that is not met says where the flow stands")
  func expectations() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(patient())
      try await flows.start(id: "p", with: "-")
      let wrong = await #expect(throws: FlowTestFailure.self) { try await flows.finish("p", fileID: "F", line: 7) }
      #expect(
        wrong?.description
          == "F:7: expected p to have finished, but it has an open question, Slip at patient/ask")
      let none = await #expect(throws: FlowTestFailure.self) { try await tester.question(Other.self, of: "p") }
      #expect(none?.message.hasSuffix("but it has an open question, Slip at patient/ask") == true)
      await #expect(throws: FlowTestFailure.self) { try await tester.failure(of: "p") }
    }
  }

  @Test("a step that does not come back is named, and the test does not hang")
  func hanging() async throws {
    let (holds, real) = (Holds(), ManualClock())
    let flow = Flow<String, String>("f") {
      Step("stuck") { (input: String, _: StepContext) in
        await holds.pass()
        return input
      }
    }
    let failure = await #expect(throws: FlowTestFailure.self) {
      try await testHost(patience: Patience(.seconds(1), clock: real)) { tester in
        defer { holds.open() }
        try await tester.deploy(flow).start(id: "f", with: "-")
        await holds.reached(1)
        let impatience = Task {
          try await real.waitForSleepers()
          real.advance(by: .seconds(1))
        }
        defer { impatience.cancel() }
        try await tester.settle()
      }
    }
    #expect(failure?.message.hasSuffix(": f at f/stuck") == true)
  }

  @Test("twenty flows live through fifty days of reminders, a year in all")
  func aYear() async throws {
    try await testHost { tester in
      let flows = try await tester.deploy(patient(days: 50))
      for number in 0..<20 { try await flows.start(id: FlowID("p\(number)"), with: "\(number)") }
      try await tester.advance(by: Self.day * 365)
      for number in 0..<20 { #expect(try await flows.finish(FlowID("p\(number)")) == "nobody") }
      #expect(log.all.count == 20 * 49)
    }
  }
}

private struct Slip: Prompt, Codable {
  typealias Answer = String
  var text: String
}

private struct Other: Prompt, Codable {
  typealias Answer = String
}

private struct Mishap: Error {}

/// Where steps wait until a test lets them go, and the test until they have come.
private final class Holds: Sendable {
  private typealias Waiter = CheckedContinuation<Void, Never>
  private let state = Lock<(arrived: Int, isOpen: Bool, steps: [Waiter], tests: [(count: Int, Waiter)])>(
    (0, false, [], []))

  func pass() async {
    await withCheckedContinuation { continuation in
      let (passes, tests) = state.withLock { state in
        state.arrived += 1
        if !state.isOpen { state.steps.append(continuation) }
        let arrived = state.arrived
        defer { state.tests.removeAll { $0.count <= arrived } }
        return (state.isOpen, state.tests.filter { $0.count <= arrived })
      }
      for (_, test) in tests { test.resume() }
      if passes { continuation.resume() }
    }
  }

  func open() {
    let steps = state.withLock { state in
      defer { state.steps = [] }
      state.isOpen = true
      return state.steps
    }
    for step in steps { step.resume() }
  }

  func reached(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.arrived < count { state.tests.append((count, continuation)) }
        return state.arrived >= count
      }
      if isOver { continuation.resume() }
    }
  }
}
