import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Flows that are retried in a new version", .timeLimit(.minutes(15))) struct MovedAndRetriedTests {
  private let store = MemoryFlowStore()
  private let provider = PaymentProvider()

  /// A host that dies after this many commits.
  private func host(crashingAfter commits: Int = .max) -> FlowHost {
    let crashingStore = FaultyStore(store) { call in
      call.operation == .commit && call.numberOfOperation > commits ? .fail(.unavailable) : nil
    }
    return FlowHost(store: crashingStore, owner: "host")
  }

  private static func pass(_ name: String) -> Step<Int, Int> {
    Step(name) { (value: Int, _: StepContext) in value }
  }

  private static let text = Step("b") { (n: Int, _: StepContext) in "\(n)" }
  private static func number(_ name: String) -> Step<String, Int> {
    Step(name) { (text: String, _: StepContext) throws -> Int in
      guard let number = Int(text) else { throw Boom() }
      return number
    }
  }

  // MARK: - A step that failed

  private var failing: Flow<Int, Int> {
    Flow("m") {
      Self.pass("a")
      Step("boom") { (_: Int, _: StepContext) throws -> Int in throw Boom() }
    }
  }

  private var repaired: Flow<Int, Int> {
    Flow("m") {
      Self.text
      Self.number("a")
      Self.pass("boom")
    }
  }

  private let moves = [Move.input(of: "m/a") { (n: Int) in "\(n)" }]

  @Test("a step that failed is retried in the version that repairs it, also if the host dies meanwhile")
  func failed() async throws {
    for commits in 0...4 {
      let id = FlowID("f\(commits)")
      let old = host()
      try await old.register(failing).start(id: id, with: 7)
      #expect(try await old.flow(id).settled().status == .suspended)
      await old.isQuiet()
      let crashingHost = host(crashingAfter: commits)
      try await crashingHost.register(repaired, version: 2, from: 1, moves: moves)
      _ = try? await crashingHost.flow(id).retry()
      await crashingHost.isQuiet()
      let next = host()
      let flows = try await next.register(repaired, version: 2, from: 1, moves: moves)
      if commits == 0 { try await next.flow(id).retry() }
      #expect(try await next.flow(id).settled().version == 2)
      #expect(try await flows.outcome(of: id) == .finished(7), "\(commits)")
    }
  }

  // MARK: - A rollback that failed

  private func paying<V: Codable & Sendable>(_ name: String, _ type: V.Type) -> Step<V, V> {
    Step(name) { Payer<V>(provider) }
  }

  private func abandoned(_ id: FlowID) async throws {
    provider.breaks(true)
    let old = host()
    try await old.register(
      Flow("m") {
        paying("pay", Int.self)
        Step("ask") { (n: Int, context: StepContext) in try await context.ask(Form(text: "\(n)")) }
      }
    ).start(id: id, with: 7)
    #expect(try await old.flow(id).settled().status == .waiting)
    await #expect(throws: FlowError.self) { try await old.flow(id).abandon(reason: "no") }
    await old.isQuiet()
    provider.breaks(false)
  }

  private var second: Flow<Int, String> {
    Flow("m") {
      Self.text
      paying("pay/twice", String.self)
      Step("ask") { (text: String, context: StepContext) in try await context.ask(Form(text: text)) }
    }
  }

  private let undoMoves = [
    Move.rename("m/pay", to: "m/pay/twice"), .input(of: "m/pay/twice") { (n: Int) in "\(n)" },
  ]

  @Test("failed backUps are retried in a new version, whose moves are made once")
  func compensated() async throws {
    for commits in 0...5 {
      let id = FlowID("r\(commits)")
      try await abandoned(id)
      let crashingHost = host(crashingAfter: commits)
      try await crashingHost.register(second, version: 2, from: 1, moves: undoMoves)
      _ = try? await crashingHost.flow(id).retry()
      await crashingHost.isQuiet()
      let next = host()
      try await next.register(second, version: 2, from: 1, moves: undoMoves)
      if commits == 0 { try await next.flow(id).retry() }
      let view = try await next.flow(id).settled()
      #expect(view.status == .abandoned && !view.rollbackFailed && view.version == 2, "\(commits): \(view)")
      await next.isQuiet()
    }
    #expect(provider.refunds == 6)
  }

  @Test(
    "a rollback is not retried in a version without the step; a version that forgets the step has nothing to compensate"
  )
  func compensatedNowhere() async throws {
    try await abandoned("r")
    let flow = Flow("m") { Self.pass("other") }
    let host = host()
    try await host.register(flow, version: 2, from: 1)
    #expect(await code { try await host.flow("r").retry() } == .unmigrated)
    #expect(try await host.flow("r").view().rollbackFailed)
    let third = self.host()
    try await third.register(flow, version: 2, from: 1, moves: [.forget("m/pay")])
    #expect(await code { try await third.flow("r").retry() } == .flowEnded)
  }

  // MARK: - A state that is too large

  private var growing: Flow<Int, Int> {
    Flow("m") {
      Step("a/large") { [provider] (n: Int, _: StepContext) in
        provider.isBroken ? String(repeating: "x", count: FlowSnapshot.maximumBytes) : "\(n)"
      }
      Self.number("last")
    }
  }

  @Test("a flow that is moved and grows too large in one commit is suspended in its new version")
  func tooLarge() async throws {
    let old = host(crashingAfter: 2)
    try await old.register(Flow("m") { Self.pass("a").durableEntry() }).start(id: "l", with: 7)
    await old.isQuiet()
    let left = try await old.flow("l").view()
    #expect(left.status == .runnable && left.steps == ["m/a"])
    provider.breaks(true)
    let moves = [Move.rename("m/a", to: "m/a/large")]
    let middle = host()
    try await middle.register(growing, version: 2, from: 1, moves: moves)
    let view = try await middle.flow("l").settled()
    #expect(view.status == .suspended && view.version == 2 && view.steps == ["m/a/large"])
    await middle.isQuiet()
    provider.breaks(false)
    let next = host()
    let flows = try await next.register(growing, version: 2, from: 1, moves: moves)
    try await next.flow("l").retry()
    _ = try await next.flow("l").settled()
    #expect(try await flows.outcome(of: "l") == .finished(7))
  }
}

private final class PaymentProvider: Sendable {
  private let state = Lock<(isBroken: Bool, refunds: Set<String>)>((false, []))
  var isBroken: Bool { state.withLock { $0.isBroken } }
  var refunds: Int { state.withLock { $0.refunds.count } }
  func breaks(_ breaks: Bool) { state.withLock { $0.isBroken = breaks } }
  func refund(_ key: String) throws {
    try state.withLock { state in
      if state.isBroken { throw Boom() }
      state.refunds.insert(key)
    }
  }
}

private actor Payer<Value: Codable & Sendable>: FlowStep {
  private let provider: PaymentProvider
  init(_ provider: PaymentProvider) { self.provider = provider }
  func proceed(_ value: Value, context: StepContext) async throws -> Value {
    try await context.once("pay") { _ in value }
  }
  func backUp(context: RollbackContext) async throws {
    _ = try await context.once("refund") { [provider] key in
      try provider.refund(key)
      return true
    }
  }
}
