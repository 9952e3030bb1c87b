import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Failed `backUp`s that are called again beside their flow: after a back, a handled failure, a race, and the end.
@Suite("Compensating again", .timeLimit(.minutes(15))) struct CompensatingAgainTests {
  private let till: Till
  private let store: MemoryFlowStore

  init() { self.init(Till(), MemoryFlowStore()) }
  private init(_ till: Till, _ store: MemoryFlowStore) { (self.till, self.store) = (till, store) }

  private func order(_ gate: Gate? = nil) -> Flow<String, String> {
    Flow("order") {
      Step("card") { Asker() }
      Step("pay") { Charge("pay", till) }
      Step("ship") { Charge("ship", till) }
      Step("sign") { Signing(gate) }
      Step("after") { Asker() }
    }
  }

  private func host(_ owner: String = "host", on store: (any FlowStore)? = nil) -> FlowHost {
    FlowHost(store: store ?? self.store, owner: owner)
  }

  /// Plays an order to the question of `sign`, and back to that of `card`, while these steps cannot refund.
  private func orderBackedUp(_ broken: Set<String>, on host: FlowHost) async throws {
    try await host.register(order()).start(id: "o", with: "-")
    try await host.answerNext("o", "\"x\"")
    till.breaks(broken)
    #expect(await code { try await host.flow("o").backUp() } == (broken.isEmpty ? nil : .rollbackFailed))
    _ = try await host.flow("o").settled()
  }

  private func owed(_ host: FlowHost) async throws -> [StepID?] {
    try await host.flow("o").view().undoFailures.filter(\.isOwed).map(\.step)
  }

  @Test("while a note on an ended flow is being written, no backUp is called, and each is called once afterwards")
  func besideNote() async throws {
    let faulty = FaultyStore(store)
    let host = host(on: faulty)
    try await orderBackedUp([], on: host)
    till.breaks(["pay"])
    try await host.answerNext("o", "\"x\"")
    #expect(await code { try await host.flow("o").abandon() } == .rollbackFailed)
    await host.isQuiet()
    till.breaks([])
    let (gate, calls) = (Gate(), till.refunds)
    let held = faulty.count(of: .commit) + 1
    faulty.plan { call in
      call.operation == .commit && call.numberOfOperation == held ? .delay { await gate.pass() } : nil
    }
    async let noted = host.flow("o").note("seen", by: Principal(id: "ann"))
    await gate.reached()
    async let compensated = host.flow("o").compensateAgain()
    for _ in 0..<1_000 { await Task.yield() }
    #expect(till.refunds == calls)
    gate.open()
    _ = try await noted
    _ = try await compensated
    #expect(till.refunds.count == calls.count + 1)
    #expect(try await owed(host) == [])
    let whats = try await host.flow("o").history().map(\.what)
    #expect(whats.suffix(2) == ["noted", "compensated"])
  }

  @Test("after a back each is called again with its records, while the question of the flow stays open")
  func afterBack() async throws {
    let host = host()
    try await orderBackedUp(["pay", "ship"], on: host)
    let before = try await host.flow("o").view()
    #expect(before.status == .waiting && before.rollbackFailed && before.steps == ["order/card"])
    #expect(try await owed(host) == ["order/ship", "order/pay"])
    #expect(try await host.list(FlowQuery(status: [.waiting], rollbackFailed: true)).flows.map(\.id) == ["o"])
    till.breaks(["pay"])
    let ann = Principal(id: "ann")
    let error = await #expect(throws: FlowError.self) {
      try await host.flow("o").compensateAgain(reason: "bank is back", by: ann)
    }
    #expect(error?.code == .rollbackFailed && error?.underlyingErrors.count == 1)
    #expect(try await owed(host) == ["order/pay"])
    till.breaks([])
    #expect(await code { try await host.flow("o").compensateAgain("ship") } == .notActive)
    #expect(await code { try await host.flow("o").compensateAgain("elsewhere") } == .notActive)
    let done = try await host.flow("o").compensateAgain("pay", reason: "now", by: ann)
    #expect(done.undoFailures.isEmpty && !done.rollbackFailed && done.questions.map(\.id) == before.questions.map(\.id))
    #expect(await code { try await host.flow("o").compensateAgain() } == .notActive)
    #expect(till.refunds == ["ship", "pay"] && till.doubles.isEmpty)
    let history = try await host.flow("o").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    let entries = history.filter { $0.what.hasPrefix("compensat") }
    #expect(entries.map(\.what) == ["compensated", "compensationFailed", "compensated"])
    #expect(entries.map(\.step) == ["order/ship", "order/pay", "order/pay"])
    #expect(entries.map(\.by) == ["ann", "ann", "ann"])
    #expect(entries.map(\.detail) == ["bank is back", "bank is back: \(Boom())", "now"])
    try await host.answerNext("o", "\"y\"")
    #expect(try await host.flow("o").settled().steps == ["order/sign"])
  }

  @Test("the step that a back lands on keeps its records, and its failed backUp is none to call again")
  func landed() async throws {
    let host = host()
    let flow = Flow<String, String>("order") {
      Step("pay") { Charge("pay", till, asks: true) }
      Step("sign") { Asker() }
    }
    try await host.register(flow).start(id: "o", with: "-")
    try await host.answerNext("o", "\"x\"")
    till.breaks(["pay"])
    #expect(await code { try await host.flow("o").backUp() } == .rollbackFailed)
    #expect(try await host.flow("o").settled().undoFailures.isEmpty)
    till.breaks([])
    try await host.answerNext("o", "\"x\"")
    #expect(till.charges.count == 1, "the charge is the visit's that follows")
    try await host.flow("o").abandon()
    #expect(till.refunds == ["pay"])
  }

  @Test("a flow that has finished keeps what it owes, and its output when that is called again")
  func finished() async throws {
    let host = host()
    try await orderBackedUp(["ship"], on: host)
    while try await host.flow("o").settled().status != .finished { try await host.answerNext("o", "\"y\"") }
    await host.isQuiet()
    let finished = try await host.flow("o").view()
    #expect(finished.rollbackFailed && finished.undoFailures.map(\.step) == ["order/ship"])
    #expect(await code { try await host.flow("o").redact() } == .rollbackFailed)
    till.breaks([])
    #expect(await code { try await host.flow("o").retry() } == .flowEnded)
    try await host.flow("o").compensateAgain()
    let done = try await host.flow("o").settled()
    #expect(done.status == .finished && done.output == finished.output && done.output != nil && !done.rollbackFailed)
    #expect(till.refunds == ["pay", "ship"])
    await host.isQuiet()
    try await host.flow("o").redact()
  }

  @Test("what failed at a back and what failed at the end are both owed after the end")
  func both() async throws {
    let host = host()
    try await orderBackedUp(["ship"], on: host)
    till.breaks(["pay"])
    try await host.answerNext("o", "\"y\"")
    #expect(await code { try await host.flow("o").abandon() } == .rollbackFailed)
    await host.isQuiet()
    #expect(try await owed(host) == ["order/ship", "order/pay"])
    till.breaks([])
    try await host.flow("o").compensateAgain()
    #expect(till.refunds.sorted() == ["pay", "pay", "ship", "ship"] && till.doubles.isEmpty)
    #expect(try await host.flow("o").view().status == .abandoned)
  }

  @Test("a request under one key is one, also when it is sent several times at once")
  func key() async throws {
    let host = host()
    try await orderBackedUp(["pay", "ship"], on: host)
    till.breaks([])
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { _ = try await host.flow("o").compensateAgain(key: "k") } }
      try await group.waitForAll()
    }
    try await host.flow("o").compensateAgain(key: "k")
    #expect(till.calls == ["ship", "pay", "ship", "pay"] && till.refunds == ["ship", "pay"])
    #expect(await code { try await host.flow("o").compensateAgain("pay", key: "k") } == .keyReused)
  }

  @Test("an answer and the host's stop wait for the backUp under way")
  func waits() async throws {
    // No time passes, so that the stop waits for as long as the `backUp` takes.
    let host = FlowHost(store: store, clock: ManualWallClock(), owner: "host")
    try await orderBackedUp(["pay"], on: host)
    till.breaks([])
    let gate = Gate()
    till.holds(gate)
    let question = try #require(try await host.flow("o").settled().questions.first?.id)
    async let compensated = host.flow("o").compensateAgain()
    await gate.reached()
    async let answered = host.flow("o").answer(question, json: "\"y\"".utf8)
    async let stopped: Void = host.shutDown()
    for _ in 0..<50 { await Task.yield() }
    #expect(try await store.load("o")?.snapshot.rollbackFailed == true)
    gate.open()
    #expect(try await compensated.undoFailures.isEmpty)
    // It came before or after the host had begun to stop.
    do { _ = try await answered } catch let error as FlowError { #expect(error.code == .hostStopping) }
    try await stopped
    let other = self.host("other")
    try await other.register(order())
    #expect(try await other.flow("o").settled().undoFailures.isEmpty)
    #expect(till.refunds == ["ship", "pay"])
  }

  @Test("an effect under way ends first, and is not repeated")
  func effects() async throws {
    let (host, gate) = (host(), Gate())
    try await host.register(order(gate)).start(id: "o", with: "-")
    try await host.answerNext("o", "\"x\"")
    till.breaks(["pay"])
    #expect(await code { try await host.flow("o").backUp() } == .rollbackFailed)
    till.breaks([])
    let card = try #require(try await host.flow("o").settled().questions.first?.id)
    try await host.flow("o").answer(card, json: "\"sign slowly\"".utf8)
    await gate.reached()
    async let compensated = host.flow("o").compensateAgain()
    for _ in 0..<50 { await Task.yield() }
    gate.open()
    #expect(try await compensated.undoFailures.isEmpty)
    #expect(try await host.flow("o").settled().steps == ["order/sign"])
    #expect(gate.arrivals == 1)
  }

  @Test("an operator compensates all flows at once that need it")
  func bulk() async throws {
    let host = host()
    let orders = try await host.register(order())
    till.breaks(["pay"])
    for id: FlowID in ["o1", "o2", "o3"] {
      try await orders.start(id: id, with: "-")
      try await host.answerNext(id, "\"x\"")
      if id != "o2" { _ = await code { try await host.flow(id).backUp() } }
    }
    till.breaks([])
    let cleo = Principal(id: "cleo")
    let failed = FlowQuery(definition: "order", rollbackFailed: true)
    let report = try await host.each(failed, by: cleo) { flow in
      try await flow.compensateAgain(reason: "the bank is back")
    }
    #expect(Set(report.done) == ["o1", "o3"])
    #expect(try await host.list(failed).flows.isEmpty)
    #expect(try await host.flow("o1").history().last?.by == "cleo")
  }

  @Test("what a back within a branch could not undo is compensated, with the other branch at work")
  func branch() async throws {
    let host = host()
    let flow = Flow<String, String>("order") {
      Parallel {
        Flow<String, String>("left") {
          Step("choose") { Asker() }
          Step("pay") { Charge("pay", till) }
          Step("sign") { Asker() }
        }
        Flow<String, String>("right") { Step("wait") { Asker() } }
      } join: {
        $0 + $1
      }
    }
    try await host.register(flow).start(id: "o", with: "-")
    func question(of step: String) async throws -> Question.ID {
      let settled = try await host.flow("o").settled()
      return try #require(settled.questions.first { $0.step.name == step }?.id)
    }
    try await host.flow("o").answer(question(of: "choose"), json: "\"x\"".utf8)
    till.breaks(["pay"])
    let sign = try await question(of: "sign")
    #expect(await code { try await host.flow("o").backUp(from: sign) } == .rollbackFailed)
    #expect(try await owed(host).map { $0?.name } == ["pay"])
    let wait = try await question(of: "wait")
    till.breaks([])
    #expect(try await host.flow("o").compensateAgain().undoFailures.isEmpty)
    #expect(till.refunds == ["pay"])
    try await host.flow("o").answer(question(of: "choose"), json: "\"x\"".utf8)
    try await host.flow("o").answer(wait, json: "\"x\"".utf8)
    try await host.flow("o").answer(question(of: "sign"), json: "\"x\"".utf8)
    #expect(try await host.flow("o").settled().status == .finished)
  }

  @Test("a suspended flow stays suspended")
  func suspended() async throws {
    let host = host()
    try await orderBackedUp(["pay"], on: host)
    try await host.answerNext("o", "\"boom\"")
    #expect(try await host.flow("o").settled().status == .suspended)
    till.breaks([])
    let done = try await host.flow("o").compensateAgain()
    #expect(done.status == .suspended && done.undoFailures.isEmpty && done.failure != nil)
  }

  @Test("what a retried part and a race could not undo is owed, too")
  func handled() async throws {
    let host = host()
    let attempts = Variable(0)
    let part = Flow<String, String>("part") {
      Step("charge") { Charge("charge", till) }
      Step("fail") { (input: String) -> String in
        attempts.value += 1
        if attempts.value == 1 { throw Boom() }
        return input
      }
    }
    let flow = Flow<String, String>("order") {
      part.retry(2)
      Race<String, String> {
        Flow<String, String>("losing") {
          Step("loser") { Charge("loser", till) }
          Step("never") { Asker() }
        }
        Step("winner") { Asker() }
      }
      Step("end") { Asker() }
    }
    till.breaks(["charge", "loser"])
    try await host.register(flow).start(id: "o", with: "-")
    let waiting = try await host.flow("o").settled()
    let winner = try #require(waiting.questions.first { $0.step.name == "winner" }?.id)
    try await host.flow("o").answer(winner, json: "\"x\"".utf8)
    #expect(try await host.flow("o").settled().steps == ["order/end"])
    #expect(try await owed(host).map { $0?.name } == ["charge", "loser"])
    till.breaks([])
    #expect(try await host.flow("o").compensateAgain().undoFailures.isEmpty)
    #expect(till.refunds == ["loser", "charge"])
    try await host.answerNext("o", "\"x\"")
    #expect(try await host.flow("o").settled().status == .finished)
  }

  @Test("a caller that is cancelled, and a store that fails at any commit, lose no backUp and repeat no refund")
  func deaths() async throws {
    var commits = 0
    while try await dies(after: commits) { commits += 1 }
    #expect(commits >= 4)
    try await cancelled()
  }

  /// - Returns: Whether the host has died.
  private func dies(after commits: Int) async throws -> Bool {
    let (till, store) = (Till(), MemoryFlowStore())
    let tests = CompensatingAgainTests(till, store)
    try await tests.orderBackedUp(["pay", "ship"], on: tests.host("first"))
    till.breaks([])
    let faulty = FaultyStore(store) { call in
      call.operation == .commit && call.numberOfOperation > commits ? .fail(.unavailable) : nil
    }
    let dying = tests.host("dying", on: faulty)
    try await dying.register(tests.order())
    _ = try? await dying.flow("o").compensateAgain(key: "k")
    await dying.isQuiet()
    let hasDied = faulty.count(of: .commit) > commits
    let last = tests.host("last")
    try await last.register(tests.order())
    // What the host before has done without its request is done.
    if try await !tests.owed(last).isEmpty { try await last.flow("o").compensateAgain(key: "k") }
    let view = try await last.flow("o").settled()
    #expect(view.undoFailures.isEmpty && view.status == .waiting && view.questions.count == 1, "\(commits)")
    #expect(till.refunds.sorted() == ["pay", "ship"] && till.doubles.isEmpty, "\(commits)")
    let history = try await last.flow("o").history()
    #expect(history.map(\.sequence) == Array(1...history.count), "\(commits)")
    return hasDied
  }

  private func cancelled() async throws {
    let host = host()
    try await orderBackedUp(["pay", "ship"], on: host)
    till.breaks([])
    let gate = Gate()
    till.holds(gate)
    let request = Task { try await host.flow("o").compensateAgain() }
    await gate.reached()
    request.cancel()
    gate.open()
    #expect(try await request.value.undoFailures.isEmpty)
    #expect(till.refunds == ["ship", "pay"] && till.calls == ["ship", "pay", "ship", "pay"])
  }
}

/// The money: what was charged and refunded, under which keys, and which steps cannot refund.
private final class Till: Sendable {
  private struct State {
    var broken: Set<String> = []
    var gate: Gate?
    var charges: [String: String] = [:]
    var refunds: [String: String] = [:]
    var order: [String] = []
    var calls: [String] = []
    var doubles: [String] = []
  }
  private let state = Lock(State())

  var charges: [String: String] { state.withLock { $0.charges } }
  /// The steps whose charges were refunded, in order.
  var refunds: [String] { state.withLock { $0.order } }
  /// The steps whose `backUp` was called, in order.
  var calls: [String] { state.withLock { $0.calls } }
  /// The steps that refunded a charge under two keys.
  var doubles: [String] { state.withLock { $0.doubles } }

  func breaks(_ steps: Set<String>) { state.withLock { $0.broken = steps } }
  func holds(_ gate: Gate) { state.withLock { $0.gate = gate } }
  func charge(_ step: String, _ key: String) { state.withLock { $0.charges[key] = step } }

  func called(_ step: String) async {
    let gate = state.withLock { state in
      state.calls.append(step)
      return state.gate
    }
    await gate?.pass()
  }

  func refund(_ charge: String, of step: String, _ key: String) throws {
    try state.withLock { state in
      if state.broken.contains(step) { throw Boom() }
      if let known = state.refunds[charge] {
        if known != key { state.doubles.append(step) }
        return
      }
      state.refunds[charge] = key
      state.order.append(step)
    }
  }
}

/// Charges, and refunds what it has charged.
private actor Charge: FlowStep {
  private let name: String
  private let till: Till
  private let asks: Bool

  init(_ name: String, _ till: Till, asks: Bool = false) {
    (self.name, self.till, self.asks) = (name, till, asks)
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    _ = try await context.once("charge") { [name, till] key in
      till.charge(name, key)
      return key
    }
    if asks { _ = try await context.ask(Form(text: name)) }
    return input
  }

  func backUp(context: RollbackContext) async throws {
    await till.called(name)
    guard case .done(let charge) = await context.record("charge", as: String.self) else { return }
    _ = try await context.once("refund") { [name, till] key in
      try till.refund(charge, of: name, key)
      return name
    }
  }
}

/// Asks for a signature; fails for an input with `boom`, and signs slowly if it is told to.
private actor Signing: FlowStep {
  private let gate: Gate?
  init(_ gate: Gate?) { self.gate = gate }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    if input.hasSuffix("boom") { throw Boom() }
    if input.hasSuffix("slowly"), let gate {
      try await context.once("seal") { _ in await gate.pass() }
    }
    return try await context.ask(Form(text: input))
  }

  func backUp(context: RollbackContext) {}
}
