import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// Questions and waits of child tasks that a step gives up because another one was first.
@Suite("Hosted steps that give up waiting", .timeLimit(.minutes(15))) struct GivenUpTests {
  /// A race of a question and a signal, and what follows it.
  struct Race: CustomTestStringConvertible, Sendable {
    var asksFirst: Bool
    var answers: Bool
    var hasLimit: Bool
    /// Whether the race stands in a branch of a fork.
    var isBranch = false

    var testDescription: String {
      "\(asksFirst ? "ask, wait" : "wait, ask"), \(answers ? "answered" : "received")\(hasLimit ? ", within" : "")"
        + (isBranch ? ", in a branch" : "")
    }

    static let all = [true, false].flatMap { asksFirst in
      [true, false].flatMap { answers in
        [true, false].flatMap { hasLimit in
          [true, false].map { Race(asksFirst: asksFirst, answers: answers, hasLimit: hasLimit, isBranch: $0) }
        }
      }
    }

    var winner: String { answers ? "answered" : "received" }
    var outcome: String { "\(winner), then second, sent" }
  }

  static let go = Signal<String>("go")

  /// Races, asks once more, and waits for the signal once more.
  static func flow(
    _ race: Race, after: @escaping @Sendable (StepContext) async throws -> Void = { _ in }
  ) -> Flow<String, String> {
    let step = Step<String, String>("step") { _, context in
      let first = try await Self.first(race, context)
      try await after(context)
      let second = try await context.ask(Form(text: "then"))
      return "\(first), then \(second), \(try await context.wait(for: Self.go))"
    }
    guard race.isBranch else { return Flow("races") { step } }
    return Flow("races") {
      Parallel {
        step
        Step<String, String>("beside") { input, context in try await context.ask(Form(text: "beside")) }
      } join: { first, _ in
        first
      }
    }
  }

  static func first(_ race: Race, _ context: StepContext) async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in
      let asks: @Sendable @concurrent () async throws -> String = { try await context.ask(Form(text: "race")) }
      let waits: @Sendable @concurrent () async throws -> String = {
        guard race.hasLimit else { return try await context.wait(for: Self.go) }
        return try await context.wait(for: Self.go, within: .seconds(1_000)) ?? "nothing"
      }
      if race.asksFirst { group.addTask(operation: asks) } else { group.addTask(operation: waits) }
      if race.asksFirst { group.addTask(operation: waits) } else { group.addTask(operation: asks) }
      defer { group.cancelAll() }
      return try await group.next() ?? "-"
    }
  }

  /// Waits until the calling task is cancelled, and throws.
  static func cancellation() async throws {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
    throw CancellationError()
  }

  /// Plays a race to its end; when a host crashes, with another one. Returns nil if the flow does not end.
  private func play(_ race: Race, _ flow: Flow<String, String>, on store: CrashingStore) async throws -> String? {
    while true {
      let host = FlowHost(store: store.next(), owner: "host")
      do {
        let flows = try await host.register(flow)
        for _ in 0..<60 {
          try await flows.start(id: "f", with: "-")
          if let end = try await Self.turn(race, host, flows, { store.hasCrashed }) { return end }
          try store.requireRunning()
        }
        return nil
      } catch is FlowStoreError { await host.die() }
    }
  }

  /// Does what the flow waits for; after the end, returns its outcome.
  private static func turn(
    _ race: Race, _ host: FlowHost, _ flows: RegisteredFlow<String, String>,
    _ hasCrashed: @Sendable () -> Bool = { false }
  ) async throws -> String? {
    let view = try await host.whenIdle("f", unless: hasCrashed)
    switch view.status {
    case .finished:
      guard case .finished(let end) = try await flows.outcome(of: "f") else { return "?" }
      return end
    case .waiting: break
    case .runnable: return nil  // its host has died
    default: return "\(view.status) \(view.failure ?? "")"
    }
    let texts = try view.questions.map { (try $0.prompt(as: Form.self).text, $0.id) }
    if let (_, id) = texts.first(where: { $0.0 == "beside" }) {
      try await host.flow("f").answer(id, with: "!", key: "beside")
    } else if let (_, id) = texts.first(where: { $0.0 == "race" }) {
      if race.answers { return try await answer(id, "answered", host) }
      try await host.flow("f").send("received", to: go, key: "race")
    } else if let (_, id) = texts.first {
      // The signal arrives while no wait is open: the wait that was given up must not get it.
      try await host.flow("f").send("sent", to: go, key: "last")
      return try await answer(id, "second", host)
    } else {
      try await host.flow("f").send("sent", to: go, key: "last")
    }
    return nil
  }

  private static func answer(_ id: Question.ID, _ answer: String, _ host: FlowHost) async throws -> String? {
    do { try await host.flow("f").answer(id, with: answer, key: answer) } catch let error as FlowError
      where error.code == .questionClosed || error.code == .flowEnded
    {}
    return nil
  }

  @Test("the winner of the race is the winner in every replay", arguments: Race.all)
  func passivated(_ race: Race) async throws {
    #expect(try await play(race, Self.flow(race), on: CrashingStore()) == race.outcome)
  }

  @Test("the winner stays the same after a crash at every commit", arguments: Race.all)
  func crashed(_ race: Race) async throws {
    for number in 1... {
      let store = CrashingStore(crashingAfter: [number])
      #expect(try await play(race, Self.flow(race), on: store) == race.outcome, "died after commit \(number)")
      guard store.takeovers > 0 else { break }
    }
  }

  @Test("a step that fails after the race and is retried continues as if it had not failed", arguments: Race.all)
  func retried(_ race: Race) async throws {
    let failures = Lock(1)
    let flow = Self.flow(race) { _ in
      let fails = failures.withLock { left in
        defer { left -= 1 }
        return left > 0
      }
      if fails { throw Boom() }
    }
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    if race.isBranch { _ = try await Self.turn(race, host, flows) }
    _ = try await Self.turn(race, host, flows)
    #expect(try await host.whenIdle("f").status == .suspended)
    try await host.flow("f").retry()
    _ = try await Self.turn(race, host, flows)
    #expect(try await host.whenIdle("f").status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished(race.outcome))
  }

  @Test("a wait in a later part of a step is not taken for one that an earlier part gave up", arguments: [true, false])
  func laterPart(_ asksBetween: Bool) async throws {
    let isReplay = Lock(false)
    let part: @Sendable (StepContext) async throws -> String = { context in
      let waits: @Sendable @concurrent () async throws -> String = {
        var received = try await context.wait(for: Self.go)
        while received == "more" {
          // In a replay the first part cancels this child before it waits again.
          if isReplay.withLock({ $0 }) { try await Self.cancellation() }
          received = try await context.wait(for: Self.go)
        }
        return received
      }
      return try await withThrowingTaskGroup(of: String.self) { group in
        group.addTask { try await context.ask(Form(text: "part")) }
        group.addTask(operation: waits)
        defer { group.cancelAll() }
        return try await group.next() ?? "-"
      }
    }
    let flow = Flow<String, String>("f") {
      Step("step") { (_: String, context: StepContext) in
        let first = try await part(context)
        let between =
          try await asksBetween ? context.ask(Form(text: "between")) : context.once("between") { _ in "paid" }
        return "\(first) \(between) \(try await part(context))"
      }
    }
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    _ = try await host.whenIdle("f")
    try await host.flow("f").send("more", to: Self.go, key: "1")
    _ = try await host.whenIdle("f")
    isReplay.withLock { $0 = true }
    try await host.flow("f").answer(Form.self, with: "answered")
    _ = try await host.whenIdle("f")
    if asksBetween { try await host.flow("f").answer(Form.self, with: "asked") }
    _ = try await host.whenIdle("f")
    try await host.flow("f").send("sent", to: Self.go, key: "2")
    #expect(try await host.whenIdle("f").status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("answered \(asksBetween ? "asked" : "paid") sent"))
  }

  @Test("a child that waits beside several questions of its step gets its signal, also after a crash at every commit")
  func beside() async throws {
    let flow = Flow<String, String>("f") {
      Step("step") { (_: String, context: StepContext) in
        async let sent = context.wait(for: Self.go)
        let first = try await context.ask(Form(text: "first"))
        let second = try await context.ask(Form(text: "second"))
        return try await "\(first) \(second) \(sent)"
      }
    }
    for number in 1... {
      let store = CrashingStore(crashingAfter: [number])
      #expect(try await playBeside(flow, on: store) == "1 2 sent", "died after commit \(number)")
      guard store.takeovers > 0 else { break }
    }
  }

  @Test("a child that is slow in one process and quick in the next one is not held for ever")
  func slowThenQuick() async throws {
    let isSlow = Lock(false)
    let waits: @Sendable @concurrent (StepContext) async throws -> String = { context in
      if isSlow.withLock({ $0 }) { try await Self.cancellation() }
      return try await context.wait(for: Self.go)
    }
    let quick: @Sendable (StepContext) async throws -> Void = { context in
      // The step's own task lets the child come first.
      if isSlow.withLock({ !$0 }) { for _ in 0..<200 { await Task.yield() } }
    }
    let flow = Flow<String, String>("f") {
      Step("step") { (_: String, context: StepContext) in
        async let sent = waits(context)
        try await quick(context)
        let first = try await context.ask(Form(text: "first"))
        let second = try await context.ask(Form(text: "second"))
        return try await "\(first) \(second) \(sent)"
      }
    }
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    _ = try await host.whenIdle("f")
    isSlow.withLock { $0 = true }
    try await host.flow("f").answer(Form.self, with: "1")
    #expect(try await host.whenIdle("f").questions.count == 1)
    isSlow.withLock { $0 = false }
    try await host.flow("f").answer(Form.self, with: "2")
    try await host.flow("f").send("sent", to: Self.go, key: "1")
    #expect(try await host.flow("f").settled(within: .seconds(600)).status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("1 2 sent"))
  }

  private func playBeside(_ flow: Flow<String, String>, on store: CrashingStore) async throws -> String? {
    // A flow of which only a child waits is not idle.
    let isAnswered = Lock(false)
    let isOver: @Sendable () -> Bool = { store.hasCrashed || isAnswered.withLock { $0 } }
    while true {
      let host = FlowHost(store: store.next(), owner: "host")
      do {
        let flows = try await host.register(flow)
        for _ in 0..<2_000 {
          try await flows.start(id: "f", with: "-")
          let view = try await host.whenIdle("f", unless: isOver)
          if view.status == .finished {
            guard case .finished(let end) = try await flows.outcome(of: "f") else { return "?" }
            return end
          }
          if let question = view.questions.first {
            let isFirst = try question.prompt(as: Form.self).text == "first"
            _ = try await Self.answer(question.id, isFirst ? "1" : "2", host)
            if isFirst { continue }
            isAnswered.withLock { $0 = true }
          }
          try await host.flow("f").send("sent", to: Self.go, key: "last")
          await Task.yield()
          try store.requireRunning()
        }
        return nil
      } catch is FlowStoreError { await host.die() }
    }
  }

  @Test("a question given up only because the step failed is asked again when the step is retried")
  func failing() async throws {
    let failures = Lock(2)
    let flow = Flow<String, String>("f") {
      Step("step") { (_: String, context: StepContext) in
        async let sent = context.wait(for: Self.go)
        let price = try await context.once("price") { _ in "1" }
        let place = try await context.once("place") { _ in
          let fails = failures.withLock { left in
            defer { left -= 1 }
            return left > 0
          }
          if fails { throw Boom() }
          return "2"
        }
        return try await "\(price)\(place) \(sent)"
      }
    }
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    for _ in 1...2 {
      #expect(try await host.whenIdle("f").status == .suspended)
      try await host.flow("f").retry()
    }
    try await host.flow("f").send("sent", to: Self.go, key: "1")
    #expect(try await host.whenIdle("f").status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("12 sent"))
  }

  @Test("a reminder that throws fails the step; the question is asked again when the step is retried")
  func reminded() async throws {
    let clock = ManualWallClock()
    let failures = Lock(1)
    let flow = Flow<String, String>("f") {
      Step("step") { (_: String, context: StepContext) in
        try await context.ask(
          Form(text: "name"), within: nil,
          reminding: .every(.seconds(10), max: 9) { _ in
            let fails = failures.withLock { left in
              defer { left -= 1 }
              return left > 0
            }
            if fails { throw Boom() }
          }) ?? "late"
      }
    }
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    _ = try await host.whenIdle("f")
    clock.advance(by: .seconds(10))
    try await host.catchUp()
    #expect(try await host.flow("f").view().status == .suspended)
    try await host.flow("f").retry()
    #expect(try await host.whenIdle("f").questions.count == 1)
    try await host.flow("f").answer(Form.self, with: "Ada")
    #expect(try await host.whenIdle("f").status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("Ada"))
  }

  @Test("a question or wait that a replay no longer makes is closed when the step returns")
  func changed() async throws {
    let store = MemoryFlowStore()
    let before = FlowHost(store: store)
    let first = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) in
        async let sent = context.wait(for: Self.go)
        return try await "\(context.ask(Form(text: "old")))\(sent)"
      }
      Step("b") { (input: String, context: StepContext) in try await context.ask(Form(text: "new")) }
    }
    try await before.register(first).start(id: "f", with: "-")
    _ = try await before.whenIdle("f")
    try await before.catchUp()
    let stored = try await before.flow("f").view()
    #expect(stored.questions.count == 1)
    // The flow may have been passivated before the child task began to wait.
    let stopped = stored.signals.map { _ in "stoppedWaiting" }
    let after = FlowHost(store: store)
    let second = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) in "x" }
      Step("b") { (input: String, context: StepContext) in try await context.ask(Form(text: "new")) }
    }
    let flows = try await after.register(second)
    try await after.flow("f").send("sent", to: Signal<String>("other"), key: "1")
    let view = try await after.whenIdle("f")
    #expect(try view.questions.map { try $0.prompt(as: Form.self).text } == ["new"])
    #expect(view.questions.first?.step == "f/b")
    #expect(view.signals.isEmpty)
    let closed = ["withdrawn"] + stopped + ["moved", "asked"]
    #expect(try await after.flow("f").history().map(\.what).suffix(closed.count) == closed[...])
    try await after.flow("f").answer(Form.self, with: "!")
    #expect(try await after.whenIdle("f").status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("!"))
  }
}
