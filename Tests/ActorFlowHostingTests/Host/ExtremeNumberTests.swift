import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// Options, durations and counts far outside the usual range, as an unchecked form or file may contain them.
@Suite("Extreme numbers", .timeLimit(.minutes(15))) struct ExtremeNumberTests {
  private let clock = ManualWallClock()

  private static let durations: [Duration] = [
    Duration(attoseconds: .min), Duration(attoseconds: .min + 1), .seconds(Int64.min), .seconds(-1),
    Duration(attoseconds: -1), .zero, Duration(attoseconds: 1), .seconds(1), .seconds(Int64.max),
    Duration(attoseconds: .max),
  ]
  private static let counts: [Int] = [.min, -1, 0, 1, .max]

  // MARK: - Options

  /// Each option that takes a duration, with its smallest allowed value.
  private static let options:
    [(name: String, least: Duration, set: @Sendable (inout FlowHost.Options, Duration) -> Void)] =
      [
        ("leaseTime", .milliseconds(100), { $0.leaseTime = $1 }),
        ("gracePeriod", .zero, { $0.gracePeriod = $1 }),
        ("keepHot", .zero, { $0.keepHot = $1 }),
        ("effectTime", .zero, { $0.effectTime = $1 }),
        ("pollInterval", .milliseconds(1), { $0.pollInterval = $1 }),
        ("outageLimit", .zero, { $0.outageLimit = $1 }),
      ]

  private func host(_ options: FlowHost.Options) throws -> FlowHost {
    try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, options: options)
  }

  @Test("an option out of range is refused with its name, its value and the allowed range")
  func refused() throws {
    for option in Self.options {
      for duration in Self.durations {
        var options = FlowHost.Options()
        option.set(&options, duration)
        guard duration < option.least else {
          _ = try host(options)
          continue
        }
        let error = #expect(throws: FlowError.self) { try host(options) }
        #expect(error?.code == .badOptions)
        #expect(error?.message.contains("\(option.name) is ") == true)
        #expect(error?.message.contains("must be \(option.least) or more") == true)
      }
    }
    for bytes in [.min, -1, 0, FlowSnapshot.maximumBytes + 1, .max] {
      var options = FlowHost.Options()
      options.maximumAnswerBytes = bytes
      let error = #expect(throws: FlowError.self) { try host(options) }
      #expect(error?.code == .badOptions && error?.message.contains("maximumAnswerBytes is \(bytes);") == true)
    }
    var options = FlowHost.Options()
    (options.leaseTime, options.maximumAnswerBytes) = (.zero, .max)
    let error = #expect(throws: FlowError.self) { try host(options) }
    #expect(error?.message.contains("leaseTime") == true && error?.message.contains("maximumAnswerBytes") == true)
  }

  @Test("with the smallest and the largest allowed byte limit, an answer is taken or refused")
  func bytes() async throws {
    for (bytes, isTaken) in [(1, false), (3, true), (FlowSnapshot.maximumBytes, true)] {
      var options = FlowHost.Options()
      options.maximumAnswerBytes = bytes
      let host = try host(options)
      try await host.register(Flow<String, String>("f") { Step("a") { Asker() } }).start(id: "x", with: "-")
      let question = try #require(try await host.flow("x").settled().questions.first?.id)
      let refusal = await code { try await host.flow("x").answer(question, json: "\"1\"".utf8) }
      #expect(refusal == (isTaken ? nil : .tooLarge))
    }
  }

  @Test("a host with the longest possible durations starts, runs and stops")
  func longTimes() async throws {
    for duration in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
      var options = FlowHost.Options()
      for option in Self.options where option.name != "keepHot" { option.set(&options, duration) }
      let host = try host(options)
      let flows = try await host.register(Flow<String, String>("f") { Step("a") { Asker() } })
      let run = Task { try await host.run() }
      try await clock.waitForSleepers(2)
      try await flows.start(id: "x", with: "-")
      try await host.answerNext("x", "\"1\"")
      #expect(try await flows.outcome(of: "x") == .finished("-1"))
      run.cancel()
      try await run.value
    }
  }

  // MARK: - Flows

  /// Uses a duration wherever a step or a definition takes one.
  private func flow(_ duration: Duration) -> Flow<String, String> {
    let news = Signal<String>("news")
    return Flow<String, String>("f") {
      Step("ask") { (text: String, context: StepContext) in
        let answer = try await context.ask(
          Form(text: text), within: duration, reminding: .every(duration, max: 2) { _ in })
        return text + (answer ?? "late")
      }
      .timeout(Duration(attoseconds: .max))
      .expires(afterIdle: Duration(attoseconds: .max))
      Step("wait") { (text: String, context: StepContext) in
        text + (try await context.wait(for: news, within: duration) ?? "late")
      }
      Step("fail") { (_: String, _: StepContext) -> String in throw Boom() }
        .retry(3, backoff: .exponential(from: duration, factor: .max, limit: duration))
        .recover { "\($0)" }
      Step("watched") { (text: String, context: StepContext) in
        text + (try await context.ask(Form(text: text), within: .seconds(1)) ?? "late")
      }
      .timeout(duration)
      .recover { "\($0)" }
      Step("last") { Asker() }.expires(afterIdle: duration)
    }
  }

  @Test("a flow that uses any duration for its timers is stored, activated and finished", arguments: durations)
  func flows(_ duration: Duration) async throws {
    let store = MemoryFlowStore(clock: clock)
    for number in 1...2 {
      let host = FlowHost(store: store, clock: clock)
      let flows = try await host.register(flow(duration))
      let id = FlowID("x\(number)")
      try await flows.start(id: id, with: "-")
      for _ in 0..<20 {
        let view = try await host.flow(id).settled()
        guard !view.status.isTerminal else { break }
        if let question = view.questions.first {
          _ = try? await host.flow(id).answer(question.id, with: "1")
        } else if !view.signals.isEmpty {
          _ = try await host.flow(id).send("2", to: Signal<String>("news"), key: "k")
        }
        await host.isQuiet()
        // In the second round time passes as well, as far as a clock can count.
        clock.advance(by: number == 1 ? .seconds(2) : Duration(attoseconds: .max))
        _ = try await host.catchUp()
      }
      // Some pauses of the retry end later than the clock.
      if duration > .zero { _ = try? await host.flow(id).abandon() }
      #expect(try await host.flow(id).settled().status.isTerminal, "\(duration.bounded)")
    }
  }

  @Test("a question with any number of reminders is stored, read, reminded and answered", arguments: counts)
  func reminders(max: Int) async throws {
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let reminders = Lock(0)
    let flow = Flow<String, String>("f") {
      Step("s") { (text: String, context: StepContext) in
        try await context.ask(
          Form(text: text), within: .seconds(100),
          reminding: .every(.seconds(30), max: max) { _ in reminders.withLock { $0 += 1 } }) ?? "nobody"
      }
    }
    try await host.register(flow).start(id: "x", with: "-")
    try await host.emptied()
    clock.advance(by: .seconds(70))
    try await host.catchUp()
    _ = try await host.flow("x").settled()
    #expect(reminders.withLock { $0 } == min(Swift.max(max, 0), 2))
    try await host.emptied()
    try await host.answerNext("x", "\"a\"")
    #expect(try await host.flow("x").view().status == .finished)
  }

  @Test("a negative duration counts as no time")
  func negative() async throws {
    for duration in Self.durations where duration <= .zero {
      let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
      let flows = try await host.register(flow(duration))
      try await flows.start(id: "x", with: "-")
      // No answer can arrive in time: no flow is passivated while its timer is due.
      await host.isQuiet()
      guard case .abandoned = try await flows.outcome(of: "x") else {
        Issue.record("\(try await flows.outcome(of: "x"))")
        continue
      }
    }
  }

  @Test("a timer is due at its date, however far away the date is")
  func farDates() {
    let start = clock.now
    for _ in 0..<10_000 {
      let started = start.addingTimeInterval(Double(Int.random(in: 0..<1_000_000_000_000)) / 1e6)
      let due = Duration.microseconds(Int64.random(in: 0..<200 * 31_557_600 * 1_000_000))
      let date = started.addingTimeInterval(due.wholeMicroseconds / .seconds(1))
      #expect(Duration(from: started, to: date) >= due)
    }
  }

  @Test("a sleep does not end before the timer it waits for is due")
  func latestSleep() {
    for late in [Duration.longest, .longest + .nanoseconds(1), .longest + .seconds(1), .longest + .longest] {
      #expect(late.wholeMicroseconds >= late)
    }
  }

  @Test("the time of hosts under test advances to the end of the clock and stops there")
  func tester() async throws {
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(
        Flow<String, String>("f") {
          Step("a") { Asker() }
          Step("b") { (text: String, context: StepContext) in
            try await context.ask(Form(text: text), within: .seconds(Int64.max)) ?? "late"
          }
        })
      try await flows.start(id: "x", with: "-")
      try await tester.advance(by: .seconds(60))
      try await tester.answer(Form.self, of: "x", with: "1")
      for _ in 1...2 { try await tester.advance(by: Duration(attoseconds: .max)) }
      #expect(try await tester.view(of: "x").steps == ["f/b"], "its time is over after the clock's end")
    }
  }

  @Test("waiting for a settled flow accepts no time and the longest time")
  func settled() async throws {
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    try await host.register(Flow<String, String>("f") { Step("a") { Asker() } }).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    for duration in Self.durations { #expect(try await host.flow("x").settled(within: duration).status == .waiting) }
  }

  // MARK: - Stores

  @Test("a page can be read with any limit and at any position")
  func limits() async throws {
    let folder = try Folder()
    for store in [MemoryFlowStore(clock: clock), try await folder.open()] as [any FlowStore] {
      let host = FlowHost(store: store, clock: clock)
      let flows = try await host.register(Flow<String, String>("f") { Step("a") { Asker() } })
      for id in ["x", "y"] {
        try await flows.start(id: FlowID(id), with: "-")
        _ = try await host.flow(FlowID(id)).settled()
      }
      for count in Self.counts {
        let expected = count > 1 ? 2 : 1
        #expect(try await host.list(limit: count).flows.count == expected)
        #expect(try await host.tasks(limit: count).tasks.count == expected)
        #expect(try await host.flow("x").history(limit: count).count >= expected)
        _ = try await host.flow("x").history(after: count)
      }
    }
  }

  @Test("leases and claims accept any duration and any limit")
  func leases() async throws {
    for duration in Self.durations {
      let store = MemoryFlowStore(clock: clock)
      let (ann, bob) = (
        try await store.attach(owner: "ann", for: duration), try await store.attach(owner: "bob", for: duration)
      )
      #expect(ann.until >= clock.now)
      #expect(try await store.beat(ann, for: duration).until >= clock.now)
      _ = try await store.acquire("x", under: ann)
      for count in Self.counts {
        _ = try await store.claimDue(under: bob, serving: ["f": 1...1], limit: count)
        _ = try await store.leased(to: bob, after: nil, limit: count)
      }
    }
    #expect(Revision(.max).next == Revision(.max))
  }
}
