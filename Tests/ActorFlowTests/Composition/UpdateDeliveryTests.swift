import ActorFlow
import Testing

/// Asks, and takes numbers while it stands on the stack.
private actor Basket: ReceivingStep {
  typealias Receive = @Sendable (Int) async throws -> Void

  private let trace: Trace
  private let more: Receive
  private var latest = 0

  init(_ trace: Trace, receiving more: @escaping Receive) {
    self.trace = trace
    self.more = more
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    let name = context.step.name
    trace.add("\(name):proceed \(latest)")
    let answer = try await context.ask(Form(text: name))
    if answer == "self" { try await context.send(1, to: Basket.self) }
    return input + answer
  }

  func backUp(context: RollbackContext) { trace.add("\(context.step.name):backUp") }

  func receive(_ update: Int) async throws {
    trace.add("receive \(update)")
    latest = update
    try await more(update)
  }
}

@Suite("Updates for earlier steps") struct UpdateDeliveryTests {
  private let trace = Trace()

  /// A step that takes numbers, and does `more` with each.
  private func basket(_ name: String, receiving more: @escaping Basket.Receive = { _ in }) -> Step<String, String> {
    Step(name) { Basket(trace, receiving: more) }
  }

  private func traced(_ name: String, proceed: @escaping ScriptedStep.Proceed) -> Step<String, String> {
    .scripted(name, backUp: { [trace] _ in trace.add("\(name):backUp") }, proceed: proceed)
  }

  /// Sends these to the nearest basket, then asks.
  private func sender(_ name: String, _ numbers: Int...) -> Step<String, String> {
    traced(name) { input, context in
      for number in numbers { try await context.send(number, to: Basket.self) }
      return input + (try await context.ask(Form(text: name)))
    }
  }

  /// Backs up to the nearest basket with this number.
  private func returning(_ name: String, _ number: Int) -> Step<String, String> {
    traced(name) { _, context in try await context.backUp(to: Basket.self, delivering: number) }
  }

  /// Starts a flow, and answers its first questions with these texts.
  private func begin(
    answering answers: String..., @FlowBuilder flow: () -> some FlowComponent<String, String>
  ) async throws -> Launched<String> {
    let run = launch(Flow("f", flow), with: "-")
    for answer in answers { try await run.answer(answer) }
    return run
  }

  @Test("SF-07 the nearest of two receivers gets it, and the flow does not move")
  func nearest() async throws {
    let run = try await begin(answering: "1", "2") {
      basket("a")
      basket("b")
      sender("c", 7)
    }
    try await run.coordinator.settled()
    #expect(trace.all == ["a:proceed 0", "b:proceed 0", "receive 7"])
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.last == "b:proceed 7")
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.last == "a:proceed 0")
    try await run.coordinator.abandon()
  }

  @Test("SF-08 a step never receives its own update; without another receiver before it the sender gets notActive")
  func own() async throws {
    let run = try await begin(answering: "self") { basket("a") }
    #expect(await run.code == .notActive)
    #expect(trace.all == ["a:proceed 0", "a:backUp"])
    let second = try await begin(answering: "1", "self") {
      basket("a")
      basket("b")
    }
    #expect(try await second.result.get() == "-1self")
    #expect(trace.all.suffix(3) == ["a:proceed 0", "b:proceed 0", "receive 1"])
  }

  @Test("an update reaches a step before the fork from a branch, and none in a sibling")
  func branches() async throws {
    let run = try await begin(answering: "1") {
      basket("a")
      Parallel {
        basket("b")
        sender("c", 7)
      } join: {
        $0 + $1
      }
    }
    let position = try await run.coordinator.settled()
    #expect(position.questions.count == 2)
    let question = try #require(position.questions.first { $0.step.name == "c" })
    try await run.coordinator.backUp(from: question.id)
    try await run.coordinator.settled()
    #expect(trace.all.last == "a:proceed 7")
    try await run.coordinator.abandon()
  }

  @Test("FS-08 no receiver, or a step that has ended: notActive, and nothing is delivered")
  func nowhereToSend() async throws {
    let leaked = Lock<StepContext?>(nil)
    let run = try await begin(answering: "1") {
      basket("a")
      Step<String, String>.scripted("b") { input, context in
        leaked.withLock { $0 = context }
        return input
      }
      sender("c")
    }
    try await run.coordinator.settled()
    let context = try #require(leaked.withLock { $0 })
    #expect(await code { try await context.send(9, to: Basket.self) } == .notActive)
    #expect(!trace.all.contains("receive 9"))
    try await run.answer("2")
    #expect(try await run.result.get() == "-12")
    #expect(try await begin { sender("c", 1) }.code == .notActive)
  }

  @Test("FS-09 of several updates the step gets the latest")
  func latest() async throws {
    let run = try await begin(answering: "1") {
      basket("a")
      sender("b", 1, 2, 3)
    }
    try await run.coordinator.settled()
    try await run.coordinator.backUp()
    try await run.coordinator.settled()
    #expect(trace.all.last == "a:proceed 3")
    try await run.coordinator.abandon()
  }

  @Test("leaving the sender waits until receive has returned")
  func leavingWaits() async throws {
    let hold = Checkpoint()
    let run = try await begin(answering: "1") {
      basket("a") { [trace] _ in
        await hold.pass()
        trace.add("received")
      }
      sender("b", 1)
    }
    await hold.reached()
    let abandon = await run.filing { try await $0.abandon() }
    hold.open()
    try await abandon.value
    #expect(trace.all == ["a:proceed 0", "receive 1", "received", "b:backUp", "a:backUp"])
  }

  @Test("SF-10 a back with a delivery compensates everything first, then delivers, then the receiver proceeds")
  func delivering() async throws {
    let run = try await begin(answering: "1", "2") {
      basket("a")
      sender("b")
      returning("c", 7)
    }
    let position = try await run.coordinator.settled()
    #expect(trace.all == ["a:proceed 0", "c:backUp", "b:backUp", "a:backUp", "receive 7", "a:proceed 7"])
    #expect(position.stack.map(\.step.name) == ["a"])
    try await run.coordinator.abandon()
    #expect(await run.lines.contains("backedUp c→a 0"))
  }

  @Test("a back with a delivery, from a branch to before the fork: the fork is left as a whole first")
  func deliveringFromBranch() async throws {
    let run = try await begin(answering: "1") {
      basket("a")
      Parallel {
        Step("b") { Asker(trace) }
        returning("c", 7)
      } join: {
        $0 + $1
      }
    }
    _ = await event("backedUp parallel→a 0", of: run.coordinator)
    let position = try await run.coordinator.settled()
    #expect(position.branches.isEmpty && position.questions.map(\.step.name) == ["a"])
    #expect(trace.all.suffix(3) == ["a:backUp", "receive 7", "a:proceed 7"])
    #expect(Set(trace.all).isSuperset(of: ["c:backUp"]))
    try await run.coordinator.abandon()
  }

  @Test("a receive that throws fails the sender of an update, and the receiver of a back's delivery")
  func throwing() async throws {
    let send = try await begin(answering: "1") {
      basket("a") { _ in throw Failure("full") }
      sender("b", 1)
    }
    #expect(await send.error as? Failure == Failure("full"))
    #expect(await send.lines.contains("failed b"))
    let back = try await begin(answering: "1") {
      basket("a") { _ in throw Failure("full") }
      returning("b", 1)
    }
    #expect(await back.error as? Failure == Failure("full"))
    #expect(await back.lines.suffix(3) == ["backedUp b→a 0", "failed a", "rolledBack 0"])
  }

  @Test("Rule 2: a receiver that a back has compensated is not compensated again when its receive throws")
  func compensatedOnce() async throws {
    let run = try await begin(answering: "1") {
      basket("a") { _ in throw Failure("full") }
      returning("b", 1)
    }
    #expect(await run.error as? Failure == Failure("full"))
    #expect(trace.all == ["a:proceed 0", "b:backUp", "a:backUp", "receive 1"])
  }

  @Test(
    "Rule 2: a compensated receiver is not compensated again when the flow is left while it receives",
    arguments: [true, false])
  func leftWhileReceiving(byCancelling: Bool) async throws {
    let hold = Checkpoint()
    let run = try await begin(answering: "1") {
      basket("a") { _ in await hold.pass() }
      returning("b", 1)
    }
    await hold.reached()
    let abandon = byCancelling ? nil : await run.filing { try await $0.abandon() }
    if byCancelling { run.run.cancel() }
    hold.open()
    try await abandon?.value
    _ = await run.result
    #expect(trace.all == ["a:proceed 0", "b:backUp", "a:backUp", "receive 1"])
  }

  @Test("Rule 2: a compensated receiver is not compensated again when a later back passes it while it receives")
  func backWhileReceiving() async throws {
    let hold = Checkpoint()
    let run = try await begin(answering: "0", "1") {
      Step("first") { Asker(trace) }
      basket("a") { _ in await hold.pass() }
      returning("b", 1)
    }
    await hold.reached()
    let back = await run.filing { try await $0.backUp() }
    hold.open()
    try await back.value
    try await run.coordinator.settled()
    #expect(
      trace.all == [
        "first:proceed(-)", "a:proceed 0", "b:backUp", "a:backUp", "receive 1", "first:backUp", "first:proceed(-)",
      ])
    try await run.coordinator.abandon()
  }

  @Test("Rule 2: a receiver that has received and proceeds is compensated by the next leave")
  func enteredAfterReceiving() async throws {
    let run = try await begin(answering: "1") {
      basket("a")
      returning("b", 1)
    }
    try await run.coordinator.settled()
    try await run.coordinator.abandon()
    #expect(trace.all == ["a:proceed 0", "b:backUp", "a:backUp", "receive 1", "a:proceed 1", "a:backUp"])
  }

  @Test("an attempt after a receive that threw receives the update again")
  func retriedReceive() async throws {
    let count = Count()
    let run = try await begin(answering: "1") {
      basket("a") { _ in if count.next() == 1 { throw Failure("busy") } }.retry(2)
      returning("b", 1)
    }
    try await run.coordinator.settled()
    try await run.coordinator.abandon()
    #expect(
      trace.all == ["a:proceed 0", "b:backUp", "a:backUp", "receive 1", "receive 1", "a:proceed 1", "a:backUp"])
  }

  @Test("beyond a one-way step a back with a delivery is refused, and nothing has changed; an update is not refused")
  func oneWay() async throws {
    let step = Step<String, String>.scripted("c") { input, context in
      try await context.send(3, to: Basket.self)
      do { try await context.backUp(to: Basket.self, delivering: 7) } catch let error as FlowError {
        return input + "\(error.code == .cannotBackUp)"
      }
    }
    for inBranch in [false, true] {
      let charge = Flow {
        Step("b") { Automatic(trace) }.onBackUp(.oneWay)
        step
      }
      let run = try await begin(answering: "1") {
        basket("a")
        if inBranch { Race { charge } } else { charge }
      }
      #expect(try await run.result.get() == "-1btrue")
    }
    #expect(trace.all.filter { $0.hasPrefix("receive") } == ["receive 3", "receive 3"])
  }

  @Test("without a receiver a back with a delivery is refused with cannotBackUp")
  func noReceiver() async throws {
    #expect(try await begin { returning("c", 7) }.code == .cannotBackUp)
  }
}
