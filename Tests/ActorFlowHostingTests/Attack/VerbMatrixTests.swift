import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Each verb of an operator in each situation of a flow, on a host that dies at each call of its store in turn. The next
/// host repeats the verb under its key. Then the flow stands where it stands without a death, and all that was paid is
/// refunded once when it is abandoned.
@Suite("Verbs in every situation", .timeLimit(.minutes(15))) struct VerbMatrixTests {
  @Test(
    "a verb on a host that dies at any call does, with its repetition, what it does on a host that lives",
    arguments: Situation.allCases, Verb.allCases)
  func dies(in situation: Situation, _ verb: Verb) async throws {
    let whole = try await VerbGame(situation, verb).play(dyingAt: .max)
    var call = 1
    while true {
      let game = VerbGame(situation, verb)
      let found = try await game.play(dyingAt: call)
      // The step that was at work may have returned before the repetition comes.
      let isLate = situation == .running && [.edit, .refresh, .reassign].contains(verb)
      #expect(isLate || found.look == whole.look, "\(verb) of a flow that is \(situation), the call \(call)")
      #expect(found.isLike(whole), "\(verb) of a flow that is \(situation), the call \(call): \(found.words)")
      guard game.hasDied else { break }
      call += Self.step
    }
    #expect(call > 1 || whole.words.first != "ok", "\(verb) makes no call")
  }

  /// The distance between the calls that are tried: each of them, or some where each takes long.
  private static let step: Int = {
    #if THREAD_SANITIZER
      5
    #else
      1
    #endif
  }()

  enum Situation: CaseIterable {
    case waiting, running, suspended, forked, ended, owing
  }

  enum Verb: CaseIterable {
    case reassign, complete, enter, edit, retry, note, refresh, compensateAgain, backUp, abandon, redact
  }
}

/// One flow, brought into a situation by one host, and one verb.
private final class VerbGame: Sendable {
  struct Result {
    /// How the verb ended at the last host, and before that at the one that died.
    var words: [String]
    /// Where the flow stands then, and what its history has of the verb.
    var look: [String]

    /// Whether the verb came to the same: what a host did before it died is not reported a second time.
    func isLike(_ whole: Result) -> Bool {
      words[0] == whole.words[0] || words.count == 2 && (words[0] == "ok" || words[1] == whole.words[0])
    }
  }

  private let situation: VerbMatrixTests.Situation
  private let verb: VerbMatrixTests.Verb
  private let (till, gate, clock) = (Till(), Variable(Gate()), ManualWallClock())
  private let base: MemoryFlowStore
  private let store: FaultyStore<MemoryFlowStore>
  private let left = Lock(Int.max)

  init(_ situation: VerbMatrixTests.Situation, _ verb: VerbMatrixTests.Verb) {
    (self.situation, self.verb) = (situation, verb)
    base = MemoryFlowStore(clock: clock)
    store = FaultyStore(base)
  }

  var hasDied: Bool { left.withLock { $0 < 0 } }

  /// The fault of the next call of the store: it fails from the call on at which the host dies.
  private var fault: StoreFault? {
    left.withLock { left in
      if left != .max { left -= 1 }
      return left < 0 ? .fail(.unavailable) : nil
    }
  }

  /// Lets a host that lives go on living. Returns whether it has died.
  private func disarm() -> Bool {
    left.withLock { left in
      if left >= 0 { left = .max }
      return left < 0
    }
  }

  private var flow: Flow<String, String> {
    let (till, gate) = (till, gate)
    if situation == .forked {
      return Flow("f") {
        Parallel {
          Step("second") { Payer(till, gate) }
          Step("beside") { Payer(till, gate) }
        } join: {
          $0 + $1
        }
        Step("third") { Payer(till, gate) }
      }
    }
    return Flow("f") {
      Step("first") { Payer(till, gate) }
      Step("second") { Payer(till, gate) }
      Step("third") { Payer(till, gate) }
    }
  }

  private func host(_ store: any FlowStore) async throws -> FlowHost {
    var options = FlowHost.Options()
    options.keepHot = .seconds(3_600)
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    try await host.register(flow)
    return host
  }

  /// Brings the flow into its situation.
  private func begin(_ host: FlowHost) async throws {
    try await host.start("f", id: "f", json: "\"-\"".utf8)
    _ = try await host.flow("f").settled()
    if situation == .forked { return }
    try await host.answerNext("f", "\"a\"")
    switch situation {
    case .waiting, .forked: break
    case .running:
      try await host.flow("f").answer(VerbForm.self, with: "work")
      await gate.value.reached()
    case .suspended: try await host.answerNext("f", "\"fail\"")
    case .ended: for answer in ["b", "c"] { try await host.answerNext("f", "\"\(answer)\"") }
    case .owing:
      till.isBroken.value = true
      _ = await code { try await host.flow("f").backUp(to: "first") }
      _ = try await host.flow("f").settled()
      till.isBroken.value = false
    }
  }

  private func perform(_ host: FlowHost) async throws {
    let flow = host.flow("f", by: Principal(id: "ann"))
    switch verb {
    case .reassign:
      // Branches ask in any order.
      let questions = try await host.flow("f").view().questions
      let question = questions.first { $0.step.name != "beside" }?.id ?? Question.ID(flow: "f", run: 1, number: 9)
      try await flow.reassign(question, to: ["bob"], reason: "ill", key: "k")
    case .complete: try await flow.complete("second", output: "\"made\"".utf8, reason: "by hand", key: "k")
    case .enter: try await flow.enter("second", input: "\"anew\"".utf8, reason: "wrong", key: "k")
    case .edit: try await flow.edit([.input(of: "second") { (text: String) in text + "+" }], reason: "typo", key: "k")
    case .retry: try await flow.retry(reason: "again", key: "k")
    case .note: try await flow.note("seen", key: "k")
    case .refresh: try await flow.refresh(reason: "new text", key: "k")
    case .compensateAgain: try await flow.compensateAgain(reason: "mended", key: "k")
    case .backUp: try await flow.backUp(reason: "wrong", key: "k")
    case .abandon: try await flow.abandon(reason: "over", key: "k")
    case .redact: try await flow.redact(reason: "request 17")
    }
  }

  private func word(_ host: FlowHost) async -> String {
    do {
      try await perform(host)
      return "ok"
    } catch {
      return (error as? FlowError).map { "\($0.code)" } ?? (error as? FlowStoreError).map { "\($0.code)" } ?? "\(error)"
    }
  }

  /// Performs the verb, and lets the step at work return when the verb is being stored, or was refused.
  private func wordWhileWorking(_ host: FlowHost, _ store: FaultyStore<MemoryFlowStore>) async -> String {
    let commits = store.count(of: .commit)
    let isOver = Variable(false)
    async let word = {
      defer { isOver.value = true }
      return await self.word(host)
    }()
    // A verb may wait for the step, as an edit does.
    var turns = situation != .running ? 0 : verb == .edit ? 100 : 20_000
    while turns > 0, !isOver.value, store.count(of: .commit) == commits {
      turns -= 1
      await Task.yield()
    }
    gate.value.open()
    return await word
  }

  func play(dyingAt call: Int) async throws -> Result {
    var host = try await host(store)
    try await begin(host)
    left.withLock { $0 = call == .max ? .max : call - 1 }
    store.plan { [weak self] _ in self?.fault }
    var words = [await wordWhileWorking(host, store)]
    // What is asked for next is stored before the host is looked at.
    if !hasDied { _ = try? await host.flow("f").settled() }
    if disarm() {
      await host.die()
      // The step at work is at work again at the next host.
      gate.value = Gate()
      let store = FaultyStore(base)
      host = try await self.host(store)
      words.insert(await wordWhileWorking(host, store), at: 0)
    }
    let view = try await host.flow("f").settled()
    var look = ["\(view.status)", "\(view.stack.map(\.name))", "\(view.isRedacted)", "\(view.rollbackFailed)"]
    look += try view.questions.map { "\($0.step.name): \(try $0.prompt(as: VerbForm.self).text) \($0.assignees)" }
      .sorted()
    look += view.undoFailures.map { "owed: \($0.step?.name ?? "-")" }
    let history = try await host.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    look += history.filter { $0.by == "ann" }.map { "\($0.what) \($0.step?.name ?? "-"): \($0.detail ?? "-")" }
    try await settleAccounts(host, view)
    await host.die()
    return Result(words: words, look: look)
  }

  /// Abandons the flow if it is open, and checks that all is refunded once; a flow that has finished keeps what it paid.
  private func settleAccounts(_ host: FlowHost, _ view: FlowView) async throws {
    if !view.status.isTerminal { _ = await code { try await host.flow("f").abandon() } }
    if try await host.flow("f").view().rollbackFailed { try await host.flow("f").compensateAgain() }
    let (paid, refunded) = (till.paid, till.refunded)
    let keeps = view.status == .finished
    // A refund that a dying host could not record is made again, under its key.
    #expect(Set(refunded) == (keeps ? [] : paid), "\(verb) of a flow that is \(situation)")
    #expect(hasDied || refunded.count == Set(refunded).count, "\(verb) of a flow that is \(situation)")
    #expect(!paid.isEmpty)
  }
}

/// The payments and refunds of one game.
private final class Till: Sendable {
  private let state = Lock((paid: Set<String>(), refunded: [String](), voided: Set<String>()))
  let isBroken = Variable(false)

  var paid: Set<String> { state.withLock { $0.paid } }
  var refunded: [String] { state.withLock { $0.refunded.sorted() } }

  func pay(_ key: String) { state.withLock { if !$0.voided.contains(key) { $0.paid.insert(key) } } }

  /// Refunds a payment; one that may not have been made is void when it arrives.
  func refund(_ key: String) {
    state.withLock { state in
      if state.paid.contains(key) { state.refunded.append(key) } else { state.voided.insert(key) }
    }
  }
}

/// Pays, asks, and works at a gate if that is the answer.
private actor Payer: FlowStep {
  private let till: Till
  private let gate: Variable<Gate>
  init(_ till: Till, _ gate: Variable<Gate>) { (self.till, self.gate) = (till, gate) }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    _ = try await context.once("charge") { [till] key in
      till.pay(key)
      return key
    }
    let answer = try await context.ask(VerbForm(text: input, assignees: []))
    if answer == "work" { await gate.value.pass() }
    if answer == "fail" { throw Boom() }
    return input + answer
  }

  func backUp(context: RollbackContext) async throws {
    if till.isBroken.value { throw Boom() }
    switch await context.record("charge", as: String.self) {
    case .none: break
    case .done(let key), .interrupted(let key): try await context.once("refund") { [till] _ in till.refund(key) }
    }
  }
}

private struct VerbForm: ReassignablePrompt, Codable {
  typealias Answer = String
  static let promptName = "VerbForm"
  var text: String
  var assignees: [String]
}
