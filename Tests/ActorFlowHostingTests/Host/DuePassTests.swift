import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Many flows that are due at once, and some that cannot be loaded.
@Suite("Passes over due flows", .timeLimit(.minutes(15))) struct DuePassTests {
  private let clock = ManualWallClock()
  private let tries = Log()
  private let rung = Gate()

  private var flow: Flow<String, String> {
    Flow("patient") {
      Step("ask") { [rung] (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: input), within: .seconds(60))
        rung.mark()
        return answer ?? "nobody"
      }
    }
  }

  @Test(
    "one pass activates every due flow, even behind many that cannot be read, and tries each unreadable flow once",
    arguments: [0, 1, 99, 100, 130])
  func all(_ damaged: Int) async throws {
    let store = FaultyStore(MemoryFlowStore(clock: clock))
    let sound = 250
    try await fill(store, "a-damaged", damaged)
    clock.advance(by: .seconds(1))
    try await fill(store, "sound", sound)
    store.plan { [tries] call in
      guard call.operation == .load, let id = call.id, id.description.hasPrefix("a-damaged") else { return nil }
      tries.add(id.description)
      return .fail(FlowStoreError(.corrupted, "the disk is scratched"))
    }
    clock.advance(by: .seconds(60))
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    let run = Task { try await host.run() }
    await rung.reached(sound)
    await host.isQuiet()
    // The host polls and renews leases: the pass is over.
    try await clock.waitForSleepers(2)
    #expect(tries.all.count == damaged && Set(tries.all).count == damaged)
    for number in 0..<sound { #expect(try await flows.outcome(of: FlowID("sound-\(number)")) == .finished("nobody")) }
    // The next poll tries the unreadable flows again.
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(5))
    try await clock.waitForSleepers(2)
    #expect(tries.all.count == 2 * damaged && Set(tries.all).count == damaged)
    run.cancel()
    try await run.value
  }

  private func fill(_ store: some FlowStore, _ name: String, _ count: Int) async throws {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(flow)
    for number in 0..<count {
      let id = FlowID("\(name)-\(number)")
      try await flows.start(id: id, with: "-")
      _ = try await host.flow(id).settled()
    }
    await host.isQuiet()
  }
}
