import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// Stores that are unavailable while a host runs.
@Suite("Hosts whose store is unavailable", .timeLimit(.minutes(15))) struct HealthTests {
  private let clock = ManualWallClock()
  private let base: MemoryFlowStore

  init() { base = MemoryFlowStore(clock: clock) }

  private let flow = Flow<String, String>("f") { Step("a") { Asker() } }

  @Test("run polls less and less often, and throws the store's error after the limit of unavailability")
  func outage() async throws {
    let store = FaultyStore(PlainStore(base: base)) { _ in .fail(.unavailable) }
    var options = FlowHost.Options()
    options.outageLimit = .seconds(100)
    let host = try FlowHost(store: store, clock: clock, options: options)
    let start = clock.now
    let run = Task { try await host.run() }
    let pauses: [Duration] = [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 8.25].map { .seconds($0) }
    for (number, pause) in pauses.enumerated() {
      try await clock.waitForSleepers()
      let health = await host.health()
      #expect(health.failedPolls == number + 1 && health.lastPoll == nil && health.isRunning)
      #expect((health.lastStoreError?.error as? FlowStoreError)?.code == .unavailable)
      #expect(health.lastStoreError?.at == clock.now)
      clock.advance(by: pause)
    }
    let error = await #expect(throws: FlowStoreError.self) { try await run.value }
    #expect(error?.code == .unavailable)
    #expect((error?.underlying as? FlowStoreError)?.message == "a test lets the store fail")
    #expect(clock.now == start.addingTimeInterval(100))
    #expect(store.calls.count == pauses.count + 1)
    #expect(await host.health().isRunning == false)
    #expect(await code { try await host.run() } == .hostStopping)
  }

  @Test("run ends as well if the store gives leases: it does not wait for the next renewal")
  func leasingOutage() async throws {
    var options = FlowHost.Options()
    options.outageLimit = .zero
    let host = try FlowHost(store: FaultyStore(base) { _ in .fail(.unavailable) }, clock: clock, options: options)
    let error = await #expect(throws: FlowStoreError.self) { try await host.run() }
    #expect(error?.code == .unavailable)
  }

  @Test("a store that returns in time is polled as before, and its last error is remembered")
  func recovery() async throws {
    let store = FaultyStore(PlainStore(base: base))
    let host = FlowHost(store: store, clock: clock)
    let run = Task { try await host.run() }
    try await clock.waitForSleepers()
    #expect(await host.health().lastPoll == clock.now)
    #expect(await host.health().lastStoreError == nil)
    store.plan { _ in .fail(.unavailable) }
    clock.advance(by: .seconds(5))
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(250))
    try await clock.waitForSleepers()
    let failed = clock.now
    #expect(await host.health().failedPolls == 2)
    store.plan { _ in nil }
    clock.advance(by: .milliseconds(500))
    try await clock.waitForSleepers()
    let health = await host.health()
    #expect(health.failedPolls == 0 && health.lastPoll == clock.now)
    #expect(health.lastStoreError?.at == failed)
    run.cancel()
    try await run.value
  }

  @Test("a beat that fails is repeated before it is overdue, and the error is remembered")
  func renewal() async throws {
    let store = FaultyStore(base)
    let gate = Gate()
    let host = FlowHost(store: store, clock: clock, owner: "host")
    let slow = Flow<String, String>("slow") {
      Step("a") { (text: String, _: StepContext) in
        await gate.pass()
        return text
      }
    }
    try await host.register(slow).start(id: "x", with: "-")
    await gate.reached()
    let run = Task { try await host.run() }
    try await clock.waitForSleepers(2)
    store.plan { $0.operation == .beat ? .fail(.unavailable) : nil }
    clock.advance(by: .seconds(10))
    for (count, pause) in [1.25, 2.5, 5, 10].enumerated() {
      try await clock.waitForSleepers(2)
      #expect(store.count(of: .beat) == count + 1)
      #expect(await host.health().lastStoreError != nil)
      #expect(await host.health().liveFlows == 1)
      clock.advance(by: .seconds(pause))
    }
    try await clock.waitForSleepers(2)
    gate.open()
    run.cancel()
    try await run.value
  }

  @Test("a due flow that cannot be activated is named")
  func refused() async throws {
    let first = FlowHost(store: base, clock: clock)
    let flows = try await first.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, context: StepContext) in
          try await context.ask(Form(text: text), within: .seconds(60)) ?? "nobody"
        }
      })
    try await flows.start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    clock.advance(by: .seconds(60))
    let store = FaultyStore(PlainStore(base: base)) { $0.operation == .load ? .fail(.corrupted) : nil }
    let host = FlowHost(store: store, clock: clock)
    try await host.register(Flow<String, String>("f") { Step("a") { Asker() } }, version: 1)
    let run = Task { try await host.run() }
    try await clock.waitForSleepers()
    let health = await host.health()
    #expect(health.lastRefusedFlow?.flow == "x")
    #expect((health.lastRefusedFlow?.error as? FlowStoreError)?.code == .corrupted)
    #expect(health.failedPolls == 0, "one flow is no outage of the store")
    run.cancel()
    try await run.value
  }

  @Test("a conflict is a refusal, not an error of the store")
  func refusals() async throws {
    let store = FaultyStore(base)
    let host = FlowHost(store: store, clock: clock, owner: "host")
    try await host.register(flow).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    store.plan { $0.operation == .commit ? .fail(.conflict) : nil }
    _ = try? await host.flow("x").answer(Form.self, with: "1")
    #expect(await host.health().lastStoreError == nil)
    store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    _ = try? await host.flow("x").answer(Form.self, with: "1")
    #expect(await host.health().lastStoreError?.flow == "x")
  }
}
