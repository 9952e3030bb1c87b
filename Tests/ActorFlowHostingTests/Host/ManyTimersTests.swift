import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// More flows with timers than fit on a page, and a poll once an hour.
@Suite("Many timers", .timeLimit(.minutes(15))) struct ManyTimersTests {
  private let clock = ManualWallClock()
  private let fired = Log()
  private let gate = Gate()
  private static let count = 350

  /// Asks for this many seconds.
  private var flow: Flow<Int, Int> {
    Flow("patient") {
      Step("ask") { [fired, gate] (seconds: Int, context: StepContext) in
        _ = try await context.ask(Form(text: ""), within: .seconds(seconds))
        fired.add("\(seconds)")
        gate.mark()
        return seconds
      }
    }
  }

  private func host(_ store: any FlowStore) throws -> FlowHost {
    var options = FlowHost.Options()
    options.pollInterval = .seconds(3_600)
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private func fill(_ store: any FlowStore) async throws {
    let host = try host(store)
    let flows = try await host.register(flow)
    for number in 0..<Self.count {
      // The later its id, the earlier its timer.
      let id = FlowID("f-\(1_000 + number)")
      try await flows.start(id: id, with: 10 * (Self.count - number))
      _ = try await host.flow(id).settled()
    }
    await host.isQuiet()
  }

  private func fireOnTime(_ store: FaultyStore<some FlowStore>) async throws {
    try await fill(store)
    let host = try host(store)
    try await host.register(flow)
    let run = Task { try await host.run() }
    let sleepers = store is any LeasingFlowStore ? 2 : 1
    try await clock.waitForSleepers(sleepers)
    let lists = store.count(of: .list)
    for number in 1...40 {
      clock.advance(by: .seconds(10))
      await gate.reached(number)
      await host.isQuiet()
      try await clock.waitForSleepers(sleepers)
      #expect(fired.all.last == "\(10 * number)")
    }
    #expect(fired.all.count == 40)
    // A tick costs one pass over the runnable flows and, where the store gives no leases, one over the due flows.
    let ticks = store is any LeasingFlowStore ? 0 : 2 * 2 * 40
    #expect(store.count(of: .list) - lists <= ticks)
    run.cancel()
    try await run.value
  }

  @Test("every timer fires when it is due, on a store with leases")
  func leasing() async throws { try await fireOnTime(FaultyStore(MemoryFlowStore(clock: clock))) }

  @Test("every timer fires when it is due, on a store for one host")
  func single() async throws {
    try await fireOnTime(FaultyStore(PlainStore(base: MemoryFlowStore(clock: clock))))
  }

  @Test("a timer that is set between two polls fires when it is due, and a removed timer wakes no host")
  func between() async throws {
    let store = FaultyStore(MemoryFlowStore(clock: clock))
    let host = try host(store)
    let flows = try await host.register(flow)
    let run = Task { try await host.run() }
    try await clock.waitForSleepers(2)
    for (id, seconds) in [("answered", 60), ("deleted", 120), ("late", 180)] {
      try await flows.start(id: FlowID(id), with: seconds)
      _ = try await host.flow(FlowID(id)).settled()
    }
    try await host.flow("answered").answer(Form.self, with: "yes")
    _ = try await host.flow("answered").settled()
    try await host.flow("deleted").delete()
    await host.isQuiet()
    try await clock.waitForSleepers(2)
    let claims = store.count(of: .claimDue)
    for _ in 1...17 {
      clock.advance(by: .seconds(10))
      try await clock.waitForSleepers(2)
    }
    #expect(store.count(of: .claimDue) == claims)
    clock.advance(by: .seconds(10))
    await gate.reached(2)
    #expect(fired.all == ["60", "180"])
    run.cancel()
    try await run.value
  }

  @Test("a due flow that cannot be read is tried again soon, not only with the next poll")
  func refused() async throws {
    let store = FaultyStore(PlainStore(base: MemoryFlowStore(clock: clock)))
    let host = try host(store)
    try await host.register(flow).start(id: "x", with: 60)
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let run = Task { try await host.run() }
    try await clock.waitForSleepers()
    store.plan { $0.operation == .load ? .fail(.unavailable) : nil }
    clock.advance(by: .seconds(60))
    try await clock.waitForSleepers()
    #expect(fired.all == [])
    store.plan { _ in nil }
    clock.advance(by: .seconds(5))
    await gate.reached(1)
    run.cancel()
    try await run.value
  }

  @Test("a list by time or status visits the flows that match, not all flows")
  func index() throws {
    var index = FlowIndex()
    let start = Date(timeIntervalSince1970: 1_000)
    for number in 0..<2_000 {
      let snapshot = FlowSnapshot(
        definition: "f", version: 1, status: number == 7 ? .runnable : .waiting,
        wakeAt: start.addingTimeInterval(Double(2_000 - number)))
      index.put(
        StoredFlow(id: FlowID("f-\(10_000 + number)"), revision: Revision(1), snapshot: snapshot, changedAt: start))
    }
    func looked(_ query: FlowQuery, finds count: Int) throws -> Int {
      var looks = 0
      let page = try index.list(query, after: nil, limit: 1_000) { _ in looks += 1 }
      #expect(page.flows.count == count)
      return looks
    }
    #expect(try looked(FlowQuery(status: [.runnable]), finds: 1) == 1)
    #expect(try looked(FlowQuery(status: [.waiting], dueBefore: start.addingTimeInterval(10.5)), finds: 10) == 10)
    #expect(try looked(FlowQuery(status: [.waiting], dueBefore: start), finds: 0) == 0)
  }

  @Test("a list of failed rollbacks, or of flows that ended long ago, visits the flows that match, not all flows")
  func indexOfEnded() throws {
    var index = FlowIndex()
    let start = Date(timeIntervalSince1970: 1_000)
    func put(_ number: Int, _ status: FlowSnapshot.Status, rollbackFailed: Bool = false, at seconds: Int) {
      let snapshot = FlowSnapshot(definition: "f", version: 1, status: status, rollbackFailed: rollbackFailed)
      index.put(
        StoredFlow(
          id: FlowID("f-\(10_000 + number)"), revision: Revision(1), snapshot: snapshot,
          changedAt: start.addingTimeInterval(Double(seconds))))
    }
    func looked(_ query: FlowQuery, finds count: Int) throws -> Int {
      var looks = 0
      let page = try index.list(query, after: nil, limit: 1_000) { _ in looks += 1 }
      #expect(page.flows.count == count)
      #expect(index.count(query, upTo: 1_000) == count)
      return looks
    }
    for number in 0..<2_000 { put(number, .finished, rollbackFailed: number % 500 == 3, at: 2_000 - number) }
    let ended: Set<FlowSnapshot.Status> = [.finished, .failed]
    #expect(try looked(FlowQuery(rollbackFailed: true), finds: 4) == 4)
    #expect(try looked(FlowQuery(status: ended, changedBefore: start.addingTimeInterval(10.5)), finds: 10) == 10)
    // One was changed again, one goes on, one is removed, and the rollback of one is retried.
    put(1_999, .failed, at: 5_000)
    put(1_998, .waiting, at: 2)
    index.remove("f-11997")
    put(3, .finished, at: 1_997)
    #expect(try looked(FlowQuery(status: ended, changedBefore: start.addingTimeInterval(10.5)), finds: 7) == 7)
    #expect(try looked(FlowQuery(rollbackFailed: true), finds: 3) == 3)
    #expect(try looked(FlowQuery(status: [.failed]), finds: 1) == 1)
  }
}

@Suite("Wake-up times of a host") struct HostWakingTests {
  private let clock = ManualWallClock()

  @Test("a requested poll stays requested when the host wakes earlier for another reason")
  func wishes() {
    let shared = HostContext(
      store: MemoryFlowStore(clock: clock), clock: clock, owner: "host", options: FlowHost.Options())
    let start = clock.now
    shared.poll(after: .seconds(5))
    #expect(shared.sleeps(until: start.addingTimeInterval(60), orTimers: true) == start.addingTimeInterval(5))
    shared.wakes(at: start.addingTimeInterval(1))
    #expect(shared.sleeps(until: start.addingTimeInterval(60), orTimers: true) == start.addingTimeInterval(5))
    shared.wakes(at: start.addingTimeInterval(5))
    #expect(shared.sleeps(until: start.addingTimeInterval(60), orTimers: true) == start.addingTimeInterval(60))
  }
}

@Suite struct TimerIndexTests {
  private let start = Date(timeIntervalSince1970: 1_000)

  private func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

  @Test("the first timer is the earliest one that has not fired")
  func next() {
    var index = TimerIndex()
    #expect(index.horizon == nil)
    index.beginReading()
    index.endReading(["a": at(30), "b": at(10), "c": at(20)], until: at(60))
    #expect(index.horizon == at(60))
    #expect(index.first == at(10))
    index.drop(until: at(10))
    #expect(index.first == at(20))
    index.note("c", at: nil)
    #expect(index.first == at(30))
    index.note("d", at: at(15))
    index.note("e", at: at(60))
    #expect(index.first == at(15))
    index.drop(until: at(30))
    #expect(index.first == nil)
  }

  @Test("ids that are equal as characters, and not as bytes, are two timers, also at the same time")
  func canonicallyEqual() {
    let ids: [FlowID] = ["caf\u{E9}", "cafe\u{301}"]
    var index = TimerIndex()
    index.beginReading()
    index.endReading([ids[0]: at(10), ids[1]: at(10)], until: at(60))
    index.note(ids[0], at: nil)
    #expect(index.first == at(10))
    index.note(ids[0], at: at(10))
    index.drop(until: at(10))
    #expect(index.first == nil)
  }

  @Test("a change of a flow during the read of the store overrides the read value")
  func news() {
    var index = TimerIndex()
    index.beginReading()
    index.note("a", at: at(40))
    index.note("b", at: nil)
    index.endReading(["a": at(10), "b": at(20), "c": at(50)], until: at(60))
    #expect(index.first == at(40))
    index.note("a", at: nil)
    #expect(index.first == at(50))
  }

  @Test("an entry that expires during the read of the store is read again")
  func stale() {
    var index = TimerIndex()
    index.beginReading()
    index.expire()
    index.endReading([:], until: at(60))
    #expect(index.horizon == nil)
    index.beginReading()
    index.endReading([:], until: at(60))
    #expect(index.horizon == at(60))
  }
}
