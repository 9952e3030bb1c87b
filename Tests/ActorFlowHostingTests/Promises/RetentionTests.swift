import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Hosts that remove the flows that are older than the retention of their definition.
@Suite("Retention", .timeLimit(.minutes(15))) struct RetentionTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  /// Fails for the answer `boom`. Its `backUp` fails for the input `stuck`.
  private func flow(_ name: String) -> Flow<String, String> {
    Flow(name) {
      Step("undone") { Undone() }
      Step("ask") { (input: String, context: StepContext) in
        let answer = try await context.ask(Form(text: input))
        if answer == "boom" { throw Boom() }
        return answer
      }
    }
    .onFailure(.rollBack)
  }

  private func host(
    _ owner: String = "host", on store: (any FlowStore)? = nil, remembering time: Duration = .zero
  ) throws -> FlowHost {
    var options = FlowHost.Options()
    options.retentionInterval = .seconds(600)
    options.rememberEnded = time
    return try FlowHost(store: store ?? self.store, clock: clock, owner: owner, options: options)
  }

  /// Runs hosts while `body` runs, then stops them. Each of them sleeps for its polls, its beats and its passes.
  private func running(_ hosts: FlowHost..., body: () async throws -> Void) async throws {
    let runs = hosts.map { host in Task { try await host.run() } }
    try await clock.waitForSleepers(3 * hosts.count)
    try await body()
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
  }

  /// Moves the clock, and waits until the running hosts are done.
  private func advance(by time: Duration, hosts: Int = 1) async throws {
    clock.advance(by: time)
    try await clock.waitForSleepers(3 * hosts)
  }

  private func end(
    _ id: FlowID, _ host: FlowHost, _ flows: RegisteredFlow<String, String>, with input: String = "-",
    by answer: String = "yes"
  ) async throws {
    try await flows.start(id: id, with: input)
    try await host.answerNext(id, "\"\(answer)\"")
    await host.isQuiet()
  }

  private var ids: [String] {
    get async throws {
      try await store.list(FlowQuery(), after: nil, limit: 1_000).flows.map(\.id.description).sorted()
    }
  }

  @Test("each kind of ending has its own time, and open flows and other definitions stay")
  func times() async throws {
    let host = try host()
    let retention = FlowHost.Retention(finished: .seconds(3_600), failed: .seconds(7_200))
    let flows = try await host.register(flow("f"), retention: retention)
    let others = try await host.register(flow("g"))
    try await end("finished", host, flows)
    try await end("failed", host, flows, by: "boom")
    try await end("other", host, others)
    try await flows.start(id: "abandoned", with: "-")
    try await host.flow("abandoned").abandon(reason: "late")
    try await flows.start(id: "open", with: "-")
    await host.isQuiet()
    try await running(host) {
      try await advance(by: .seconds(3_600))
      #expect(try await ids == ["abandoned", "failed", "finished", "open", "other"])  // exactly at the time
      try await advance(by: .seconds(600))
      #expect(try await ids == ["abandoned", "failed", "open", "other"])
      try await advance(by: .seconds(3_600))
      #expect(try await ids == ["abandoned", "open", "other"])
      try await advance(by: .seconds(1_000_000))
      #expect(try await ids == ["abandoned", "open", "other"])
    }
    #expect(try await store.history(of: "finished", after: 0, limit: 9).isEmpty)
  }

  @Test("the retention of the newest version holds for all, and a removed flow is remembered as a deleted one is")
  func versions() async throws {
    let first = try host("first")
    try await end("old", first, try await first.register(flow("f"), retention: .all(.zero)))
    let second = try host("second", remembering: .seconds(86_400))
    try await second.register(flow("f"), retention: .all(.zero))
    let newest = try await second.register(flow("f"), version: 2, retention: .all(.seconds(3_600)))
    try await running(second) {
      try await advance(by: .seconds(600))
      #expect(try await ids == ["old"])
      try await advance(by: .seconds(3_600))
      #expect(try await ids == [])
      #expect(await code { try await newest.start(id: "old", with: "-") } == .alreadyStarted)
    }
  }

  @Test("flows whose backUp failed, suspended flows and flows that cannot be read stay, and keep out no others")
  func kept() async throws {
    let host = try host()
    let flows = try await host.register(flow("f"), retention: .all(.zero))
    try await end("a stuck one", host, flows, with: "stuck", by: "boom")
    try await end("damaged", host, flows)
    let suspending = Flow<String, String>("s") { Step("a") { (_: String, _: StepContext) -> String in throw Boom() } }
    try await host.register(suspending, retention: .all(.zero)).start(id: "suspended", with: "-")
    _ = try await host.flow("suspended").settled()
    let found = try #require(try await store.load("damaged"))
    var snapshot = found.snapshot
    snapshot.body = [1, 2, 3]
    _ = try await store.commit(FlowWrite(snapshot, to: "damaged", expecting: found.revision))
    try await end("whole", host, flows)
    clock.advance(by: .seconds(1))
    try await running(host) {
      let left = try await ids
      #expect(left == ["a stuck one", "damaged", "suspended"])
      #expect(store.state.withLock { $0.leases["a stuck one"] } == nil)
    }
  }

  @Test("of two hosts one makes a pass, and the next pass of either comes after the interval")
  func twoHosts() async throws {
    let stores = [FaultyStore(store), FaultyStore(store)]
    let hosts = [try host("one", on: stores[0]), try host("two", on: stores[1])]
    let count = 250
    let flows = try await hosts[0].register(flow("f"), retention: .all(.zero))
    try await hosts[1].register(flow("f"), retention: .all(.zero))
    for number in 0..<count { try await end(FlowID("flow \(number)"), hosts[0], flows) }
    clock.advance(by: .seconds(1))
    let leased = stores.map { $0.count(of: .acquire) }
    try await running(hosts[0], hosts[1]) {
      #expect(try await ids == [])
      let deleted = stores.map { $0.count(of: .delete) }
      #expect(deleted.sorted() == [0, count])
      let looked = zip(stores, leased).map { $0.count(of: .acquire) - $1 }
      #expect(looked.sorted() == [0, count])
      try await end("later", hosts[0], flows)
      try await advance(by: .seconds(599), hosts: 2)
      #expect(try await ids == ["later"])
      try await advance(by: .seconds(1), hosts: 2)
      #expect(try await ids == [])
    }
  }

  @Test("a pass that the store interrupts goes on after a pause, and one whose host dies is made by the next host")
  func interrupted() async throws {
    let faulty = FaultyStore(store)
    let host = try host(on: faulty)
    let flows = try await host.register(flow("f"), retention: .all(.zero))
    for number in 0..<3 { try await end(FlowID("flow \(number)"), host, flows) }
    clock.advance(by: .seconds(1))
    let before = faulty.count(of: .delete)
    faulty.plan { $0.operation == .delete && $0.numberOfOperation > before + 1 ? .fail(.unavailable) : nil }
    try await running(host) {
      let left = try await ids
      #expect(left.count == 2)
      faulty.plan { _ in nil }
      try await advance(by: .seconds(5))
      #expect(try await ids == [])
      try await end("later", host, flows)
      try await advance(by: .seconds(10))
      #expect(try await ids == ["later"])
    }
    let next = try self.host("next")
    try await next.register(flow("f"), retention: .all(.zero))
    try await running(next) {
      #expect(try await ids == ["later"])
      try await advance(by: .seconds(600))
      #expect(try await ids == [])
    }
  }

  @Test("a retention below zero is refused, with the time in the error")
  func refused() async throws {
    let host = try host()
    let error = await #expect(throws: FlowError.self) {
      try await host.register(flow("f"), retention: .init(abandoned: .seconds(-1)))
    }
    #expect(error?.code == .badDefinition && error?.message.contains("abandoned flows") == true)
    #expect(await host.definitions.isEmpty)
  }
}

/// The decisions of a pass, without a host.
@Suite("Passes of retention") struct RetentionPassTests {
  private let start = Date(timeIntervalSinceReferenceDate: 1_000)

  private func pass(_ owner: String = "me") -> RetentionPass {
    RetentionPass(.all(.zero), owner: owner, interval: .seconds(100))
  }

  private func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

  private func claimed(
    by pass: inout RetentionPass, _ found: StoreNote?, at time: Date
  ) throws -> (note: StoreNote, replaced: StoreNote?) {
    let claim = pass.claim(found, at: time)
    return try #require(claim)
  }

  private func expectWaiting(_ pass: inout RetentionPass, for found: StoreNote, at time: Date) {
    let claim = pass.claim(found, at: time)
    #expect(claim == nil)
  }

  @Test("a store without a note is claimed until the end of the interval; the next pass begins then")
  func claimed() throws {
    var pass = pass()
    let claim = try claimed(by: &pass, nil, at: at(0))
    #expect(claim.replaced == nil && claim.note.until == at(100) && claim.note.bytes == Array("me".utf8))
    pass.note = claim.note
    pass.looked(upTo: nil, at: at(3))
    #expect(pass.next == at(100) && pass.note == nil)
    let next = try claimed(by: &pass, claim.note, at: at(100))
    #expect(next.replaced == claim.note)
  }

  @Test("another host's note is waited for, for one interval at most")
  func waiting() throws {
    var pass = pass()
    expectWaiting(&pass, for: StoreNote([1], until: at(40)), at: at(0))
    #expect(pass.next == at(40))
    expectWaiting(&pass, for: StoreNote([1], until: at(1_000_000)), at: at(40))
    #expect(pass.next == at(140))
    let over = StoreNote([1], until: at(140))
    let claim = try claimed(by: &pass, over, at: at(140))
    #expect(claim.replaced == over)
  }

  @Test("a long pass goes on at its page and moves its end when half of the interval is over")
  func long() throws {
    var pass = pass()
    let first = try claimed(by: &pass, nil, at: at(0)).note
    pass.note = first
    pass.looked(upTo: "page 1", at: at(10))
    let second = try claimed(by: &pass, nil, at: at(10))
    #expect(second.note == first && second.replaced == first && pass.cursor == "page 1")
    let third = try claimed(by: &pass, nil, at: at(50))
    #expect(third.note.until == at(150) && third.replaced == first && pass.cursor == "page 1")
  }

  @Test("a host that has lost its pass waits for the other one, and then begins at the first page")
  func lost() throws {
    var pass = pass()
    pass.note = try claimed(by: &pass, nil, at: at(0)).note
    pass.looked(upTo: "page 1", at: at(10))
    pass.lose()
    expectWaiting(&pass, for: StoreNote([1], until: at(90)), at: at(60))
    #expect(pass.next == at(90))
    _ = try claimed(by: &pass, StoreNote([1], until: at(90)), at: at(90))
    #expect(pass.cursor == nil)
  }

  @Test("a note of this host whose reply was lost counts as written")
  func lostReply() throws {
    var pass = pass()
    let claim = try claimed(by: &pass, nil, at: at(0))
    pass.tried = claim.note
    let again = try claimed(by: &pass, claim.note, at: at(1))
    #expect(again.note == claim.note && again.replaced == claim.note)
    // A process of the same name that was killed has written another note, or this one earlier.
    var restarted = self.pass()
    expectWaiting(&restarted, for: claim.note, at: at(1))
  }
}

/// Fails to undo the input `stuck`.
private actor Undone: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("input") { _ in input }
  }

  func backUp(context: RollbackContext) async throws {
    if case .done("stuck") = await context.record("input", as: String.self) { throw Boom() }
  }
}
