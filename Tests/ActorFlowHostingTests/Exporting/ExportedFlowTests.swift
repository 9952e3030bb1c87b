import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Flows that are taken from one store to another.
@Suite("Exported flows", .timeLimit(.minutes(15))) struct ExportedFlowTests {
  private let clock = ManualWallClock()
  private let old: MemoryFlowStore
  private let new: MemoryFlowStore
  private let log = Log()
  private let cleo = Principal(id: "cleo")

  init() { (old, new) = (MemoryFlowStore(clock: clock), MemoryFlowStore(clock: clock)) }

  /// Charges once, asks, and sends after an hour.
  private var order: Flow<String, String> {
    Flow("order") { [log] in
      Step("pay") {
        Scripted(backUp: { _ in log.add("refunded") }) { input, context in
          try await context.once("charge") { _ in
            log.add("charged")
            return input
          }
        }
      }
      Step("confirm") { (input: String, context: StepContext) in
        input + (try await context.ask(Form(text: input)))
      }
      Step("send") { (input: String, context: StepContext) in
        try await context.wait(for: Signal<String>("sooner"), within: .seconds(3_600)) ?? input
      }
    }
  }

  private func host(on store: any FlowStore, codec: (any BodyCodec)? = nil) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = codec
    // A host that is restarted under its name takes over at once.
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    try await host.register(order)
    return host
  }

  private func start(_ host: FlowHost, _ id: FlowID = "order-1") async throws {
    try await host.start("order", id: id, json: "\"-\"".utf8, labels: ["customer": "ann"])
    _ = try await host.flow(id).settled()
    await host.isQuiet()
  }

  @Test("a flow goes on in another store after a retry, with its questions, records and timers, and charges once")
  func goesOn() async throws {
    let (from, to) = (try await host(on: old), try await host(on: new))
    try await start(from)
    let line = try await from.flow("order-1").export().line
    #expect(!line.contains("\n"))
    let imported = try await to.importFlow(ExportedFlow(line: line), reason: "moved", by: cleo)
    let question = try #require(try await from.flow("order-1").view().questions.first)
    #expect(imported.status == .suspended && imported.questions.map(\.id) == [question.id])
    #expect(await code { try await to.flow("order-1").answer(question.id, with: "a") } == .suspended)
    let before = try await from.flow("order-1").history()
    let after = try await to.flow("order-1").history()
    #expect(Array(after.dropLast()) == before)
    #expect(after.last.map { [$0.what, $0.by, $0.detail] } == ["imported", "cleo", "moved"])
    #expect(after.last?.sequence == (before.last?.sequence ?? 0) + 1)
    #expect(try await to.list(FlowQuery(status: [.suspended])).flows.map(\.labels) == [["customer": "ann"]])
    try await to.flow("order-1").retry(reason: "the old one is off", by: cleo)
    _ = try await to.flow("order-1").settled()
    try await to.flow("order-1").answer(question.id, with: "a")
    _ = try await to.flow("order-1").settled()
    await to.isQuiet()
    clock.advance(by: .seconds(3_600))
    try await to.catchUp()
    #expect(try await to.flow("order-1").settled().status == .finished)
    #expect(log.all == ["charged"])
  }

  @Test("the example of the documentation")
  func example() async throws {
    let (old, new) = (try await host(on: old), try await host(on: new))
    try await start(old, "order-17")
    let line = try await old.flow("order-17").export().line  // JSON, for a file
    try await new.importFlow(ExportedFlow(line: line), reason: "moved to the new database")
    #expect(try await new.flow("order-17").view().status == .suspended)
  }

  @Test("an imported flow is compensated when it is abandoned, without a retry before")
  func abandoned() async throws {
    let (from, to) = (try await host(on: old), try await host(on: new))
    try await start(from)
    try await to.importFlow(try await from.flow("order-1").export())
    try await to.flow("order-1").abandon()
    #expect(try await to.flow("order-1").settled().status == .abandoned)
    #expect(log.all == ["charged", "refunded"])
  }

  @Test("no flow is written over, and an import that is repeated says so")
  func isThere() async throws {
    let (from, to) = (try await host(on: old), try await host(on: new))
    try await start(from)
    let exported = try await from.flow("order-1").export()
    #expect(await code { try await from.importFlow(exported) } == .alreadyStarted)
    #expect(try await from.flow("order-1").export() == exported)
    try await to.importFlow(exported)
    let stored = try await new.load("order-1")
    #expect(await code { try await to.importFlow(exported) } == .alreadyStarted)
    #expect(try await new.load("order-1") == stored)
    #expect(await code { try await from.flow("nobody").export() } == .noSuchFlow)
    #expect(await code { try await to.importFlow(exported, reason: "\0") } == .notStorable)
  }

  @Test("a flow that was deleted while a step runs is imported at once, and the old step's outcome counts for nothing")
  func deletedBefore() async throws {
    let gate = Gate()
    let slow = Flow<String, String>("slow") { [log] in
      Step("pay") { (input: String) in
        // A step that ignores its cancellation keeps the deleted flow in memory.
        await gate.pass()
        log.add("passed")
        return input
      }
    }
    let host = try await host(on: new)
    try await host.register(slow).start(id: "order-1", with: "-")
    await gate.reached(1)
    let flow = host.flow("order-1")
    let exported = try await flow.export()
    try await flow.delete(reason: "again")
    #expect(try await host.importFlow(exported, reason: "back").status == .suspended)
    gate.open()
    #expect(try await flow.view().status == .suspended)
    try await flow.retry(reason: "on")
    #expect(try await flow.settled().status == .finished)
    #expect(log.all == ["passed", "passed"])
  }

  @Test("the end of a deleted flow's step does not take the lease from the import of the flow")
  func deletedMeanwhile() async throws {
    let (gate, importing, stored) = (Gate(), Gate(), Gate())
    let isImporting = Variable(false)
    let store = FaultyStore(new) { call in
      guard isImporting.value, call.operation == .commit else { return nil }
      return .delay {
        importing.mark()
        await stored.pass()
      }
    }
    let host = FlowHost(store: store, clock: clock, owner: "host")
    let slow = Flow<String, String>("slow") { [log] in
      Step("pay") { (input: String) in
        await gate.pass()
        log.add("passed")
        return input
      }
    }
    try await host.register(slow).start(id: "order-1", with: "-")
    await gate.reached(1)
    let flow = host.flow("order-1")
    let exported = try await flow.export()
    try await flow.delete(reason: "again")
    isImporting.value = true
    let imported = Task { try await host.importFlow(exported, reason: "back") }
    await importing.reached()
    gate.open()
    while log.all.isEmpty { await Task.yield() }
    // The deleted flow leaves the host some turns after its step.
    for _ in 0..<1_000 { await Task.yield() }
    stored.open()
    #expect(try await imported.value.status == .suspended)
  }

  @Test("flows that have ended and flows that are suspended stay so, and no host needs the definition")
  func otherStatuses() async throws {
    let from = try await host(on: old)
    try await start(from, "done")
    try await from.flow("done").abandon(reason: "gone")
    _ = try await from.flow("done").settled()
    let failing = Flow<String, String>("failing") { Step("pay") { (_: String) -> String in throw Boom() } }
    try await from.register(failing).start(id: "stuck", with: "-")
    let stuck = try await from.flow("stuck").settled()
    await from.isQuiet()
    let to = FlowHost(store: new, clock: clock)
    for id: FlowID in ["done", "stuck"] {
      let exported = try await from.flow(id).export()
      let view = try await to.importFlow(try ExportedFlow(line: exported.line))
      #expect(view.status == exported.flow.snapshot.status)
    }
    #expect(try await to.flow("done").view().status == .abandoned)
    #expect(try await to.flow("stuck").view().failure == stuck.failure)
  }

  @Test("what is encrypted stays encrypted in the line, and a flow whose key is erased is brought in as it is")
  func codec() async throws {
    let codec = PersonCodec()
    let (from, to) = (try await host(on: old, codec: codec), try await host(on: new, codec: codec))
    try await start(from)
    try await from.flow("order-1").note("ann is ill", by: cleo)
    await from.isQuiet()
    let exported = try await from.flow("order-1").export()
    let line = try exported.line
    let content = try #require(line.firstRange(of: "\"content\":\"")).upperBound
    let bytes = try #require(Data(base64Encoded: String(line[content...].prefix { $0 != "\"" })))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("ann is ill"))
    try await to.importFlow(try ExportedFlow(line: line), reason: "ann moves")
    #expect(try await to.flow("order-1").history().suffix(2).map(\.detail) == ["ann is ill", "ann moves"])
    #expect(try await new.history(of: "order-1", after: 0, limit: 99).allSatisfy { $0.detail?.contains("ann") != true })
    _ = codec.erase("ann")
    let third = MemoryFlowStore(clock: clock)
    let last = try await host(on: third, codec: codec)
    #expect(try await last.importFlow(exported).status == .erased)
    #expect(try await third.history(of: "order-1", after: 0, limit: 99) == exported.history)
  }

  @Test("a line of which any byte was changed, lost or added is refused, and nothing is imported")
  func damaged() async throws {
    let from = try await host(on: old)
    try await start(from)
    let line = try await from.flow("order-1").export().line
    let bytes = Array(line.utf8)
    var refused = 0
    for index in stride(from: 0, to: bytes.count, by: 7) {
      for change in 0..<3 {
        var damaged = bytes
        switch change {
        case 0: damaged[index] ^= 1
        case 1: damaged.remove(at: index)
        default: damaged = Array(damaged[..<index])
        }
        // What is there for people alone may change, and the flow is the same.
        do {
          #expect(try ExportedFlow(line: String(decoding: damaged, as: UTF8.self)) == ExportedFlow(line: line))
        } catch {
          #expect([.corrupted, .unsupportedFormat].contains(error.code))
          refused += 1
        }
      }
    }
    #expect(refused > bytes.count / 7)
    let other = line.replacing("\"id\":\"order-1\"", with: "\"id\":\"order-2\"")
    #expect(throws: FlowStoreError.self) { try ExportedFlow(line: other) }
  }

  @Test("a host that dies at any call of an import has imported the flow whole, or not at all")
  func crashes() async throws {
    let from = try await host(on: old)
    try await start(from)
    let exported = try await from.flow("order-1").export()
    for limit in 0..<8 {
      let store = MemoryFlowStore(clock: clock)
      let faulty = FaultyStore(store) { call in call.number > limit ? .fail(.unavailable) : nil }
      if let dying = try? await host(on: faulty) {
        _ = try? await dying.importFlow(exported, reason: "moved")
        await dying.die()
      }
      let next = try await host(on: store)
      if try await store.load("order-1") == nil { try await next.importFlow(exported, reason: "moved") }
      #expect(try await next.flow("order-1").view().status == .suspended)
      #expect(try await next.flow("order-1").history().count { $0.what == "imported" } == 1)
      try await next.flow("order-1").retry()
      try await next.answerNext("order-1", "\"a\"")
    }
    #expect(log.all == ["charged"])
  }
}
