import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Several hosts under test", .timeLimit(.minutes(15))) struct SeveralHostsTests {
  private let log = Trace()

  @Test(
    "a host that crashes in a once is replaced by another when its lease expires; the once runs again, under one key")
  func crash() async throws {
    let (gate, second) = (Gate(), Gate())
    let keys = Trace()
    let flow = Flow<String, String>("checkout") {
      Step("shipping") { (cart: String, context: StepContext) in
        cart + " to " + (try await context.ask(TextForm(text: "address")))
      }
      Step("payment") { (order: String, context: StepContext) in
        try await context.once("charge") { key in
          keys.add(key)
          await (keys.all.count == 1 ? gate : second).pass()
        }
        return order + ", paid"
      }
    }
    try await testHost { tester in
      let orders = try await tester.deploy(flow)
      try await tester.addHost("B")
      try await orders.start(id: "o-1", with: "book")
      let question = try await tester.question(TextForm.self, of: "o-1")
      // The request itself, because the step that it resumes does not return.
      try await tester.on("tester") { try await tester.host.flow("o-1").answer(question.id, with: "Main St") }
      await gate.reached(1)
      try await tester.crash("tester")
      #expect(tester.hostNames == ["B"])
      second.open()
      try await tester.advance(by: .seconds(29))
      #expect(keys.all.count == 1)
      #expect(try await tester.view(of: "o-1").status == .runnable)
      try await tester.advance(by: .seconds(1))
      #expect(keys.all.count == 2)
      #expect(Set(keys.all).count == 1)
      gate.open()
      #expect(try await orders.finish("o-1") == "book to Main St, paid")
      // The crashed host's step has returned; nothing of it was written.
      try await tester.restart("tester")
      #expect(tester.hostNames == ["tester", "B"])
      let sequences = try await tester.history(of: "o-1").map(\.sequence)
      #expect(sequences == Array(1...sequences.count))
    }
  }

  @Test("a rolling deploy: flows move on at both versions while a step of the old one hangs, and follow their versions")
  func rollingDeploy() async throws {
    let (gate, open) = (Gate(), Gate())
    open.open()
    func version(_ number: Int, _ gate: Gate) -> Flow<String, String> {
      Flow("f") {
        Step("ask") { (input: String, context: StepContext) in
          "\(number): " + (try await context.ask(TextForm(text: input)))
        }
        Step("work") { [log] (input: String, _: StepContext) in
          log.add("work \(input)")
          if input.hasSuffix("slow") { await gate.pass() }
          return input
        }
      }
    }
    try await testHost { tester in
      let first = try await tester.deploy(version(1, gate))
      try await tester.addHost("B")
      for id in ["old", "slow"] as [FlowID] { try await first.start(id: id, with: "-") }
      let slow = try await tester.question(TextForm.self, of: "slow")
      tester.leaveExecuting("slow")
      try await tester.on("tester") {
        try await tester.answer(slow, with: "slow")
        await gate.reached(1)
      }
      // B is replaced by the new release, which has both versions; the host with the hanging step stays.
      let second = try await tester.on("B") { try await tester.deploy(version(2, open), version: 2) }
      try await second.start(id: "new", with: "-")
      try await tester.on("B") { try await tester.answer(TextForm.self, of: "old", with: "yes") }
      // A host renews its leases, so a step may take longer than a lease.
      try await tester.advance(by: .seconds(300))
      #expect(try await tester.on("tester") { await tester.host.atWork } == ["slow at f/work"])
      try await tester.on("B") { try await tester.answer(TextForm.self, of: "new", with: "yes") }
      #expect(try await first.finish("old") == "1: yes")
      #expect(try await second.finish("new") == "2: yes")
      let history = try await tester.history(of: "slow").map(\.what)
      #expect(!history.contains("finished"))
      gate.open()
      #expect(try await tester.awaitSteps(of: "slow").status == .finished)
      #expect(try await first.finish("slow") == "1: slow")
      #expect(log.all.sorted() == ["work 1: slow", "work 1: yes", "work 2: yes"])
    }
  }

  @Test("a paused host loses its flows when their leases expire, and what it writes then is refused")
  func pause() async throws {
    let gate = Gate()
    let open = Gate()
    open.open()
    let entered = Trace()
    let flow = Flow<String, String>("f") {
      Step("work") { [log] (input: String, context: StepContext) in
        entered.add("")
        let number = entered.all.count
        await (number == 1 ? gate : open).pass()
        try await context.once("effect") { _ in log.add("effect \(number)") }
        return "\(input) by \(number)"
      }.durableEntry()
    }
    try await testHost { tester in
      let flows = try await tester.deploy(flow)
      try await tester.addHost("B")
      tester.leaveExecuting("f")
      try await tester.on("tester") { try await flows.start(id: "f", with: "done") }
      await gate.reached(1)
      try tester.pause("tester")
      try await tester.advance(by: .seconds(29))
      #expect(entered.all.count == 1)
      try await tester.advance(by: .seconds(2))
      await open.reached(1)
      let taken = try await tester.on("B") { try await tester.awaitSteps(of: "f") }
      #expect(taken.status == .finished)
      gate.open()
      try await tester.resume("tester")
      #expect(try await flows.finish("f") == "done by 2")
      #expect(log.all == ["effect 2"])
    }
  }

  @Test("the hosts take turns, a chosen host gets all requests, and a host that does not run is named")
  func turns() async throws {
    let flow = Flow<Void, String>("f") {
      Step("ask") { (_: Void, context: StepContext) in try await context.ask(TextForm(text: "")) }
    }
    let other = Flow<Void, String>("g") {
      Step("ask") { (_: Void, context: StepContext) in try await context.ask(TextForm(text: "")) }
    }
    func failure(_ body: () async throws -> Void) async -> String? {
      (await #expect(throws: FlowTestFailure.self) { try await body() })?.message
    }
    try await testHost(exhaustive: false) { tester in
      let flows = try await tester.deploy(flow)
      #expect(await failure { try await tester.addHost("tester") }?.contains("\"tester\"") == true)
      try await tester.addHost("B")
      try await tester.addHost("C", deploying: false)
      let others = try await tester.on("C") { try await tester.deploy(other) }
      for number in 0..<4 { try await flows.start(id: FlowID("\(number)")) }
      // C lacks the definition of f, the others that of g.
      for number in 0..<2 { try await others.start(id: FlowID("g \(number)")) }
      #expect(
        await failure { _ = try await tester.on("C") { try await flows.start(id: "x") } }
          == "the definition was not deployed to the host \"C\"")
      try await tester.stop("B")
      #expect(tester.hostNames == ["tester", "C"])
      #expect(
        await failure { _ = try await tester.on("B") { try await tester.abandon("0") } }
          == "the host \"B\" does not run; start it with restart(_:)")
      #expect(await failure { try await tester.on("D") {} }?.hasPrefix("there is no host \"D\"") == true)
      try await tester.restart("B")
      try await tester.on("B") { try await tester.answer(TextForm.self, of: "0", with: "yes") }
      #expect(try await flows.finish("0") == "yes")
    }
    let plain = await failure {
      try await testHost(on: NoLeases(base: MemoryFlowStore())) { try await $0.addHost("B") }
    }
    #expect(plain?.contains("gives no leases") == true)
  }

  @Test("many timers fire at several hosts, once each, in order, and only at hosts that have the version")
  func manyTimers() async throws {
    func version(_ number: Int) -> Flow<String, String> {
      Flow("f") {
        Step("ask") { [log] (input: String, context: StepContext) in
          if let answer = try await context.ask(TextForm(text: input), within: Duration.day) { return answer }
          log.add(input)
          return "nobody \(number)"
        }
      }
    }
    try await testHost { tester in
      let flows = try await tester.deploy(version(1))
      try await tester.addHost("B")
      try await tester.addHost("C")
      let ids = (0..<20).map { FlowID("f-\($0)") }
      for id in ids { try await flows.start(id: id, with: "\(id)") }
      try await tester.advance(by: .day)
      #expect(log.all == ids.map(\.description).sorted())
      for id in ids { #expect(try await flows.finish(id) == "nobody 1") }
      for id in ids {
        let entries = try await tester.history(of: id)
        #expect(entries.last?.at == entries.first?.at.addingTimeInterval(86_400))
        #expect(entries.count { $0.what == "finished" } == 1)
      }
      // A host that has another version only takes none of them.
      let late = (0..<6).map { FlowID("g-\($0)") }
      for id in late { try await flows.start(id: id, with: "-") }
      try await tester.stop("B")
      try await tester.stop("C")
      try await tester.crash("tester")
      try await tester.addHost("D", deploying: false)
      try await tester.on("D") { try await tester.deploy(version(2), version: 2) }
      try await tester.advance(by: .day)
      for id in late { #expect(try await tester.view(of: id).status == .waiting) }
      try await tester.restart("B")
      for id in late { #expect(try await flows.finish(id) == "nobody 1") }
    }
  }

  @Test("a fact that was not asserted is named with the host that had the flow last")
  func exhaustive() async throws {
    let flow = Flow<String, String>("f") {
      Step("ask") { (input: String, context: StepContext) in try await context.ask(TextForm(text: input)) }
    }
    let failure = await #expect(throws: FlowTestFailure.self) {
      try await testHost { tester in
        let flows = try await tester.deploy(flow)
        try await tester.addHost("B")
        try await tester.on("tester") { try await flows.start(id: "1", with: "-") }
        try await tester.on("B") {
          try await flows.start(id: "2", with: "-")
          try await tester.abandon("1")
          try await flows.start(id: "3", with: "-")
        }
        try await tester.on("tester") { try await tester.answer(TextForm.self, of: "3", with: "yes") }
      }
    }
    #expect(
      failure?.message.split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } } == [
        "2 has an open question, \(TextForm.promptName) at f/ask (host \"B\")",
        "3 has ended, finished (host \"tester\")",
      ])
  }

  @Test("a request at a host that waits for another's lease fails with the name of the host, when patience is over")
  func waiting() async throws {
    let (gate, real) = (Gate(), ManualClock())
    let flow = Flow<String, String>("f") {
      Step("stuck") { (input: String, _: StepContext) in
        await gate.pass()
        return input
      }
    }
    let failure = await #expect(throws: FlowTestFailure.self) {
      try await testHost(exhaustive: false, patience: Patience(.seconds(1), clock: real)) { tester in
        defer { gate.open() }
        let flows = try await tester.deploy(flow)
        try await tester.addHost("B")
        tester.leaveExecuting("f")
        try await tester.on("tester") { try await flows.start(id: "f", with: "-") }
        await gate.reached(1)
        let impatience = Task {
          try await real.waitForSleepers()
          real.advance(by: .seconds(1))
        }
        defer { impatience.cancel() }
        try await tester.on("B") { try await tester.abandon("f") }
      }
    }
    #expect(failure?.message.hasSuffix("f at f/stuck, on the host \"tester\"") == true, "\(failure?.message ?? "")")
  }
}

/// A store that gives no leases, although its inner store does.
private struct NoLeases: FlowStore {
  let base: MemoryFlowStore

  func load(_ id: FlowID) async throws -> StoredFlow? { try await base.load(id) }
  func commit(_ write: FlowWrite) async throws -> StoredFlow { try await base.commit(write) }
  func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {
    try await base.delete(id, expecting: expecting, fence: fence)
  }
  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    try await base.list(query, after: cursor, limit: limit)
  }
  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    try await base.tasks(query, after: cursor, limit: limit)
  }
  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    try await base.history(of: id, after: sequence, limit: limit)
  }
  func note(_ key: String) async throws -> StoreNote? { try await base.note(key) }
  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    try await base.setNote(note, under: key, replacing: old)
  }
}
