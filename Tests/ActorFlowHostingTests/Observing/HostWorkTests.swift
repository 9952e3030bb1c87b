import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Errors of work that no caller waits for: each is seen in health and by observers.
@Suite("Failures of a host's own work", .timeLimit(.minutes(15))) struct HostWorkTests {
  private let clock = ManualWallClock()
  private let witness = Witness()
  private let base: MemoryFlowStore

  init() { base = MemoryFlowStore(clock: clock) }

  private func host(on store: any FlowStore, _ change: (inout FlowHost.Options) -> Void = { _ in }) throws -> FlowHost {
    var options = FlowHost.Options.observed(by: witness)
    change(&options)
    return try FlowHost(store: store, clock: clock, owner: "host", options: options)
  }

  private var failures: [String] { witness.events.map { Witness.words($0.kind) }.filter { $0.hasPrefix("work") } }

  private let flow = Flow<String, String>("f") { Step("a") { Asker() } }

  @Test("a codec that fails when a flow is marked as unmigrated is seen")
  func marking() async throws {
    let first = FlowHost(store: base, clock: clock)
    try await first.register(flow).start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    struct Sealed: BodyCodec {
      func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw Boom() }
      func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body }
    }
    let host = try host(on: base) { $0.codec = Sealed() }
    try await host.register(Flow<String, String>("f") { Step("b") { Asker() } }, version: 2, from: 1)
    #expect(await code { try await host.flow("x").answer(Form.self, with: "1") } == .unmigrated)
    #expect(failures == ["work marking: Boom"])
    #expect(await host.health().lastWorkFailure?.flow == "x")
    #expect(await host.health().lastWorkFailure?.error is Boom)
  }

  @Test("a flow that cannot be activated after its retry is seen, and the retry stands")
  func activating() async throws {
    let isBroken = Lock(true)
    let broken = Flow<String, String>("f") {
      Step("a") { (text: String) -> String in
        if isBroken.withLock({ $0 }) { throw Boom() }
        return text
      }
    }
    let store = FaultyStore(PlainStore(base: base))
    let host = try host(on: store)
    try await host.register(broken).start(id: "x", with: "-")
    #expect(try await host.flow("x").settled().status == .suspended)
    await host.isQuiet()
    isBroken.withLock { $0 = false }
    let isRetried = Lock(false)
    store.plan { call in
      if call.operation == .commit { isRetried.withLock { $0 = true } }
      return call.operation == .load && isRetried.withLock { $0 } ? .fail(.corrupted) : nil
    }
    #expect(try await host.flow("x").retry().status == .runnable)
    #expect(failures == ["work activating: corrupted"])
    store.plan { _ in nil }
    try await host.catchUp()
    #expect(try await host.flow("x").view().status == .finished)
  }

  @Test("an expired flow that is kept because its backUp failed is seen with each pass")
  func removing() async throws {
    let host = try host(on: base)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Scripted(backUp: { _ in throw Boom() }) { text, _ in text } }
        Step("b") { Asker() }
      }, retention: .init(abandoned: .seconds(1)))
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    _ = try? await host.flow("x").abandon()
    await host.isQuiet()
    clock.advance(by: .seconds(10))
    let run = Task { try await host.run() }
    while failures.isEmpty { await Task.yield() }
    #expect(failures.first == "work removing: rollbackFailed")
    run.cancel()
    try await run.value
  }

  @Test("a poll that fails is seen")
  func polling() async throws {
    let host = try host(on: FaultyStore(PlainStore(base: base)) { _ in .fail(.unavailable) }) {
      $0.outageLimit = .zero
    }
    await #expect(throws: FlowStoreError.self) { try await host.run() }
    #expect(failures == ["work polling: unavailable"])
    #expect(await host.health().lastWorkFailure != nil)
  }
}
