import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Asks; its `backUp` passes a gate and then refunds.
private actor SlowRefund: FlowStep {
  private let (gate, log): (Gate, Log)
  init(_ gate: Gate, _ log: Log) { (self.gate, self.log) = (gate, log) }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.ask(Form(text: input))
  }

  func backUp(context: RollbackContext) async throws {
    await gate.pass()
    _ = try await context.once("refund") { [log] _ in
      log.add("refund")
      return true
    }
  }
}

@Suite("Hosted rollbacks that fail", .timeLimit(.minutes(15))) struct HostRollbackTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private let faults = BackUpFaults()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host(_ owner: String = "host") -> FlowHost { FlowHost(store: store, clock: clock, owner: owner) }

  /// Charges; its `backUp` refunds once, then throws if it is told to.
  private func charger(_ name: String) -> Step<String, String> {
    Step(name) { Charger(name, log, faults) }
  }

  private var flow: Flow<String, String> {
    Flow("order") {
      charger("a")
      Parallel {
        charger("x")
        charger("y")
      } join: {
        $0 + $1
      }
      charger("b")
      Step("ask") { Asker(log) }
    }
  }

  private func abandoned(_ host: FlowHost) async throws {
    try await host.register(flow).start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    await #expect(throws: FlowError.self) { try await host.flow("o").abandon(reason: "no money") }
    await host.isQuiet()
  }

  private var refunds: [String] { log.all.filter { $0.hasPrefix("refund") } }
  private var undone: [String] { log.all.filter { $0.hasPrefix("undo ") } }

  @Test("a backUp that comes to an effect after its flow was passivated has not failed, and is called again")
  func effectAfterPassivation() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("order") { [log] in Step("pay") { SlowRefund(gate, log) } }
    let old = host("old")
    try await old.register(flow).start(id: "o", with: "-")
    _ = try await old.flow("o").settled()
    let abandoning = Task { try? await old.flow("o").abandon() }
    await gate.reached()
    let coordinator = try #require(await old.live["o"]?.coordinator)
    let stopping = Task { try await old.shutDown() }
    while await !coordinator.isPassivated { await Task.yield() }
    gate.open()
    try await stopping.value
    _ = await abandoning.value
    let new = host("new")
    try await new.register(flow)
    _ = try await new.catchUp()
    let view = try await new.flow("o").view()
    #expect(view.status == .abandoned && !view.rollbackFailed)
    #expect(refunds == ["refund"] && gate.arrivals == 2)
  }

  @Test("failed backUps are retried, newest first, with their records; the ending stays")
  func again() async throws {
    faults.set(["a", "x", "y"])
    let host = host()
    try await abandoned(host)
    let failed = try await host.flow("o").view()
    #expect(failed.status == .abandoned && failed.rollbackFailed && failed.reason == "no money")
    #expect(refunds.count == 4)
    faults.set(["x"])
    let before = undone.count
    #expect(try await host.flow("o").retry(by: Principal(id: "ann")).status == .runnable)
    let partly = try await host.flow("o").settled()
    #expect(partly.status == .abandoned && partly.rollbackFailed && partly.reason == "no money")
    let tried = undone.dropFirst(before)
    #expect(Set(tried) == ["undo a", "undo x", "undo y"] && tried.last == "undo a", "and not b, which is compensated")
    faults.set([])
    // The other host knows only what is stored.
    let other = self.host("other")
    try await other.register(flow)
    await host.isQuiet()
    try await other.flow("o").retry()
    let done = try await other.flow("o").settled()
    #expect(done.status == .abandoned && !done.rollbackFailed && done.reason == "no money")
    #expect(undone.count == before + 4 && undone.last == "undo x")
    #expect(refunds.count == 4, "no refund was paid twice")
    await other.isQuiet()
    #expect(await code { try await other.flow("o").retry() } == .flowEnded)
    let history = try await other.flow("o").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    let ends = ["abandoned", "rolledBack", "retried", "rolledBack", "retried", "rolledBack"]
    #expect(history.suffix(6).map(\.what) == ends)
    #expect(history.first { $0.what == "retried" }?.by == "ann")
  }

  @Test("an abandon under a key throws the rollback's errors; its repetition returns the flow")
  func abandonedUnderKey() async throws {
    faults.set(["a"])
    let host = host()
    try await host.register(flow).start(id: "o", with: "-")
    _ = try await host.flow("o").settled()
    #expect(await code { try await host.flow("o").abandon(reason: "no", key: "k") } == .rollbackFailed)
    await host.isQuiet()
    let view = try await host.flow("o").abandon(reason: "no", key: "k")
    #expect(view.rollbackFailed && view.reason == "no" && view.failure == nil)
  }

  @Test("a request to an ended flow names the remedies, and not `run`")
  func remedies() async throws {
    func message(_ body: () async throws -> some Any) async -> String {
      do {
        _ = try await body()
        return ""
      } catch { return "\(error)" }
    }
    faults.set(["a"])
    let host = host()
    try await abandoned(host)
    #expect(await message { try await host.flow("o").abandon() }.contains("call `retry` to run them again"))
    faults.set([])
    try await host.flow("o").retry()
    _ = try await host.flow("o").settled()
    await host.isQuiet()
    for text in [
      await message { try await host.flow("o").backUp() }, await message { try await host.flow("o").retry() },
    ] {
      #expect(text.contains("start a flow with another id") && !text.contains("`run`"))
    }
  }

  @Test("two retries under one key are one retry")
  func key() async throws {
    faults.set(["a"])
    let host = host()
    try await abandoned(host)
    try await host.flow("o").retry(key: "k")
    let failed = try await host.flow("o").settled()
    await host.isQuiet()
    let count = undone.count
    #expect(try await host.flow("o").retry(key: "k").revision == failed.revision)
    #expect(undone.count == count)
  }

  @Test("a host that dies during a retry leaves the remaining backUps to the next host")
  func dies() async throws {
    faults.set(["a", "b"])
    let first = host("first")
    try await abandoned(first)
    faults.set([])
    faults.holds("a")
    try await first.flow("o").retry()
    await faults.gate.reached(1)
    // The host dies: it does nothing any more.
    clock.advance(by: .seconds(31))
    faults.holds(nil)
    let second = host("second")
    try await second.register(flow)
    let done = try await second.flow("o").settled()
    #expect(done.status == .abandoned && !done.rollbackFailed)
    #expect(refunds.count == 4)
    faults.gate.open()
  }
}

/// The `backUp`s that fail or are held.
private final class BackUpFaults: Sendable {
  private let state = Lock<(failing: Set<String>, held: String?)>(([], nil))
  let gate = Gate()

  func set(_ names: Set<String>) { state.withLock { $0.failing = names } }
  func holds(_ name: String?) { state.withLock { $0.held = name } }
  func meet(_ name: String) async throws {
    if state.withLock({ $0.held == name }) { await gate.pass() }
    if state.withLock({ $0.failing.contains(name) }) { throw Boom() }
  }
}

private actor Charger: FlowStep {
  private let name: String
  private let log: Log
  private let faults: BackUpFaults

  init(_ name: String, _ log: Log, _ faults: BackUpFaults) {
    (self.name, self.log, self.faults) = (name, log, faults)
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("charge") { _ in "receipt" }
  }

  func backUp(context: RollbackContext) async throws {
    log.add("undo \(name)")
    guard case .done = await context.record("charge", as: String.self) else { return log.add("nothing to refund") }
    try await context.once("refund") { [log, name] _ in log.add("refund \(name)") }
    try await faults.meet(name)
  }
}
