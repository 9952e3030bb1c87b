import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Observers that run around effects: what they can see, and that they can change nothing.
@Suite("Observers around effects", .timeLimit(.minutes(15))) struct EffectObserverTests {
  private let clock = ManualWallClock()
  private let log = Log()
  private let witness = Witness()

  @TaskLocal private static var span = "none"

  /// An observer whose `around` is given by a test.
  private struct Around: EffectObserver {
    let work: @Sendable (ObservedEffect, () async throws -> Void) async throws -> Void
    func observe(_ event: HostEvent) {}
    func around(_ effect: ObservedEffect, _ body: () async throws -> Void) async throws { try await work(effect, body) }
  }

  private func host(_ observers: Around...) throws -> FlowHost {
    var options = FlowHost.Options()
    options.observers = observers + [witness]
    return try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, owner: "host", options: options)
  }

  /// Charges once, and ships by an attempt. Notes the span that each runs in.
  private var flow: Flow<String, String> {
    Flow("f") {
      Step("a") { [log] (text: String, context: StepContext) in
        log.add("a in \(Self.span)")
        let charged = try await context.once("charge") { _ in
          log.add("charge in \(Self.span)")
          return text + "1"
        }
        let shipped = try await context.attempt("ship") { _ in
          log.add("ship in \(Self.span)")
          return "2"
        }
        guard case .made(let value) = shipped else { return charged }
        return charged + value
      }
    }
  }

  /// Runs the flow to its end.
  private func play(_ host: FlowHost) async throws -> Outcome<String> {
    let flows = try await host.register(flow)
    try await flows.start(id: "x", with: "-", trace: ["traceparent": "t"])
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    return try await flows.outcome(of: "x")
  }

  private var faults: [String] { witness.words(of: "x").filter { $0.hasPrefix("observer") } }

  @Test("an effect runs in the task of the innermost observer, which sees the step, the key and the trace")
  func taskLocals() async throws {
    let outer = Around { _, body in try await Self.$span.withValue("outer") { try await body() } }
    let inner = Around { effect, body in
      let words = "\(effect.step?.name ?? "none").\(effect.key).\(effect.trace["traceparent"] ?? "none")"
      try await Self.$span.withValue("\(Self.span)/\(words)") { try await body() }
    }
    #expect(try await play(try host(outer, inner)) == .finished("-12"))
    #expect(log.all == ["a in none", "charge in outer/a.charge.t", "ship in outer/a.ship.t"])
    #expect(faults == [])
  }

  @Test(
    "an observer that throws, calls twice, never calls or cancels itself changes nothing of an effect, and is reported")
  func faulty() async throws {
    let faulty: [(Around, [String])] = [
      (Around { _, _ in throw Boom() }, ["observer threw: Boom"]),
      (Around { _, _ in }, ["observer neverCalled"]),
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
      (
        Around { _, body in
          cancelCurrentTask()
          try await body()
        }, []
      ),
    ]
    for (around, reported) in faulty {
      let tests = EffectObserverTests()
      let host = try tests.host(around)
      #expect(try await tests.play(host) == .finished("-12"))
      #expect(tests.log.all == ["a in none", "charge in none", "ship in none"])
      #expect(tests.faults == reported + reported)
    }
  }

  @Test("the error of an effect reaches its observer and the step, whatever the observer does with it")
  func errors() async throws {
    for hides in [false, true] {
      let tests = EffectObserverTests()
      let log = tests.log
      let host = try tests.host(
        Around { _, body in
          do { try await body() } catch {
            log.add("saw \(type(of: error))")
            if !hides { throw error }
          }
        })
      let flows = try await host.register(
        Flow<String, String>("f") {
          Step("a") { (text: String, context: StepContext) in
            do { return try await context.once("charge") { _ -> String in throw Boom() } } catch is Boom {
              return "refused"
            }
          }
        })
      try await flows.start(id: "x", with: "-")
      _ = try await host.flow("x").settled()
      await host.isQuiet()
      #expect(try await flows.outcome(of: "x") == .finished("refused"))
      #expect(tests.log.all == ["saw Boom"])
      #expect(tests.faults == [])
    }
  }

  @Test("an observer that hangs after an effect is cancelled after its time, and the effect was recorded before")
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
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, context: StepContext) in try await context.once("charge") { _ in text } }
      })
    try await flows.start(id: "x", with: "-")
    await reached.reached()
    let words = witness.words(of: "x").filter { $0.hasPrefix("effect") || $0.hasPrefix("committed") }
    #expect(words.suffix(3) == ["effect charge of a", "effect charge: returned", "committed "])
    while log.all.isEmpty {
      // The host may not sleep yet. Each advance wakes what sleeps by then.
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    #expect(try await flows.outcome(of: "x") == .finished("-"))
    #expect(log.all == ["cancelled: true"])
    #expect(faults == ["observer late"])
  }

  @Test("an observer that hangs before an effect is passed over after its time, and cannot run the effect later")
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
        Step("a") { (text: String, context: StepContext) in
          _ = try await context.attempt("ship") { _ in
            log.add("shipped")
            gate.open()
          }
          return text
        }
      })
    try await flows.start(id: "x", with: "-")
    await reached.reached()
    while log.all.isEmpty {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    #expect(try await flows.outcome(of: "x") == .finished("-"))
    #expect(log.all == ["shipped", "notActive"])
    #expect(faults == ["observer late"])
  }

  @Test("an effect within an effect is observed within it")
  func nested() async throws {
    let host = try host(
      Around { effect, body in
        try await Self.$span.withValue("\(Self.span)/\(effect.key)") { try await body() }
      })
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { (_: String, context: StepContext) in
          try await context.once("outer") { _ in try await context.once("inner") { _ in Self.span } }
        }
      })
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("none/outer/inner"))
    #expect(faults == [])
  }

  @Test("an observed effect whose flow is abandoned meanwhile is not cancelled, and is recorded")
  func left() async throws {
    let (reached, gate, log) = (Gate(), Gate(), log)
    let host = try host(
      Around { _, body in
        try await body()
        log.add("observer cancelled: \(Task.isCancelled)")
      })
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, context: StepContext) in
          try await context.once("charge") { _ in
            reached.mark()
            await gate.pass()
            log.add("effect cancelled: \(Task.isCancelled)")
            return text
          }
        }
      })
    try await flows.start(id: "x", with: "-")
    await reached.reached()
    let abandoned = Task { try await host.flow("x").abandon() }
    while witness.words(of: "x").last != "committed abandon" { await Task.yield() }
    gate.open()
    #expect(try await abandoned.value.status == .abandoned)
    await host.isQuiet()
    #expect(log.all == ["effect cancelled: false", "observer cancelled: false"])
    #expect(witness.words(of: "x").contains("effect charge: returned"))
    #expect(faults == [])
  }

  @Test("an effect whose record exists is not observed again")
  func recorded() async throws {
    let log = log
    let host = try host(
      Around { effect, body in
        log.add("around \(effect.key)")
        try await body()
      })
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, context: StepContext) in
          let charged = try await context.once("charge") { _ in text }
          return charged + (try await context.ask(Form(text: text)))
        }
      })
    try await flows.start(id: "x", with: "-")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await host.isQuiet()
    try await host.flow("x").answer(question, with: "1")
    _ = try await host.flow("x").settled()
    #expect(try await flows.outcome(of: "x") == .finished("-1"))
    #expect(log.all == ["around charge"])
  }
}

private func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }
