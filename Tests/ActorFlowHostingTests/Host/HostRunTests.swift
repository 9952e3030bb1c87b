import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Hosts that run", .timeLimit(.minutes(15))) struct HostRunTests {
  private let clock = ManualWallClock()
  private let store: MemoryFlowStore
  private let log = Log()
  private let reminded = Gate()

  init() {
    store = MemoryFlowStore(clock: clock)
  }

  private func host(_ owner: String = "host") -> FlowHost { FlowHost(store: store, clock: clock, owner: owner) }

  /// Asks for at most four days, and reminds every day.
  private var patient: Flow<String, String> {
    Flow("patient") {
      Step("ask") { (input: String, context: StepContext) in
        let answer = try await context.ask(
          Form(text: input), within: .seconds(4 * 86_400),
          reminding: .every(.seconds(86_400), max: 10) { [log, reminded] number in
            log.add("reminder \(number)")
            reminded.mark()
          })
        return answer ?? "nobody"
      }
    }
  }

  /// Runs a host while `body` runs, then stops it.
  private func running(_ host: FlowHost, _ body: () async throws -> Void) async throws {
    let run = Task { try await host.run() }
    try await body()
    run.cancel()
    try await run.value
  }

  @Test("a deadline and reminders are timers that outlive the step and the host")
  func deadline() async throws {
    let first = host("first")
    try await running(first) {
      try await first.register(patient).start(id: "p", with: "-")
      let view = try await first.flow("p").settled()
      #expect(view.wakeAt == view.startedAt.addingTimeInterval(86_400))
    }
    #expect(await code { try await first.flow("p").answer(Form.self, with: "late") } == .hostStopping)
    let second = host("second")
    let flows = try await second.register(patient)
    try await running(second) {
      for day in 1...3 {
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(86_400))
        await reminded.reached(day)
        await second.isQuiet()
      }
      #expect(log.all == ["reminder 1", "reminder 2", "reminder 3"])
      try await clock.waitForSleepers(2)
      let events = second.flow("p").events
      clock.advance(by: .seconds(86_400))
      for await _ in events {}
      #expect(try await flows.outcome(of: "p") == .finished("nobody"))
    }
  }

  @Test("the flows of a dead host are claimed by another one within the lease's time")
  func orphans() async throws {
    let gate = Gate()
    let flow = Flow<String, String>("f") {
      Step("slow") { (input: String, _: StepContext) in
        await gate.pass()
        return input + "!"
      }.durableEntry()
    }
    let first = host("first")
    let flows = try await first.register(flow)
    try await flows.start(id: "f", with: "-")
    await gate.reached(1)
    // The host dies: it does nothing any more.
    let second = host("second")
    try await second.register(flow)
    try await running(second) {
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(31))
      await gate.reached(2)
      let events = second.flow("f").events
      gate.open()
      for await _ in events {}
      #expect(try await flows.outcome(of: "f") == .finished("-!"))
    }
    let history = try await second.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
  }

  @Test("a host that is stopped passivates its running flows, and another host continues them")
  func stopped() async throws {
    let (gate, left) = (Gate(), Gate())
    let flow = Flow<String, String>("f") {
      Step("a") { (input: String, context: StepContext) in
        try await context.once("work") { [log] _ in log.add("work") }
        await withTaskCancellationHandler {
          await gate.pass()
        } onCancel: {
          left.mark()
        }
        try Task.checkCancellation()
        return input + "!"
      }
    }
    let first = host("first")
    let flows = try await first.register(flow)
    let run = Task { try await first.run() }
    try await flows.start(id: "f", with: "-")
    await gate.reached(1)
    run.cancel()
    await left.reached()
    gate.open()
    try await run.value
    #expect(try await first.flow("f").view().status == .runnable)
    let second = host("second")
    let again = try await second.register(flow)
    try await running(second) { _ = try await second.flow("f").settled() }
    #expect(try await again.outcome(of: "f") == .finished("-!"))
    #expect(log.all == ["work"])
  }

  @Test("two hosts on one store answer flows at random: each answer counts once, and every flow ends")
  func twoHosts() async throws {
    let flow = Flow<String, String>("f") {
      Step("a") { Asker() }
      Step("b") { Asker() }
      Step("c") { Asker() }
    }
    let hosts = [FlowHost(store: store, owner: "first"), FlowHost(store: store, owner: "second")]
    var flows: [RegisteredFlow<String, String>] = []
    for host in hosts { flows.append(try await host.register(flow)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        let (started, id) = (flows[number % 2], FlowID("f\(number)"))
        group.addTask {
          try await started.start(id: id, with: "-")
          for answer in 1...3 {
            let host = hosts[(number / 2 + answer) % 2]
            let question = try await patiently { try await host.flow(id).settled().questions.first?.id }
            let open = try #require(question)
            try await patiently { _ = try await host.flow(id).answer(open, json: "\"\(answer)\"".utf8) }
            try await patiently { _ = try await host.flow(id).settled() }
          }
          #expect(try await started.outcome(of: id) == .finished("-123"))
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<100 {
      let history = try await hosts[0].flow(FlowID("f\(number)")).history()
      #expect(history.map(\.sequence) == Array(1...history.count))
      #expect(history.filter { $0.what == "answered" }.count == 3)
    }
  }
}

/// Asks again if the other host still runs the flow: on a busy machine it may need longer than a request waits.
private func patiently<Value>(_ request: () async throws -> Value) async throws -> Value {
  while true {
    do { return try await request() } catch let error as FlowStoreError where error.code == .leased {}
  }
}
