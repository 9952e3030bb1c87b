import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A due flow that cannot be activated because it cannot be read.
@Suite("Hosts whose flows cannot be read", .timeLimit(.minutes(15))) struct HostPollTests {
  private let clock = ManualWallClock()
  private let tries = Gate()

  private var patient: Flow<String, String> {
    Flow("patient") {
      Step("ask") { (input: String, context: StepContext) in
        try await context.ask(Form(text: input), within: .seconds(60)) ?? "nobody"
      }
    }
  }

  @Test("an idle host calls its store once per poll")
  func idle() async throws {
    let folder = try Folder()
    let store = FaultyStore(try await FileFlowStore(directory: folder.path + "/store", clock: clock))
    let host = FlowHost(store: store, clock: clock)
    try await host.register(patient)
    let before = store.count(of: .list)
    let run = Task { try await host.run() }
    for _ in 0..<20 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    try await clock.waitForSleepers()
    run.cancel()
    try await run.value
    // In 20 seconds there are 5 passes, each with a list of runnable flows, of due flows and of the next due flows.
    #expect(store.count(of: .list) - before <= 15)
  }

  private func isTriedOncePerPoll(
    _ store: some FlowStore, _ options: FlowHost.Options = .init(), _ fails: @escaping @Sendable (Bool) -> Void
  ) async throws {
    let host = try FlowHost(store: store, clock: clock, options: options)
    let flows = try await host.register(patient)
    try await flows.start(id: "p", with: "-")
    _ = try await host.flow("p").settled()
    await host.isQuiet()
    fails(true)
    let run = Task { try await host.run() }
    let sleepers = store is any LeasingFlowStore ? 2 : 1
    try await clock.waitForSleepers(sleepers)
    clock.advance(by: .seconds(60))
    await tries.reached(1)
    for _ in 1...20 {
      try await clock.waitForSleepers(sleepers)
      clock.advance(by: .milliseconds(10))
    }
    try await clock.waitForSleepers(sleepers)
    #expect(tries.arrivals == 1, "it is not tried again at once")
    clock.advance(by: .seconds(5))
    await tries.reached(2)
    fails(false)
    try await clock.waitForSleepers(sleepers)
    let events = host.flow("p").events
    clock.advance(by: .seconds(5))
    for await _ in events {}
    #expect(try await flows.outcome(of: "p") == .finished("nobody"))
    run.cancel()
    try await run.value
  }

  @Test("on a store for one host the unreadable flow is tried once per poll")
  func single() async throws {
    let folder = try Folder()
    let store = FaultyStore(try await FileFlowStore(directory: folder.path + "/store", clock: clock))
    try await isTriedOncePerPoll(store) { fails in store.plan { fails ? fault(at: $0) : nil } }
  }

  @Test("on a store with leases the unreadable flow is tried once per poll")
  func leasing() async throws {
    let codec = FailingCodec(tries: tries)
    var options = FlowHost.Options()
    options.codec = codec
    try await isTriedOncePerPoll(MemoryFlowStore(clock: clock), options) { codec.fails.set($0) }
  }

  private func fault(at call: StoreCall) -> StoreFault? {
    guard call.operation == .load else { return nil }
    tries.mark()
    return .fail(FlowStoreError(.unavailable, "the disk is away"))
  }
}

/// A codec whose keys are away for a time.
private struct FailingCodec: BodyCodec {
  final class Switch: Sendable {
    private let isOn = Lock(false)
    var value: Bool { isOn.withLock { $0 } }
    func set(_ value: Bool) { isOn.withLock { $0 = value } }
  }

  let tries: Gate
  let fails = Switch()

  func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] { body }

  func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    guard fails.value else { return body }
    tries.mark()
    throw FlowStoreError(.unavailable, "the keys are away")
  }
}
