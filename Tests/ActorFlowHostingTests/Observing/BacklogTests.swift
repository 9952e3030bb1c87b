import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// The flows that are to go on, counted in the store.
@Suite("The backlog of a store", .timeLimit(.minutes(15))) struct BacklogTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() { store = MemoryFlowStore(clock: clock) }

  private let timed = Flow<String, String>("timed") {
    Step("a") { (text: String, context: StepContext) in
      try await context.ask(Form(text: text), within: .seconds(60)) ?? "late"
    }
  }
  private let failing = Flow<String, String>("failing") { Step("a") { (_: String) -> String in throw Boom() } }

  @Test("flows whose timer is due, and suspended and unmigrated ones, are counted by any host")
  func counts() async throws {
    let host = FlowHost(store: store, clock: clock)
    let (timed, failing) = (try await host.register(timed), try await host.register(failing))
    let start = clock.now
    for number in 1...3 {
      try await timed.start(id: "t\(number)", with: "-")
      _ = try await host.flow("t\(number)").settled()
      clock.advance(by: .seconds(10))
    }
    try await failing.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    #expect(try await host.backlog() == FlowHost.Backlog(suspended: 1))
    clock.advance(by: .seconds(40))
    let other = FlowHost(store: store, clock: clock)
    #expect(try await other.backlog() == FlowHost.Backlog(due: 2, oldestDue: start + 60, suspended: 1))
    #expect(try await other.backlog(of: "timed") == FlowHost.Backlog(due: 2, oldestDue: start + 60))
    try await other.register(
      Flow<String, String>("timed") { Step("b") { Asker() } }, version: 2, from: 1)
    #expect(await code { try await other.flow("t1").answer(Form.self, with: "1") } == .unmigrated)
    #expect(
      try await other.backlog()
        == FlowHost.Backlog(due: 1, oldestDue: start + 70, suspended: 1, unmigrated: 1))
  }

  @Test("counting stops at the limit and says so")
  func limit() async throws {
    let host = FlowHost(store: store, clock: clock)
    let failing = try await host.register(failing)
    for number in 1...5 {
      try await failing.start(id: "f\(number)", with: "-")
      _ = try await host.flow("f\(number)").settled()
    }
    await host.isQuiet()
    #expect(try await host.backlog(limit: 3) == FlowHost.Backlog(suspended: 3, isComplete: false))
    #expect(try await host.backlog(limit: 5) == FlowHost.Backlog(suspended: 5))
  }

  @Test("an error of the store is thrown")
  func outage() async throws {
    let host = FlowHost(store: FaultyStore(store) { _ in .fail(.unavailable) }, clock: clock)
    await #expect(throws: FlowStoreError.self) { try await host.backlog() }
  }
}
