import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Observers that run around steps: what they can see, and that they can change nothing.
@Suite("Observers around steps", .timeLimit(.minutes(15))) struct StepObserverTests {
  private let clock = ManualWallClock()
  private let log = Log()
  private let witness = Witness()

  @TaskLocal private static var span = "none"

  /// An observer whose `around` is given by a test.
  private struct Around: StepObserver {
    let work: @Sendable (ObservedStep, () async throws -> Void) async throws -> Void
    func observe(_ event: HostEvent) {}
    func around(_ step: ObservedStep, _ body: () async throws -> Void) async throws { try await work(step, body) }
  }

  private func host(_ observers: Around...) throws -> FlowHost {
    try FlowHost(
      store: MemoryFlowStore(clock: clock), clock: clock, owner: "host", options: observed(by: observers))
  }

  private func observed(by observers: [Around]) -> FlowHost.Options {
    var options = FlowHost.Options()
    options.observers = observers + [witness]
    return options
  }

  /// Asks, and pays once. Notes the span that it runs in.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { [log] (text: String, context: StepContext) in
        log.add("a in \(Self.span)")
        let answer = try await context.ask(Form(text: text))
        return try await context.once("charge") { _ in
          log.add("charge in \(Self.span)")
          return text + answer
        }
      }
    }
  }

  /// Runs the flow to its end, answering once.
  private func play(_ host: FlowHost) async throws -> Outcome<String> {
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "-")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await host.isQuiet()
    try await host.flow("x").answer(question, with: "1")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    return try await flows.outcome(of: "x")
  }

  private static func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

  private var faults: [String] {
    witness.words(of: "x").filter { $0.hasPrefix("observer") }
  }

  @Test("the step runs in the task of the innermost observer, also when it is replayed")
  func taskLocals() async throws {
    let outer = Around { _, body in try await Self.$span.withValue("outer") { try await body() } }
    let inner = Around { step, body in
      try await Self.$span.withValue("\(Self.span)/\(step.step.name)\(step.isReplay ? "'" : "")") { try await body() }
    }
    #expect(try await play(try host(outer, inner)) == .finished("-1"))
    #expect(log.all == ["a in outer/a", "a in outer/a'", "charge in outer/a'"])
    #expect(faults == [])
  }

  @Test("an observer that throws, calls twice, or never calls changes nothing of the flow, and is reported")
  func faulty() async throws {
    let faulty: [(Around, [String])] = [
      (Around { _, _ in throw Boom() }, ["observer threw: Boom", "observer threw: Boom"]),
      (Around { _, _ in }, ["observer neverCalled", "observer neverCalled"]),
      (
        Around { _, body in
          try await body()
          throw Boom()
        }, ["observer threw: Boom"]
      ),
      (
        Around { _, body in
          try await body()
          try await body()
        }, ["observer calledTwice"]
      ),
    ]
    for (around, reported) in faulty {
      let tests = StepObserverTests()
      let host = try tests.host(around)
      #expect(try await tests.play(host) == .finished("-1"))
      #expect(tests.log.all == ["a in none", "a in none", "charge in none"])
      #expect(tests.faults == reported)
      #expect(await host.health().lastObserverFault?.flow == "x")
      let history = try await host.flow("x").history().map(\.what)
      #expect(history == ["launched", "moved", "asked", "answered", "finished"])
    }
  }

  @Test("an observer that hangs before the step is passed over after its time, and cannot run the step later")
  func hangingBefore() async throws {
    let (reached, gate, log) = (Gate(), Gate(), log)
    let host = try host(
      Around { _, body in
        reached.mark()
        await gate.pass()
        do { try await body() } catch { log.add("\((error as? FlowError)?.code.description ?? "\(error)")") }
      })
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { [log] (text: String, _: StepContext) in
          log.add("a")
          gate.open()
          return text
        }
      })
    try await flows.start(id: "x", with: "-")
    await reached.reached()
    while log.all.isEmpty {
      // The host may not sleep yet. Each advance wakes what sleeps by then.
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    #expect(try await flows.outcome(of: "x") == .finished("-"))
    #expect(log.all == ["a", "notActive"])
    #expect(faults == ["observer late"])
  }

  @Test("an observer that hangs after the step is cancelled after its time")
  func hangingAfter() async throws {
    let (reached, log) = (Gate(), log)
    let host = try host(
      Around { _, body in
        try await body()
        reached.mark()
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        log.add("cancelled: \(Task.isCancelled)")
      })
    let flows = try await host.register(Flow<String, String>("f") { Step("a") { (text: String) in text } })
    try await flows.start(id: "x", with: "-")
    await reached.reached()
    while log.all.isEmpty {
      // The host may not sleep yet. Each advance wakes what sleeps by then.
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("-"))
    #expect(log.all == ["cancelled: true"])
    #expect(faults == ["observer late"])
  }

  @Test("a flow that is abandoned while an observer hangs before the step ends, and nothing is reported")
  func abandonedWhileHanging() async throws {
    let reached = Gate()
    let host = try host(
      Around { _, body in
        reached.mark()
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        try await body()
      })
    try await host.register(flow).start(id: "x", with: "-")
    await reached.reached()
    try await host.flow("x").abandon()
    #expect(try await host.flow("x").view().status == .abandoned)
    #expect(faults == [])
  }

  @Test("a step's error reaches the observer and the flow, whatever the observer does with it")
  func errors() async throws {
    for swallows in [false, true] {
      let (tests, seen) = (StepObserverTests(), Log())
      let host = try tests.host(
        Around { _, body in
          do { try await body() } catch {
            seen.add("\(type(of: error))")
            if !swallows { throw error }
          }
        })
      let flows = try await host.register(
        Flow<String, String>("f") { Step("a") { (_: String) -> String in throw Boom() } })
      try await flows.start(id: "x", with: "-")
      _ = try await host.flow("x").settled()
      await host.isQuiet()
      #expect(seen.all == ["Boom"])
      #expect(try await host.flow("x").view().status == .suspended)
      #expect(tests.witness.words(of: "x").contains("suspended at a: Boom"))
      #expect(tests.faults == [])
    }
  }

  @Test("an observer that cancels its own task changes nothing of the flow", arguments: ["before", "after"])
  func cancelsItself(moment: String) async throws {
    let host = try host(
      Around { _, body in
        try await Self.$span.withValue("around") {
          if moment == "before" { Self.cancelCurrentTask() }
          try await body()
          if moment == "after" { Self.cancelCurrentTask() }
        }
      })
    #expect(try await play(host) == .finished("-1"))
    #expect(log.all == ["a in around", "a in around", "charge in around"])
    #expect(faults == [])
  }

  @Test("an observer that cancels its own task and throws is reported, and one that never calls the step")
  func cancelsItselfAndThrows() async throws {
    for calls in [true, false] {
      let tests = StepObserverTests()
      let host = try tests.host(
        Around { _, body in
          Self.cancelCurrentTask()
          if calls { try await body() }
          try Task.checkCancellation()
        })
      #expect(try await tests.play(host) == .finished("-1"))
      let fault = calls ? "threw: CancellationError" : "neverCalled"
      #expect(tests.faults.contains("observer \(fault)") == true, "\(tests.faults)")
    }
  }

  @Test("a step that is left is cancelled, although its observer has cancelled its own task", arguments: [false, true])
  func leftWithinAround(cancels: Bool) async throws {
    let (reached, log) = (Gate(), log)
    let host = try host(
      Around { _, body in
        if cancels { Self.cancelCurrentTask() }
        try await body()
      },
      Around { _, body in try await body() })
    try await host.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, _: StepContext) in
          log.add("cancelled before: \(Task.isCancelled)")
          reached.mark()
          let never = AsyncStream<Void>.makeStream()
          for await _ in never.stream {}
          log.add("cancelled: \(Task.isCancelled)")
          return text
        }
      }
    ).start(id: "x", with: "-")
    await reached.reached()
    try await host.flow("x").abandon()
    #expect(try await host.flow("x").view().status == .abandoned)
    #expect(log.all == ["cancelled before: false", "cancelled: true"])
    #expect(faults == [])
  }

  @Test("the time of observers is checked")
  func badTime() {
    var options = FlowHost.Options()
    options.observerTime = .zero
    #expect(throws: FlowError.self) { try FlowHost(store: MemoryFlowStore(), options: options) }
  }
}
