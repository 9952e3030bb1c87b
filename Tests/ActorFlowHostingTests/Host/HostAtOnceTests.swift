import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// A step that asks and waits at once has a task for each: the work of one task must not be cut off because the other
/// one waits.
@Suite("Hosted steps that ask and wait at once", .timeLimit(.minutes(15))) struct HostAtOnceTests {
  private let store = MemoryFlowStore()
  private let log = Log()
  private static let paid = Signal<Int>("paid")

  /// Asks twice, one after the other, while it waits for a payment.
  private func flow(_ work: @escaping @Sendable () async -> Void = {}) -> Flow<String, String> {
    Flow("order") {
      Step("counter") { [log] (_: String, context: StepContext) in
        log.add("made")
        async let paid = context.wait(for: Self.paid)
        let name = try await context.ask(Form(text: "name"))
        await work()
        let place = try await context.once("place") { _ in
          log.add("found")
          return "\(name)'s place"
        }
        let note = try await context.ask(Form(text: place))
        return try await "\(name), \(note), \(paid)"
      }
    }
  }

  @Test("the work after the answer is done and the next question asked, although the signal has not arrived")
  func goesOn() async throws {
    let host = FlowHost(store: store)
    let orders = try await host.register(flow())
    try await orders.start(id: "o", with: "-")
    let asked = try await host.answerNext("o", #""Ada""#)
    #expect(try asked.questions.map { try $0.prompt(as: Form.self).text } == ["Ada's place"])
    #expect(asked.status == .waiting, "as much is open as before: it is passivated")
    try await host.flow("o").answer(Form.self, with: "thanks")
    try await host.flow("o").send(3, to: Self.paid, key: "1")
    #expect(try await host.flow("o").settled().status == .finished)
    #expect(try await orders.outcome(of: "o") == .finished("Ada, thanks, 3"))
    #expect(log.all.count { $0 == "found" } == 1)
  }

  @Test("a flow is not passivated while one of its tasks works, and its stored status says so")
  func staysWhileAtWork() async throws {
    let gate = Gate()
    let host = FlowHost(store: store)
    let orders = try await host.register(flow { await gate.pass() })
    try await orders.start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    try await host.flow("o").answer(Form.self, with: "Ada")
    await gate.reached(1)
    #expect(try await host.flow("o").view().status == .runnable)
    try await host.flow("o").send(3, to: Self.paid, key: "1")
    gate.open()
    try await host.answerNext("o", #""thanks""#)
    #expect(try await orders.outcome(of: "o") == .finished("Ada, thanks, 3"))
    #expect(log.all.count { $0 == "made" } <= 2, "for the first question, and from the first answer to the end")
  }

  @Test("a host that dies while a task works leaves the task to the next host")
  func dies() async throws {
    let clock = ManualWallClock()
    let store = MemoryFlowStore(clock: clock)
    let gate = Gate()
    let first = FlowHost(store: store, clock: clock, owner: "first")
    let begun = try await first.register(flow { await gate.pass() })
    try await begun.start(id: "o", with: "-")
    _ = try await first.flow("o").settled()
    try await first.flow("o").answer(Form.self, with: "Ada")
    await gate.reached(1)
    // The host dies: it does nothing any more.
    clock.advance(by: .seconds(31))
    let second = FlowHost(store: store, clock: clock, owner: "second")
    let orders = try await second.register(flow())
    let view = try await second.flow("o").settled()
    #expect(try view.questions.map { try $0.prompt(as: Form.self).text } == ["Ada's place"])
    #expect(view.status == .waiting)
    try await second.flow("o").send(3, to: Self.paid, key: "1")
    #expect(try await second.flow("o").settled().questions.map(\.id) == view.questions.map(\.id))
    try await second.flow("o").answer(Form.self, with: "thanks")
    #expect(try await second.flow("o").settled().status == .finished)
    #expect(try await orders.outcome(of: "o") == .finished("Ada, thanks, 3"))
    gate.open()
  }

  @Test("a flow is not passivated because a child task waits while another child task is about to ask")
  func childWaits() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("order") {
      Step("counter") { (_: String, context: StepContext) in
        try await withThrowingTaskGroup(of: String?.self) { group in
          group.addTask {
            _ = try await context.wait(for: Self.paid)
            return "paid"
          }
          group.addTask {
            await gate.pass()
            return try await context.ask(Form(text: "name"))
          }
          defer { group.cancelAll() }
          return try await group.next().flatMap(\.self) ?? ""
        }
      }
    }
    let host = FlowHost(store: store)
    let orders = try await host.register(flow)
    try await orders.start(id: "o", with: "-")
    await gate.reached(1)
    while try await host.flow("o").view().signals.isEmpty { await Task.yield() }
    #expect(try await host.flow("o").view().status == .runnable)
    gate.open()
    let view = try await host.flow("o").settled()
    #expect(view.status == .waiting && view.questions.count == 1)
    try await host.flow("o").answer(Form.self, with: "Ada")
    #expect(try await host.flow("o").settled().status == .finished)
    #expect(try await orders.outcome(of: "o") == .finished("Ada"))
  }

  @Test("a flow is not passivated while a `once` is running, whatever else is open")
  func onceAtWork() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("order") {
      Step("counter") { (_: String, context: StepContext) in
        async let found = context.once("find") { _ in
          await gate.pass()
          return "found"
        }
        let name = try await context.ask(Form(text: "name"))
        return try await "\(name), \(found)"
      }
    }
    let host = FlowHost(store: store)
    let orders = try await host.register(flow)
    try await orders.start(id: "o", with: "-")
    await gate.reached(1)
    while try await host.flow("o").view().questions.isEmpty { await Task.yield() }
    #expect(try await host.flow("o").view().status == .runnable)
    gate.open()
    while try await host.flow("o").view().status != .waiting { await Task.yield() }
    try await host.flow("o").answer(Form.self, with: "Ada")
    #expect(try await host.flow("o").settled().status == .finished)
    #expect(try await orders.outcome(of: "o") == .finished("Ada, found"))
  }
}
