import ActorFlow
import ActorFlowHosting
import Foundation
import ServiceLifecycle
import TemporalExample
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// Flows on Temporal's own server.
@Suite(.needsTemporal, ServedByTemporal(), .serialized, .timeLimit(.minutes(5))) struct LiveFlowTests {
  private static let checkout: @Sendable (TemporalFlowWorker) async throws -> Void = {
    try await $0.register(Checkout.flow(Provider()))
  }

  @Test func aCheckoutRunsToItsEnd() async throws {
    let (id, customer) = (FlowID(Served.name("order")), Served.name("ann"))
    try await Served.withWorker("checkout", registering: Self.checkout) { flows in
      let ann = Principal(id: customer, roles: ["customer"])
      try await flows.start("checkout", id: id, with: Order(item: "teapot"), labels: ["customer": customer], by: ann)
      try await flows.answerNext(id, "Main St 1")
      try await flows.answerNext(id, "by bike")
      let view = try await flows.answerNext(id, "card 1")
      #expect(view.status == .finished)
      let order = try JSONDecoder().decode(Order.self, from: Data(try #require(view.output)))
      #expect(order.answers == ["address": "Main St 1", "delivery": "by bike", "payment": "card 1"])
      let history = try await flows.history(of: id)
      #expect(history.map(\.sequence) == Array(1...history.count))
      #expect(history.first?.by == customer)
      #expect(history.filter { $0.what == "answered" }.count == 3)
      // The list is eventually consistent.
      let query = FlowQuery(definition: "checkout", status: [.finished], label: .init("customer", customer))
      var page = try await flows.list(query)
      for _ in 0..<100 where page.flows.isEmpty {
        try await Task.sleep(for: .milliseconds(50))
        page = try await flows.list(query)
      }
      #expect(page.flows.map(\.id) == [id])
    }
  }

  /// The server sends a ping with nearly every request; more than 200 in 30 seconds must not close the connection.
  @Test func manyCallsKeepTheConnection() async throws {
    let flows = try Served.flows("nobody")
    for _ in 0..<450 {
      _ = try await flows.client.call {
        try await $0.getSystemInfo(TemporalGetSystemInfoRequest(), metadata: $1, options: $2)
      }
    }
  }

  @Test func aStartIsIdempotent() async throws {
    let (id, flows) = (FlowID(Served.name("order")), try Served.flows("nobody"))
    try await flows.start("checkout", id: id, with: Order(item: "teapot"))
    try await flows.start("checkout", id: id, with: Order(item: "teapot"))
    await #expect(throws: TemporalFlowError.self) {
      try await flows.start("checkout", id: id, with: Order(item: "cup"))
    }
    do { _ = try await flows.view(id) } catch let error as TemporalFlowError { #expect(error.code == .noSuchFlow) }
  }

  @Test func refusalsReachTheCaller() async throws {
    let id = FlowID(Served.name("order"))
    try await Served.withWorker("checkout", registering: Self.checkout) { flows in
      func code(_ request: () async throws -> Void) async -> String {
        do {
          try await request()
          return "none"
        } catch { return (error as? TemporalFlowError)?.code.rawValue ?? "\(error)" }
      }
      try await flows.start("checkout", id: id, with: Order(item: "teapot"))
      let address = try #require(try await flows.settled(id).questions.first)
      #expect(await code { try await flows.answer(address.id, with: "") } == "invalid")
      #expect(await code { try await flows.answer(address.id, with: 7) } == "wrongAnswerType")
      let revision = try await flows.answer(address.id, with: "Main St 1", key: "one")
      #expect(try await flows.answer(address.id, with: "Main St 1", key: "one") == revision)
      #expect(await code { try await flows.answer(address.id, with: "Side St 2", key: "one") } == "keyReused")
      #expect(await code { try await flows.answer(address.id, with: "late") } == "questionClosed")
      #expect(await code { try await flows.retry(id) } == "notSuspended")
      #expect(await code { try await flows.abandon("no-such-flow") } == "noSuchFlow")
      #expect(await code { _ = try await flows.history(of: "no-such-flow") } == "noSuchFlow")
      try await flows.abandon(id, reason: "changed my mind", by: Principal(id: "ann"))
      let view = try await flows.settled(id)
      #expect(view.status == .abandoned)
      #expect(view.reason == "changed my mind")
      #expect(await code { try await flows.answer(address.id, with: "too late", key: "two") } == "flowEnded")
      #expect(try await flows.answer(address.id, with: "Main St 1", key: "one") == revision)
    }
  }

  @Test func aBackReturnsToTheStepBefore() async throws {
    let id = FlowID(Served.name("order"))
    try await Served.withWorker("checkout", registering: Self.checkout) { flows in
      try await flows.start("checkout", id: id, with: Order(item: "teapot"))
      let first = try await flows.answerNext(id, "Main St 1")
      #expect(first.steps == ["checkout/delivery"])
      let revision = try await flows.backUp(id, reason: "wrong address")
      #expect(try await flows.settled(id, after: revision).steps == ["checkout/address"])
    }
  }

  @Test func aSuspendedFlowIsRetried() async throws {
    let (id, works) = (FlowID(Served.name("failing")), Switch())
    let flow = TestFlows.failing(works)
    try await Served.withWorker("failing", registering: { try await $0.register(flow) }) { flows in
      try await flows.start("failing", id: id, with: "input")
      #expect(try await flows.settled(id).status == .suspended)
      works.turnOn()
      let revision = try await flows.retry(id, reason: "mended")
      #expect(try await flows.settled(id, after: revision).status == .finished)
    }
  }

  /// A finished flow that owes a `backUp` keeps its workflow open until an operator has had that called again.
  @Test func aFinishedFlowIsCompensatedAgain() async throws {
    let (id, refunds) = (FlowID(Served.name("charging")), Switch())
    let flow = TestFlows.charging(refunds)
    try await Served.withWorker("charging", registering: { try await $0.register(flow) }) { flows in
      func code(_ key: String) async -> String? {
        do {
          try await flows.compensateAgain(id, reason: "the bank is back", by: Principal(id: "cleo"), key: key)
          return nil
        } catch { return (error as? TemporalFlowError)?.code.rawValue ?? "\(error)" }
      }
      func status() async throws -> TemporalWorkflowExecutionStatus {
        try await flows.describe(id).workflowExecutionInfo.status
      }
      try await flows.start("charging", id: id, with: "")
      try await flows.answerNext(id, "card")
      #expect(await code("early") == "notActive")
      let revision = try await flows.backUp(id)
      let back = try await flows.settled(id, after: revision)
      #expect(back.steps == ["charging/card"])
      #expect(back.rollbackFailed)
      try await flows.answerNext(id, "card")
      let finished = try await flows.answerNext(id, "signature")
      #expect(finished.status == .finished)
      #expect(finished.undoFailures.map(\.step) == ["charging/pay"])
      #expect(await code("one") == "rollbackFailed")
      #expect(try await status() == .running)
      refunds.turnOn()
      // The key was used, and its outcome stays.
      #expect(await code("one") == "rollbackFailed")
      #expect(await code("two") == nil)
      let view = try await flows.view(id)
      #expect(view.status == .finished)
      #expect(view.output == finished.output)
      #expect(!view.rollbackFailed)
      #expect(try await status() == .completed)
      #expect(await code("two") == nil)
      #expect(await code("three") == "flowEnded")
      let entries = try await flows.history(of: id).filter { $0.what.hasPrefix("compensat") }
      #expect(entries.map(\.what) == ["compensationFailed", "compensated"])
      #expect(entries.map(\.by) == ["cleo", "cleo"])
    }
  }

  /// An operator has terminated a workflow, and the time of another one is over.
  @Test func aFlowWhoseWorkflowOthersHaveEndedHasEnded() async throws {
    let (one, two) = (FlowID(Served.name("order")), FlowID(Served.name("order")))
    try await Served.withWorker("foreign", registering: Self.checkout) { flows in
      try await flows.start("checkout", id: one, with: Order(item: "teapot"))
      let input = String(decoding: try JSONEncoder().encode(Order(item: "teapot")), as: UTF8.self)
      try Served.operate(
        "workflow", "start", "--type", "checkout", "--task-queue", "foreign", "--workflow-id", "\(two)", "--input",
        input,
        "--execution-timeout", "2s")
      for id in [one, two] { #expect(try await flows.settled(id).status == .waiting) }
      try Served.operate("workflow", "terminate", "--workflow-id", "\(one)", "--reason", "a mistake")
      let view = try await ended(one, flows)
      #expect(view.status == .abandoned)
      #expect(view.steps.isEmpty)
      let question = try #require(view.questions.first)
      let error = await #expect(throws: TemporalFlowError.self) { try await flows.answer(question.id, with: "late") }
      #expect(error?.code == .flowEnded)
      #expect(try await ended(two, flows).status == .failed)
      // The list is eventually consistent.
      let query = FlowQuery(definition: "checkout", status: [.abandoned, .failed])
      var ids: Set<FlowID> = []
      for _ in 0..<100 where !ids.isSuperset(of: [one, two]) {
        ids = Set(try await flows.list(query).flows.map(\.id))
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(ids.isSuperset(of: [one, two]))
      let open = try await flows.list(FlowQuery(definition: "checkout", status: [.waiting])).flows.map(\.id)
      #expect(!open.contains(one) && !open.contains(two))
    }
  }

  /// A worker that is told to end finishes the effect under way and stores it. Another one goes on at once.
  @Test func aWorkerThatIsToldToEndFinishesTheWorkAtHand() async throws {
    let (id, calls) = (FlowID(Served.name("slow")), Counter())
    let flow = TestFlows.slow(.seconds(1), calls)
    let worker = try Served.worker("ending")
    try await worker.register(flow)
    let flows = try Served.flows("ending")
    let service = ServiceGroup(services: [worker], logger: worker.options.logger)
    try await withThrowingTaskGroup { group in
      group.addTask { try await service.run() }
      try await flows.start("slow", id: id, with: "")
      while calls.value == 0 { try await Task.sleep(for: .milliseconds(20)) }
      await service.triggerGracefulShutdown()
      try await group.waitForAll()
    }
    try await Served.withWorker("ending", registering: { try await $0.register(flow) }) { flows in
      let view = try await flows.settled(id)
      #expect(view.questions.count == 1)
      #expect(calls.value == 1)
    }
  }

  /// A codec that is away at the start delays the flow, and does not end its workflow.
  @Test func aFlowWaitsForItsCodec() async throws {
    let (id, works, isThere) = (FlowID(Served.name("failing")), Switch(), Switch())
    works.turnOn()
    let flow = TestFlows.failing(works)
    try await Served.withWorker(
      "away", changing: { $0.host.codec = SwitchedCodec(isThere: isThere) },
      registering: { try await $0.register(flow) }
    ) { flows in
      try await flows.start("failing", id: id, with: "input")
      try await Task.sleep(for: .seconds(1))
      isThere.turnOn()
      let view = try await flows.settled(id, after: Revision(1), within: .seconds(40))
      #expect(view.output == Array(#""input""#.utf8))
    }
  }

  @Test func aTimerOfTheServerWakesTheFlow() async throws {
    let id = FlowID(Served.name("patient"))
    let flow = TestFlows.patient(.seconds(1))
    try await Served.withWorker(
      "patient", registering: { try await $0.register(flow, stores: .signal(TestFlows.noted)) }
    ) {
      flows in
      try await flows.start("patient", id: id, with: "")
      #expect(try await flows.settled(id).wakeAt != nil)
      let view = try await ended(id, flows)
      #expect(view.output == Array(#""nothing came""#.utf8))
    }
  }

  @Test func signalsComeByCallerAndFromTemporal() async throws {
    let (one, two) = (FlowID(Served.name("patient")), FlowID(Served.name("patient")))
    let flow = TestFlows.patient(.seconds(600))
    try await Served.withWorker(
      "patient", registering: { try await $0.register(flow, stores: .signal(TestFlows.noted)) }
    ) {
      flows in
      for id in [one, two] {
        try await flows.start("patient", id: id, with: "")
        _ = try await flows.settled(id)
      }
      #expect(try await flows.send("hello", to: TestFlows.noted, of: one, key: "1") == .accepted)
      #expect(try await ended(one, flows).output == Array(#""hello""#.utf8))
      // Another system knows nothing of this package.
      var request = TemporalSignalWorkflowExecutionRequest()
      request.namespace = flows.client.namespace
      request.workflowExecution.workflowID = "\(two)"
      request.signalName = "noted"
      request.input = TemporalPayloads(.json(Array(#""from afar""#.utf8)))
      request.requestID = "once"
      _ = try await flows.client.call { [request] in
        try await $0.signalWorkflowExecution(request, metadata: $1, options: $2)
      }
      #expect(try await ended(two, flows).output == Array(#""from afar""#.utf8))
    }
  }

  /// A step that takes three times the task's time, and twice the server's limit of heartbeats, is called once.
  @Test func heartbeatsKeepALongStep() async throws {
    let (id, calls) = (FlowID(Served.name("slow")), Counter())
    let flow = TestFlows.slow(.seconds(6), calls)
    try await Served.withWorker("slow", registering: { try await $0.register(flow) }) { flows in
      try await flows.start("slow", id: id, with: "")
      let view = try await flows.settled(id, after: Revision(2), within: .seconds(20))
      #expect(view.questions.count == 1)
      #expect(calls.value == 1)
    }
  }

  /// An abandon reaches a step that is at work, with the next heartbeat at the latest.
  @Test func anAbandonReachesALongStep() async throws {
    let (id, calls) = (FlowID(Served.name("slow")), Counter())
    let flow = TestFlows.busy(calls)
    try await Served.withWorker("slow", registering: { try await $0.register(flow) }) { flows in
      try await flows.start("slow", id: id, with: "")
      while calls.value == 0 { try await Task.sleep(for: .milliseconds(20)) }
      try await flows.abandon(id)
      #expect(try await flows.settled(id).status == .abandoned)
    }
  }

  @Test func aLongFlowGoesOnInNewRuns() async throws {
    let id = FlowID(Served.name("counting"))
    try await Served.withWorker("counting", changing: { $0.runEvents = 50 }) {
      try await $0.register(TestFlows.counting)
    } _: { flows in
      try await flows.start("counting", id: id, with: 0)
      for number in 1...20 { try await flows.answerNext(id, number, key: "n\(number)") }
      let run = try #require(try await flows.client.readRun(of: id))
      #expect(run.continuedRun != nil)
      #expect(run.lastEvent < 90)
      let view = try await flows.answerNext(id, 0)
      #expect(view.output == Array("210".utf8))
      let history = try await flows.history(of: id)
      #expect(history.filter { $0.what == "answered" }.count == 21)
      #expect(history.map(\.sequence) == Array(1...history.count))
    }
  }

  /// An answer that is too large, or with which the flow is, is refused at once. The task that brings it has more bytes
  /// than gRPC takes by default.
  @Test func aSnapshotOverTheLimitIsRefusedAndTheFlowStays() async throws {
    let id = FlowID(Served.name("collecting"))
    try await Served.withWorker("collecting", registering: { try await $0.register(TestFlows.collecting) }) { flows in
      func text(_ letter: Character, _ count: Int) -> String { String(repeating: letter, count: count) }
      try await flows.start("collecting", id: id, with: "")
      let first = try #require(try await flows.settled(id).questions.first)
      let revision = try await flows.answer(first.id, with: text("x", 1_040_000))
      let second = try #require(try await flows.settled(id, after: revision).questions.first)
      for answer in [text("y", 1_040_000), text("y", 1_900_000), text("y", 2_100_000)] {
        let began = ContinuousClock.now
        let error = await #expect(throws: TemporalFlowError.self) { try await flows.answer(second.id, with: answer) }
        #expect(error?.code == .tooLarge)
        #expect(.now - began < flows.options.requestTime / 2)
      }
      #expect(try await flows.settled(id).questions.map(\.id) == [second.id])
    }
  }

  @Test func anotherWorkerGoesOnWithTheFlows() async throws {
    let id = FlowID(Served.name("order"))
    try await Served.withWorker("handed", registering: Self.checkout) { flows in
      try await flows.start("checkout", id: id, with: Order(item: "teapot"))
      try await flows.answerNext(id, "Main St 1")
    }
    try await Served.withWorker("handed", registering: Self.checkout) { flows in
      try await flows.answerNext(id, "by bike")
      #expect(try await flows.answerNext(id, "card 1").status == .finished)
    }
  }

  /// The second version is deployed while flows of the first wait; a worker of the first that is left hands them over.
  @Test func waitingFlowsMoveToASecondVersion() async throws {
    let ids = (0..<5).map { _ in FlowID(Served.name("order")) }
    try await Served.withWorker("deployed", registering: Self.checkout) { flows in
      for id in ids {
        try await flows.start("checkout", id: id, with: Order(item: "teapot"))
        try await flows.answerNext(id, "Main St 1")
      }
    }
    let second: @Sendable (TemporalFlowWorker) async throws -> Void = {
      try await $0.register(Checkout.flow(Provider(), hasGift: true), version: 2, from: 1)
    }
    try await Served.withWorker("deployed", registering: second) { flows in
      for id in ids {
        try await flows.answerNext(id, "by bike")
        let view = try await flows.answerNext(id, "card 1")
        #expect(view.version == 2)
        let order = try JSONDecoder().decode(Order.self, from: Data(try #require(view.output)))
        #expect(order.receipts["gift"] != nil)
      }
    }
  }

  /// Workers of both versions poll one queue. An order that has come to the second is never worked on by the first.
  @Test func workersOfTwoVersionsShareAQueue() async throws {
    let ids = (0..<8).map { _ in FlowID(Served.name("order")) }
    let ledgers = ["old", "new"].map { NSTemporaryDirectory() + Served.name($0) }
    defer { for ledger in ledgers { try? FileManager.default.removeItem(atPath: ledger) } }
    let first: @Sendable (TemporalFlowWorker) async throws -> Void = {
      try await $0.register(Checkout.flow(Provider(ledger: ledgers[0])))
    }
    let second: @Sendable (TemporalFlowWorker) async throws -> Void = {
      try await $0.register(Checkout.flow(Provider(ledger: ledgers[1]), hasGift: true), version: 2, from: 1)
    }
    try await Served.withWorker("shared", registering: first) { flows in
      for id in ids {
        try await flows.start("checkout", id: id, with: Order(item: "teapot"))
        try await flows.answerNext(id, "Main St 1")
      }
      // The worker of the first version is still there.
      try await Served.withWorker("shared", registering: second) { flows in
        try await withThrowingDiscardingTaskGroup { group in
          for id in ids {
            group.addTask {
              try await flows.answerNext(id, "by bike", within: .seconds(60))
              let view = try await flows.answerNext(id, "card 1", within: .seconds(60))
              #expect(view.status == .finished)
              let order = try JSONDecoder().decode(Order.self, from: Data(try #require(view.output)))
              #expect((order.receipts["gift"] != nil) == (view.version == 2))
              let moves = try await flows.history(of: id).filter { $0.detail == "1 → 2" }
              #expect(moves.count == (view.version == 2 ? 1 : 0))
            }
          }
        }
      }
    }
    let (old, new) = (try Provider.entries(of: ledgers[0]), try Provider.entries(of: ledgers[1]))
    // Each effect was done once, by one of the two, and the gifts by the second.
    #expect(Set((old + new).map(\.key)).count == old.count + new.count)
    #expect(!old.contains { $0.what == "gift" })
    #expect(new.contains { $0.what == "gift" })
  }

  /// The very flow of the other tests, on a host with a store in memory.
  @Test func theFlowRunsUnchangedOnAHost() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let checkouts = try await host.register(Checkout.flow(Provider()))
    try await checkouts.start(id: "order", with: Order(item: "teapot"))
    for line in ["Main St 1", "by bike", "card 1"] {
      let question = try #require(try await host.flow("order").settled().questions.first)
      try await host.flow("order").answer(question.id, with: line)
    }
    #expect(try await host.flow("order").settled().status == .finished)
  }

  private func ended(_ id: FlowID, _ flows: TemporalFlows) async throws -> FlowView {
    for _ in 0..<400 {
      let view = try await flows.view(id)
      if view.status.isTerminal { return view }
      try await Task.sleep(for: .milliseconds(25))
    }
    return try await flows.view(id)
  }
}
