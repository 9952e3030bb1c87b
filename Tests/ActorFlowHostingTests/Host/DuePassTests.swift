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
    let store = MemoryFlowStore(clock: clock)
    let sound = 250
    try await fill(store, "a-damaged", damaged)
    clock.advance(by: .seconds(1))
    try await fill(store, "sound", sound)
    clock.advance(by: .seconds(60))
    var options = FlowHost.Options()
    options.codec = ScratchedCodec(tries: tries)
    let host = try FlowHost(store: store, clock: clock, options: options)
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
      try await flows.start(id: id, with: "\(id).")
      _ = try await host.flow(id).settled()
    }
    await host.isQuiet()
  }
}

/// A codec that cannot read the flows whose input begins with `a-damaged`.
private struct ScratchedCodec: BodyCodec {
  let tries: Log

  func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body }

  func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.firstRange(of: "a-damaged-") else { return body }
    tries.add(String(text[start.upperBound...].prefix { $0 != "." }))
    throw FlowStoreError(.corrupted, "the disk is scratched")
  }
}
