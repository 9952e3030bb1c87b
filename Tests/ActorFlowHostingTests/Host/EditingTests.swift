import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// An operator's edits of what is stored of a flow.
@Suite("Editing", .timeLimit(.minutes(15))) struct EditingTests {
  private struct Order: Codable, Sendable, Equatable {
    var city: String
    var cents: Int
    var corrected: Order { Order(city: "Bern", cents: cents) }
  }

  private actor Pay: FlowStep {
    private let log: Log
    init(_ log: Log) { self.log = log }

    func proceed(_ order: Order, context: StepContext) async throws -> Order {
      let receipt = try await context.once("charge") { [log] key in
        log.add("charged \(order.cents)")
        return "receipt of \(order.cents)"
      }
      let card = try await context.ask(Form(text: "\(order.city): \(receipt)"))
      let sign = try await context.ask(Form(text: "\(order.city), \(card), \(receipt)"))
      return Order(city: "\(order.city) \(card) \(sign)", cents: order.cents)
    }

    func backUp(context: RollbackContext) async {
      let receipt = await context.record("charge", as: String.self)
      log.add("undone with \(receipt)")
    }
  }

  private let log = Log()
  private let store = MemoryFlowStore()
  private let cleo = Principal(id: "cleo")

  private var flow: Flow<Order, Order> {
    Flow("order") {
      Step("pay") { Pay(log) }
      Step("ship") { (order: Order) -> Order in
        if order.cents < 0 { throw Boom() }
        return order
      }
      Step("end") { (order: Order, context: StepContext) in
        _ = try await context.ask(Form(text: order.city))
        return order
      }
    }
  }

  private func started(_ host: FlowHost, _ cents: Int = 5) async throws -> HostedFlow {
    try await host.register(flow).start(id: "o", with: Order(city: "Basel", cents: cents))
    _ = try await host.flow("o").settled()
    return host.flow("o", by: cleo)
  }

  private func text(_ view: FlowView) throws -> String? { try view.questions.first?.prompt(as: Form.self).text }

  @Test("an input, an answer and a record are corrected: the step asks again with them, and repeats no effect")
  func values() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host)
    let question = try #require(try await flow.view().questions.first?.id)
    let edited = try await flow.edit(
      [.input(of: "pay") { (order: Order) in order.corrected }], reason: "the customer has moved", by: cleo)
    #expect(try text(edited) == "Bern: receipt of 5")
    #expect(edited.questions.map(\.id) == [question] && edited.questions.first?.revision == 2)
    try await host.answerNext("o", "\"visa\"")
    let answered = try await flow.edit([
      .answer(of: "order/pay", key: "Form") { (_: String) in "amex" },
      .record(of: "order/pay", key: "charge") { (_: String) in "receipt of 7" },
    ])
    #expect(try text(answered) == "Bern, amex, receipt of 7")
    #expect(log.all == ["charged 5"])
    try await flow.abandon()
    #expect(log.all.last == "undone with done(\"receipt of 7\")")
    let entries = try await flow.history().filter { $0.what == "edited" }
    #expect(entries.map(\.detail) == ["the customer has moved", nil] && entries.map(\.by) == ["cleo", "cleo"])
    let history = try await flow.history()
    #expect(history.map(\.sequence) == Array(1...history.count))
  }

  @Test("a suspended flow stays so until it is retried with the corrected input")
  func suspended() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host, -1)
    for _ in 0..<2 { try await host.answerNext("o", "\"x\"") }
    #expect(try await flow.settled().status == .suspended)
    let edited = try await flow.edit([.input(of: "ship") { (order: Order) in Order(city: order.city, cents: 1) }])
    #expect(edited.status == .suspended && edited.failure != nil)
    try await flow.retry()
    #expect(try await flow.settled().steps == ["order/end"])
  }

  @Test("an edit that is refused changes nothing, and leaves the question where it is")
  func refused() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host)
    let before = try await flow.view().revision
    #expect(await code { try await flow.edit([]) } == .notStorable)
    #expect(await code { try await flow.edit([.forget("elsewhere")]) } == .noSuchStep)
    #expect(await code { try await flow.edit([.input(of: "end") { (order: Order) in order }]) } == .noSuchStep)
    #expect(await code { try await flow.edit([.input(of: "pay") { (cents: Int) in cents }]) } == .typeMismatch)
    #expect(await code { try await flow.edit([.input(of: "pay") { (_: Order) in 1 }]) } == .unmigrated)
    #expect(await code { try await flow.edit([.rename("pay", to: "paid")]) } == .unmigrated)
    await #expect(throws: Boom.self) { try await flow.edit([.custom { _ in throw Boom() }]) }
    #expect(try await flow.view().revision == before)
    try await flow.abandon()
    await host.isQuiet()
    #expect(await code { try await flow.edit([.custom { _ in }]) } == .flowEnded)
  }

  @Test("Rule 2: a step is taken from the flow only if the edit names it, and the history says that it was forgotten")
  func forgetting() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host)
    for _ in 0..<2 { try await host.answerNext("o", "\"1\"") }
    let before = try await flow.settled()
    #expect(before.stack.map(\.name) == ["end", "ship", "pay"])
    let reenter = Move.reenter("end", at: "end") { (order: Order) in order }
    let custom = Move.custom { state in
      for step in state.steps.dropLast() { try state.forget(step) }
    }
    for (moves, steps): ([Move], Set<StepID>) in [
      ([.forget("pay")], []), ([.forget("pay")], ["ship"]), ([.forget("pay"), .forget("ship")], ["pay"]),
      ([reenter], ["pay"]), ([custom], ["order/pay"]),
    ] {
      let error = await #expect(throws: FlowError.self) { try await flow.edit(moves, forgetting: steps) }
      #expect(error?.code == .compensationOwed && error?.step.map { steps.contains($0) } == false)
    }
    #expect(try await flow.view().revision == before.revision)
    let edited = try await flow.edit(
      [custom, reenter], forgetting: ["order/pay", "ship", "end"], reason: "paid by hand")
    #expect(edited.stack.map(\.name) == ["end"])
    let history = try await flow.history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    let entries = history.filter { $0.what == "forgotten" }
    #expect(entries.map(\.step) == ["order/pay", "order/ship", "order/end"])
    #expect(entries.allSatisfy { $0.detail == "paid by hand" && $0.by == "cleo" })
    try await flow.abandon()
    #expect(log.all == ["charged 5"])
  }

  @Test("Rule 2: a step that the edit renames may be named by its old name or by its new one, and by no other")
  func forgettingRenamed() async throws {
    for (names, isTaken): (Set<StepID>, Bool) in [
      (["pay"], true), (["order/pay"], true), (["paid"], true), (["order/settled"], true), (["ship"], false),
    ] {
      let host = FlowHost(store: MemoryFlowStore())
      let flow = try await started(host)
      for _ in 0..<2 { try await host.answerNext("o", "\"1\"") }
      _ = try await flow.settled()
      let moves: [Move] = [
        .rename("pay", to: "paid"), .rename("order/paid", to: "order/settled"), .forget("settled"),
      ]
      guard isTaken else {
        #expect(await code { try await flow.edit(moves, forgetting: names) } == .compensationOwed)
        continue
      }
      let edited = try await flow.edit(moves, forgetting: names)
      #expect(edited.stack.map(\.name) == ["end", "ship"], "\(names)")
      #expect(try await flow.history().filter { $0.what == "forgotten" }.map(\.step) == ["order/settled"])
    }
  }

  @Test("a name in `forgetting` that is no step is refused, and a known step may be named in vain")
  func forgettingNothing() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host)
    let before = try await flow.view().revision
    let change = Move.input(of: "pay") { (order: Order) in order.corrected }
    for name in ["pya", "order/pay/pay", "other/pay", ""] as [StepID] {
      let error = await #expect(throws: FlowError.self) { try await flow.edit([change], forgetting: ["pay", name]) }
      #expect(error?.code == .noSuchStep && error?.step == name)
      #expect(error?.message.hasSuffix("the flow has entered order/pay") == true, "\(error?.message ?? "")")
    }
    #expect(try await flow.view().revision == before)
    // The flow has not come to `end`, but others of its definition may have.
    try await flow.edit([change], forgetting: ["pay", "order/end"])
    #expect(try await flow.view().revision > before)
  }

  @Test("a way back that a forgotten step has closed stays closed", arguments: [nil, "first"] as [StepID?])
  func forgettingOneWay(named step: StepID?) async throws {
    let flow = Flow<String, String>("mail") {
      Step<String, String>("first") { Asker() }
      Step<String, String>("sent") { Asker() }.onBackUp(.oneWay)
      Step<String, String>("seen") { Asker() }.onBackUp(.passThrough)
      Step<String, String>("last") { Asker() }
    }
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "m", with: "-")
    let mail = host.flow("m")
    for _ in 0..<3 { try await host.answerNext("m", "\"1\"") }
    let edited = try await mail.edit([.forget("sent")], forgetting: ["sent"])
    #expect(edited.stack.map(\.name) == ["last", "seen", "first"] && !edited.canBackUp)
    let code = await code {
      if let step { try await mail.backUp(to: step) } else { try await mail.backUp() }
    }
    #expect(code == .cannotBackUp)
  }

  @Test("a way back that a lost branch has closed stays closed")
  func losingOneWay() async throws {
    let flow = Flow<String, String>("forked") {
      Step<String, String>("first") { Asker() }
      Parallel {
        Flow<String, String>("left") {
          Step<String, String>("a") { Asker() }.onBackUp(.oneWay)
          Step<String, String>("c") { Asker() }
        }
        Step<String, String>("b") { Asker() }
      } join: {
        $0 + $1
      }
    }
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    let forked = host.flow("f")
    try await host.answerNext("f", "\"1\"")
    let branches = try await forked.settled()
    try await forked.answer(try #require(branches.questions.first { $0.step.name == "a" }?.id), with: "1")
    #expect(try await forked.settled().questions.contains { $0.step.name == "c" })
    let lost = Move.branches(of: "forked/parallel", from: [nil, 1], forgettingSteps: true)
    let edited = try await forked.edit([lost], forgetting: ["a", "c"])
    #expect(edited.questions.count == 2 && !edited.canBackUp)
    #expect(await code { try await forked.backUp() } == .cannotBackUp)
  }

  @Test("an edit that names a record, an answer or a state that the step does not have is refused, with those it has")
  func missingKeys() async throws {
    let flow = try await started(FlowHost(store: store))
    let before = try await flow.view().revision
    let moves: [(Move, known: String)] = [
      (.record(of: "pay", key: "chrage") { (_: String) in "" }, "which has \"charge\""),
      (.answer(of: "pay", key: "Form") { (_: String) in "" }, "which has none"),
      (.forgetAnswer(of: "pay", key: "Form"), "which has none"),
      (.state(of: "pay", child: "Row") { (_: Int) in 0 }, "which has none"),
    ]
    for (move, known) in moves {
      do {
        _ = try await flow.edit([.input(of: "pay") { (order: Order) in order.corrected }, move])
        Issue.record("the edit was done")
      } catch let error as FlowError {
        #expect(error.code == .noSuchStep && error.message.hasSuffix(known), "\(error.message)")
      }
    }
    #expect(try await flow.view().revision == before)
  }

  @Test("Rule 2: a branch that has entered a step is lost only if the edit names the step")
  func forgettingBranches() async throws {
    let host = FlowHost(store: store)
    let forked = Flow<String, String>("forked") {
      Parallel {
        Step("a") { Asker() }
        Step("b") { Asker() }
      } join: {
        $0 + $1
      }
    }
    try await host.register(forked).start(id: "f", with: "-")
    let begun = try await host.flow("f").settled()
    try await host.flow("f").answer(try #require(begun.questions.first { $0.step.name == "a" }?.id), with: "1")
    // The newest place of a branch, also of one that has ended, is not taken away: it shares its records with its track.
    for move in [Move.forget("a"), .custom { try $0.forget("a") }, .forget("b")] {
      #expect(await code { try await host.flow("f").edit([move], forgetting: ["a", "b"]) } == .badDefinition)
    }
    let lost = Move.branches(of: "forked/parallel", from: [nil, 1], forgettingSteps: true)
    #expect(await code { try await host.flow("f").edit([lost]) } == .compensationOwed)
    let edited = try await host.flow("f").edit([lost], forgetting: ["a"])
    #expect(edited.questions.count == 2)
    #expect(try await host.flow("f").history().filter { $0.what == "forgotten" }.count == 1)
  }

  @Test("Rule 2: a `backUp` that has thrown in a branch counts among the steps that are lost with the branch")
  func forgettingFailures() async throws {
    let (gate, isFirst) = (Gate(), Variable(true))
    let backUp: @Sendable (RollbackContext) async throws -> Void = { _ in
      if isFirst.value {
        isFirst.value = false
        throw Boom()
      }
      await gate.pass()
    }
    let host = FlowHost(store: store)
    let forked = Flow<String, String>("forked") {
      Parallel {
        Race {
          Step<String, String>("a") { Asker() }
          Step("b") { Scripted(backUp: backUp) { try await $1.ask(Form(text: $0)) } }
          Step("d") { Scripted(backUp: backUp) { try await $1.ask(Form(text: $0)) } }
        }
        Step<String, String>("c") { Asker() }
      } join: {
        $0 + $1
      }
    }
    try await host.register(forked).start(id: "f", with: "-")
    let question = try await host.flow("f").settled().questions.first { $0.step.name == "a" }
    let winner = try #require(question?.id)
    async let answered = host.flow("f").answer(winner, with: "1")
    await gate.reached()
    var state = StoredState(MachineSnapshot(), values: host.shared.values)
    while state.machine.failedPlaces.isEmpty {
      await Task.yield()
      let stored = try #require(try await store.load("f"))
      state = StoredState(try host.shared.state(of: stored).machine, values: host.shared.values)
    }
    let failed = state.machine.failedPlaces.map(\.visit.step)
    try state.changeBranches(of: "forked/parallel", from: [nil, 1], forgettingSteps: true)
    #expect(Set(failed).isSubset(of: state.forgotten) && state.machine.failedPlaces.isEmpty)
    gate.open()
    _ = try? await answered
    try await host.flow("f").delete()
  }

  @Test("one key is one edit, also of the same moves that are sent several times at once")
  func key() async throws {
    let host = FlowHost(store: store)
    let flow = try await started(host)
    let more: [Move] = [.input(of: "pay") { (order: Order) in Order(city: order.city + "+", cents: order.cents) }]
    try await withThrowingTaskGroup { group in
      for _ in 0..<5 { group.addTask { try await flow.edit(more, key: "k") } }
      try await group.waitForAll()
    }
    #expect(try text(try await flow.settled()) == "Basel+: receipt of 5")
    #expect(await code { try await flow.edit([.forget("pay")], key: "k") } == .keyReused)
    #expect(await code { try await flow.edit(more, forgetting: ["ship"], key: "k") } == .keyReused)
    #expect(await code { try await flow.edit(more, key: "") } == .notStorable)
  }

  @Test("an edit that was done before, or whose key is bad, leaves the flow in memory")
  func inMemory() async throws {
    let witness = Witness()
    var options = FlowHost.Options()
    (options.keepHot, options.observers) = (.seconds(3_600), [witness])
    let host = try FlowHost(store: store, clock: ManualWallClock(), options: options)
    let flow = try await started(host)
    let moves: [Move] = [.input(of: "pay") { (order: Order) in order.corrected }]
    func passivations() -> Int { witness.words(of: "o").count { $0 == "passivated" } }
    let edited = try await flow.edit(moves, key: "k")
    #expect(passivations() == 1)
    #expect(try await flow.edit(moves, key: "k").revision == edited.revision)
    #expect(await code { try await flow.edit([.forget("pay")], key: "k") } == .keyReused)
    #expect(await code { try await flow.edit(moves, key: "") } == .notStorable)
    #expect(await code { try await flow.edit(moves, key: String(repeating: "k", count: 10_000)) } == .tooLarge)
    #expect(passivations() == 1)
    #expect(try await flow.view().revision == edited.revision)
  }

  @Test("a flow that no version fits any more goes on when it is edited so that it does")
  func unmigrated() async throws {
    let first = FlowHost(store: store, owner: "first")
    let old = Flow<String, String>("order") { Step("pay") { Asker() } }
    try await first.register(old).start(id: "o", with: "Basel 5")
    _ = try await first.flow("o").settled()
    await first.isQuiet()
    let second = FlowHost(store: store, owner: "second")
    try await second.register(self.flow, version: 2, from: 1)
    #expect(
      await code { try await second.flow("o").answer(.init(flow: "o", run: 1, number: 1), json: "1".utf8) }
        == .unmigrated)
    try await second.flow("o").edit(
      [.reenter("pay", at: "pay") { (text: String) in Order(city: text, cents: 5) }], forgetting: ["pay"])
    let edited = try await second.flow("o").settled()
    #expect(edited.status == .waiting)
    #expect(try text(edited) == "Basel 5: receipt of 5")
  }

  @Test("a flow that has moved to another version is edited there, and its moves are not made again")
  func moved() async throws {
    let first = FlowHost(store: store, owner: "first")
    let old = Flow<Int, String>("order") {
      Step("pay") { (_: Int, context: StepContext) in try await context.ask(Form(text: "card?")) }
    }
    try await first.register(old).start(id: "o", with: 5)
    _ = try await first.flow("o").settled()
    await first.isQuiet()
    var options = FlowHost.Options()
    options.keepHot = .seconds(3_600)
    let second = try FlowHost(store: store, owner: "second", options: options)
    let new = Flow<Order, String>("order") {
      Step("pay") { (_: Order, context: StepContext) in try await context.ask(Form(text: "card?")) }
    }
    try await second.register(
      new, version: 2, from: 1, moves: [.input(of: "pay") { (cents: Int) in Order(city: "Basel", cents: cents) }])
    try await second.catchUp()
    _ = try await second.flow("o").settled()
    try await second.flow("o").edit([.custom { _ in }])
    try await second.answerNext("o", "\"visa\"")
    #expect(try await second.flow("o").settled().status == .finished)
  }

  @Test("a store that fails at any call leaves the flow as it was or as it is edited")
  func deaths() async throws {
    var calls = 0
    var hasDied = true
    while hasDied {
      let store = MemoryFlowStore()
      let tests = EditingTests()
      let first = FlowHost(store: store, owner: "first")
      try await first.register(tests.flow).start(id: "o", with: Order(city: "Basel", cents: 5))
      _ = try await first.flow("o").settled()
      await first.isQuiet()
      let left = Lock(Int.max)
      let faulty = FaultyStore(store) { _ in
        left.withLock { left in
          left -= 1
          return left < 0 ? .fail(.unavailable) : nil
        }
      }
      let dying = FlowHost(store: faulty, clock: ManualWallClock(), owner: "dying")
      try await dying.register(tests.flow)
      left.withLock { $0 = calls }
      _ = try? await dying.flow("o").edit([.input(of: "pay") { (order: Order) in order.corrected }], key: "k")
      hasDied = left.withLock { $0 < 0 }
      let last = FlowHost(store: store, owner: "dying")
      try await last.register(tests.flow)
      let view = try await last.flow("o").edit([.input(of: "pay") { (order: Order) in order.corrected }], key: "k")
      #expect(try tests.text(view) == "Bern: receipt of 5", "\(calls)")
      #expect(try await last.flow("o").history().count { $0.what == "edited" } == 1, "\(calls)")
      calls += 1
    }
    #expect(calls > 2)
  }

  @Test("requests beside many edits at one host come after them, and none is refused")
  func crowd() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("asks") { Step("a") { Asker() } }
    let flows = try await host.register(flow)
    for round in 0..<20 {
      let id = FlowID("\(round)")
      try await flows.start(id: id, with: "-")
      let question = try #require(try await host.flow(id).settled().questions.first?.id)
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            do { try await host.flow(id).edit([.custom { _ in }]) } catch let error as FlowError {
              // The answer came first.
              #expect(error.code == .flowEnded)
            }
          }
        }
        group.addTask { try await host.flow(id).note("seen") }
        group.addTask { try await host.flow(id).answer(question, with: "y") }
        try await group.waitForAll()
      }
      #expect(try await host.flow(id).settled().status == .finished)
    }
  }
}
