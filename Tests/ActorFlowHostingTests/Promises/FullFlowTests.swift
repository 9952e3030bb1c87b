import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// However full a flow is, it can be left.
@Suite("Full flows", .timeLimit(.minutes(15))) struct FullFlowTests {
  private static let paid = Signal<String>("paid")
  private static let junk = Signal<String>("junk")

  private let store = MemoryFlowStore()
  private let log = Log()

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  /// A text of this length that differs from those of other numbers: equal values of a flow are stored once.
  private static func text(_ count: Int, _ number: Int) -> String { "\(1_000_000 + number)" + text(count - 7) }

  /// The way in which the flow is filled.
  enum Way: CaseIterable { case answers, signals, keys, records }

  /// Charges; then asks again and again for the next action, and stays on the stack with every answer.
  private var flow: Flow<String, String> {
    Flow("full") {
      Step("charge") { Charger(log) }
      Loop {
        Step("work") { [log] (_: String, context: StepContext) -> Again<String, String> in
          let answer = try await context.ask(Form(text: ""))
          guard answer == "records" else { return answer == "end" ? .done("done") : .again(answer) }
          for number in 0..<1_000 {
            _ = try await context.once("\(number)") { _ in
              log.add("effect")
              return Self.text(number < 15 ? 256 << 10 : 8 << 10, number)
            }
          }
          return .done("all recorded")
        }
      }
    }
  }

  /// Fills the flow until it refuses more of the kind, and then answers until it refuses answers as well.
  private func fill(_ host: FlowHost, by way: Way) async throws {
    switch way {
    case .answers: break
    case .records:
      try await host.answerNext("f", #""records""#)
      return await host.isQuiet()
    case .signals:
      for number in 0..<5 {
        #expect(try await host.flow("f").send(Self.text(200_000, number), to: Self.junk, key: "\(number)") == .accepted)
      }
      #expect(
        await code { try await host.flow("f").send(Self.text(200_000), to: Self.junk, key: "5") } == .signalsFull)
    case .keys:
      try await host.change("f", in: store) { state in
        let key = Self.text(250)
        state.machine.signals.keys = (0..<4_000).map { PackedSignals.Key(signal: key, key: "\(key)\($0)") }
        state.requests = (0..<1_000).map { AppliedRequest(key: "\(key)\($0)", digest: 0) }
      }
    }
    // Ever smaller values, until there is no room at all.
    var number = 0
    for size in [400_000, 40_000, 4_000, 400] {
      while await code({ try await host.answerNext("f", "\"\(Self.text(size, number))\"") }) == nil { number += 1 }
    }
    await host.isQuiet()
  }

  @Test(
    "however a flow was filled, it is abandoned and rolled back, and `once` in a backUp has room",
    arguments: Way.allCases)
  func abandoned(_ way: Way) async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    try await fill(host, by: way)
    let full = try #require(try await store.load("f"))
    let size = full.snapshot.encoded().count
    #expect(size > FlowSnapshot.maximumBytes - 320 << 10 && size <= FlowSnapshot.maximumBytes - 64 << 10, "\(size)")
    let view = try await host.flow("f").abandon(reason: "full", key: Self.text(256))
    #expect(view.status == .abandoned && !view.rollbackFailed)
    #expect(try await flows.outcome(of: "f") == .abandoned(reason: "full"))
    #expect(log.all.filter { $0 == "refund paid" }.count == 1)
  }

  @Test("a full flow refuses requests with nothing written; it can be backed up, and then accepts more")
  func refused() async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    try await fill(host, by: .answers)
    let full = try #require(try await store.load("f"))
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    await host.isQuiet()
    let error = await #expect(throws: FlowError.self) {
      try await host.flow("f").answer(question, with: Self.text(900))
    }
    #expect(error?.code == .tooLarge && error?.flow == "f")
    #expect(error?.message.contains("of at most 3932160 that requests may fill") == true)
    #expect(error?.message.contains("abandon the flow") == true)
    #expect(await code { try await host.flow("f").send(Self.text(900), to: Self.paid, key: "k") } == .tooLarge)
    await host.isQuiet()
    #expect(try await store.load("f") == full)
    #expect(try await host.flow("f").backUp().steps == ["full/work"])
    try await host.answerNext("f", #""end""#)
    #expect(try await host.flow("f").settled().status == .finished)
  }

  /// Adds to a flow's input until its snapshot has this many bytes.
  private func pad(_ host: FlowHost, to size: Int) async throws {
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    let old = try await host.stored("f").0.snapshot.encoded().count
    // The input and the body are each preceded by their length.
    try await host.change("f", in: store) { $0.input.bytes += Array(repeating: 0, count: size - old - 8) }
    let count = try await host.stored("f").0.snapshot.encoded().count
    #expect(size - 8...size ~= count)
  }

  @Test("a flow that its own steps have filled to the last byte is abandoned, whatever the size of the request")
  func toTheBrim() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    try await pad(host, to: FlowSnapshot.maximumBytes - 64 << 10)
    #expect(await code { try await host.answerNext("f", #""end""#) } == .tooLarge)
    let view = try await host.flow("f").abandon(reason: Self.text(1_024), key: Self.text(256))
    #expect(view.status == .abandoned && !view.rollbackFailed)
    #expect(log.all.filter { $0 == "refund paid" }.count == 1)
  }

  @Test("an action without room is refused like an answer: the rendering stays as it was, and nothing has failed")
  func actions() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<Void, String>("basket") { Step("basket") { Basket(prices: .unknown) } }
    try await host.register(flow).start(id: "f")
    try await host.answerNext("f", #"{"add":{"_0":"tea"}}"#)
    try await pad(host, to: FlowSnapshot.maximumBytes - 256 << 10)
    let before = try await store.load("f")
    for action in [#"{"add":{"_0":"milk"}}"#, #"{"done":{}}"#] {
      #expect(await code { try await host.answerNext("f", action, key: action) } == .tooLarge, "\(action)")
      await host.isQuiet()
      #expect(try await store.load("f") == before, "\(action)")
    }
    let question = try #require(try await host.flow("f").settled().questions.first)
    #expect(try question.prompt(as: Basket.View.self).lines == ["tea x1"])
    #expect(try await host.flow("f").abandon().status == .abandoned)
  }

  @Test(
    "without room for its record `once` does not begin; the flow is suspended, and a retry changes nothing")
  func noRoom() async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    try await fill(host, by: .records)
    let view = try await host.flow("f").view()
    #expect(view.status == .suspended && view.failure?.contains("store large values of steps elsewhere") == true)
    let (_, state) = try await host.stored("f")
    let records = state.machine.main.focus.records
    #expect(records.allSatisfy { $0.value != nil }, "nothing is in doubt")
    #expect(log.all.filter { $0 == "effect" }.count == records.count)
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().status == .suspended)
    #expect(log.all.filter { $0 == "effect" }.count == records.count, "no effect was run in vain")
  }

  @Test(
    "an effect whose result is too large stays interrupted: a retry has the same key, and a backUp sees it")
  func largeResult() async throws {
    let host = FlowHost(store: store)
    try await host.register(Flow<String, String>("large") { Step("label") { Labeller(log) } }).start(id: "f", with: "-")
    #expect(try await host.flow("f").settled().status == .suspended)
    let view = try await host.flow("f").view()
    #expect(view.failure?.hasPrefix("the result of `once(\"label\")` cannot be recorded") == true)
    #expect(view.steps == ["large/label"])
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().status == .suspended)
    #expect(try await host.flow("f").abandon().status == .abandoned)
    let keys = log.all
    #expect(keys.count == 3 && Set(keys).count == 1, "two attempts, and the rollback, with one key")
  }

  @Test("a rollback in which every backUp fails with a long message ends, and the messages are cut")
  func longFailures() async throws {
    let host = FlowHost(store: store)
    let flow = Flow<String, String>("failing") {
      Loop { Step("step") { Failing() } }
      Step("ask") { Asker(log) }
    }
    try await host.register(flow).start(id: "f", with: "0")
    _ = try await host.flow("f").settled()
    #expect(await code { try await host.flow("f").abandon() } == .rollbackFailed)
    let (_, state) = try await host.stored("f")
    #expect(state.machine.undoFailures.count == 50)
    for failure in state.machine.undoFailures {
      #expect(failure.error.message.utf8.count <= 1_024 && failure.error.message.hasSuffix("…"))
    }
  }

  // MARK: - Signals

  @Test(
    "a key of any request has at most 256 bytes; a longer one is refused with nothing written")
  func longKeys() async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: "-")
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    await host.isQuiet()
    let before = try await store.load("f")
    // One character less than bytes: "é" has two.
    let (key, long) = ("é" + Self.text(254), "é" + Self.text(255))
    #expect(await code { try await host.flow("f").send("1", to: Self.paid, key: long) } == .tooLarge)
    #expect(await code { try await host.flow("f").send("1", to: Signal<String>(long), key: "k") } == .tooLarge)
    #expect(await code { try await host.flow("f").answer(question, with: "1", key: long) } == .tooLarge)
    #expect(await code { try await host.flow("f").backUp(key: long) } == .tooLarge)
    #expect(await code { try await host.flow("f").abandon(key: long) } == .tooLarge)
    #expect(await code { try await host.flow("f").abandon(reason: Self.text(1_025)) } == .tooLarge)
    #expect(await code { try await host.flow("f").retry(key: long) } == .tooLarge)
    await host.isQuiet()
    #expect(try await store.load("f") == before)
    #expect(try await host.flow("f").send("1", to: Signal<String>(key), key: key) == .accepted)
    #expect(try await host.flow("f").send("1", to: Signal<String>(key), key: key) == .duplicate)
    try await host.flow("f").answer(question, with: "1", key: key)
  }

  /// Asks, then waits for a payment.
  private let order = Flow<String, String>("order") {
    Step("first") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: ""))) }
    Step("ask") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: ""))) }
    Step("pay") { (input: String, context: StepContext) in
      let first = try await context.wait(for: paid)
      return input + "\(first.utf8.count)+\(try await context.wait(for: paid).utf8.count)"
    }
  }

  @Test("buffered signals have at most 1 MiB in all, as has a single one; a received signal makes room")
  func signalBytes() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(order)
    try await flows.start(id: "f", with: "-")
    #expect(await code { try await host.flow("f").send(Self.text(1 << 20), to: Self.paid, key: "0") } == .tooLarge)
    #expect(try await host.flow("f").send(Self.text(600_000), to: Self.paid, key: "1") == .accepted)
    await host.isQuiet()
    let before = try await store.load("f")
    #expect(await code { try await host.flow("f").send(Self.text(600_000), to: Self.paid, key: "2") } == .signalsFull)
    await host.isQuiet()
    #expect(try await store.load("f") == before)
    try await host.answerNext("f", #""1""#)
    try await host.answerNext("f", #""2""#)
    #expect(try await host.flow("f").send(Self.text(600_000), to: Self.paid, key: "2") == .accepted)
    #expect(try await host.flow("f").settled().status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished("-12600000+600000"))
  }

  @Test("an awaited signal is received, however many other signals are buffered")
  func awaited() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(order)
    try await flows.start(id: "f", with: "-")
    for answer in ["1", "2"] { try await host.answerNext("f", "\"\(answer)\"") }
    for number in 0..<5 {
      #expect(try await host.flow("f").send(Self.text(200_000), to: Self.junk, key: "\(number)") == .accepted)
      await host.isQuiet()
    }
    #expect(await code { try await host.flow("f").send(Self.text(200_000), to: Self.junk, key: "5") } == .signalsFull)
    for number in 1...2 {
      #expect(try await host.flow("f").send(Self.text(200_000), to: Self.paid, key: "paid \(number)") == .accepted)
      _ = try await host.flow("f").settled()
      await host.isQuiet()
    }
    #expect(try await flows.outcome(of: "f") == .finished("-12200000+200000"))
  }

  @Test("a back drops no signal; an accepted abandon drops the buffered ones and refuses new ones")
  func dropped() async throws {
    let host = FlowHost(store: store)
    let gates = Gate()
    let flow = Flow<String, String>("order") {
      Step("charge") { Slow(gates) }
      Step("ask") { Asker(log) }
      Step("again") { Asker(log) }
    }
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    try await host.flow("f").send("early", to: Self.paid, key: "1")
    try await host.answerNext("f", #""1""#)
    try await host.flow("f").backUp()
    #expect(try await host.stored("f").1.machine.signals.buffer.map(\.name) == ["paid"])
    let abandoning = Task { try await host.flow("f").abandon() }
    await gates.reached()
    let stored = try await store.load("f")
    #expect(try await host.stored("f").1.machine.signals.buffer.isEmpty)
    #expect(try await host.flow("f").send("late", to: Self.paid, key: "2") == .flowEnded)
    #expect(try await host.flow("f").send("late", to: Self.paid, key: "2") == .flowEnded, "and no duplicate")
    #expect(try await host.flow("f").send("early", to: Self.paid, key: "1") == .duplicate)
    #expect(try await store.load("f") == stored, "nothing is written of a signal that is never received")
    gates.open()
    #expect(try await abandoning.value.status == .abandoned)
  }

  @Test("a flow that an earlier version stored with signals while ending drops them when it is activated")
  func droppedLater() async throws {
    let host = FlowHost(store: store)
    let gates = Gate()
    let flow = Flow<String, String>("order") {
      Step("charge") { Slow(gates) }
      Step("ask") { Asker(log) }
    }
    try await host.register(flow).start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    let abandoning = Task { try await host.flow("f").abandon() }
    await gates.reached()
    let leaving = try #require(try await store.load("f"))
    gates.open()
    _ = try await abandoning.value
    await host.isQuiet()
    // The same flow in another store, as it stood, with a signal.
    var (snapshot, state) = (leaving.snapshot, try HostedState(of: leaving.snapshot))
    state.machine.signals.buffer = [PackedSignals.Signal(name: "paid", value: PackedValue(type: "String", bytes: []))]
    try state.write(to: &snapshot, apart: nil, with: .plain)
    let recorder = CommitRecorder()
    let other = PlainStore(base: MemoryFlowStore(), onStored: recorder.add)
    _ = try await other.commit(FlowWrite(snapshot, to: "f", expecting: .none))
    let second = FlowHost(store: other)
    try await second.register(flow)
    try await second.catchUp()
    #expect(try await second.flow("f").view().status == .abandoned)
    for stored in recorder.all.dropFirst() {
      #expect(try HostedState(of: stored.snapshot).machine.signals.buffer.isEmpty)
    }
  }

  @Test("labels count as well: a start that they would overfill is refused, and there is no flow")
  func labels() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    let labels = (0...FlowSnapshot.maximumBytes / 500).map { ("l\($0)", Self.text(500)) }
    #expect(
      await code { try await flows.start(id: "f", with: "-", labels: Dictionary(uniqueKeysWithValues: labels)) }
        == .tooLarge)
    #expect(try await store.load("f") == nil)
    try await flows.start(id: "f", with: "-", labels: Dictionary(uniqueKeysWithValues: labels.prefix(10)))
  }
}

extension FlowHost {
  /// Changes the stored state of a passivated flow.
  fileprivate func change(_ id: FlowID, in store: MemoryFlowStore, _ body: (inout HostedState) -> Void) async throws {
    _ = try await flow(id).settled()
    await isQuiet()
    let stored = try #require(try await store.load(id))
    var (snapshot, state) = (stored.snapshot, try HostedState(of: stored.snapshot))
    body(&state)
    try state.write(to: &snapshot, apart: nil, with: .plain)
    let lease = try await store.acquire(id, owner: "test", for: .seconds(60))
    _ = try await store.commit(
      FlowWrite(snapshot, to: id, expecting: stored.revision, fence: lease.fence))
    try await store.release(lease)
  }
}

/// Charges, and refunds with a receipt of 10 KiB.
private actor Charger: FlowStep {
  private let log: Log
  init(_ log: Log) { self.log = log }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("charge") { _ in "paid" }
  }

  func backUp(context: RollbackContext) async throws {
    guard case .done(let charge) = await context.record("charge", as: String.self) else { throw Boom() }
    _ = try await context.once("refund") { [log] _ in
      log.add("refund \(charge)")
      return String(repeating: "r", count: 10 << 10)
    }
  }
}

/// Its label is larger than any flow.
private actor Labeller: FlowStep {
  private let log: Log
  init(_ log: Log) { self.log = log }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("label") { [log] key in
      log.add(key)
      return String(repeating: "l", count: FlowSnapshot.maximumBytes)
    }
  }

  func backUp(context: RollbackContext) async throws {
    guard case .interrupted(let key) = await context.record("label", as: String.self) else { throw Boom() }
    log.add(key)
  }
}

/// Runs fifty rounds, whose `backUp`s all fail.
private actor Failing: FlowStep {
  private struct Refusal: Error, CustomStringConvertible { let description = String(repeating: "no ", count: 5_000) }

  func proceed(_ input: String, context: StepContext) -> Again<String, String> {
    let round = (Int(input) ?? 0) + 1
    return round < 50 ? .again("\(round)") : .done("\(round)")
  }

  func backUp(context: RollbackContext) throws { throw Refusal() }
}

/// Compensates when the gates are open.
private actor Slow: FlowStep {
  private let gates: Gate
  init(_ gates: Gate) { self.gates = gates }
  func proceed(_ input: String, context: StepContext) -> String { input }
  func backUp(context: RollbackContext) async { await gates.pass() }
}
