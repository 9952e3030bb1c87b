import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Retried rollbacks", .timeLimit(.minutes(15))) struct RetriedRollbackTests {
  private static let count = 5

  private func flow(asking: Set<Int>, _ shop: Shop) -> Flow<Int, Int> {
    Flow("order") {
      for number in 0..<Self.count {
        Step("s\(number)") { Buyer(number, asks: asking.contains(number), shop) }
      }
      Step("end") { Buyer(Self.count, asks: true, shop) }
    }
  }

  /// Plays the flow to its last question, lets the rollback fail at these steps, and retries it until nothing is left.
  /// Each retry repairs one step, the oldest first; or the host dies after this many commits of the first retry, and
  /// all steps are repaired.
  ///
  /// - Returns: The number of commits of the host that was to die.
  @discardableResult
  private func play(_ failing: Set<Int>, asking: Set<Int>, crashingAfter commits: Int? = nil) async throws -> Int {
    let (shop, store) = (Shop(), MemoryFlowStore())
    let what: Comment = "\(failing.sorted()) of \(asking.sorted()), \(commits ?? -1)"
    var host = FlowHost(store: store, owner: "host")
    try await host.register(flow(asking: asking, shop)).start(id: "o", with: 0)
    while case let view = try await host.flow("o").settled(within: .seconds(600)), view.steps != ["order/end"] {
      try await host.answerNext("o", "\"x\"")
    }
    shop.breaks(failing)
    #expect(await code { try await host.flow("o").abandon() } == (failing.isEmpty ? nil : .rollbackFailed), what)
    await host.isQuiet()
    let owed = failing.sorted(by: >).map { StepID("order/s\($0)") }
    let failures = try await host.flow("o").view().undoFailures
    #expect(failures.map(\.step) == owed && failures.allSatisfy(\.isOwed), what)
    var (broken, written) = (failing, 0)
    if let commits {
      (broken, written) = ([], try await dyingRetry(store, asking, shop, commits))
      host = FlowHost(store: store, owner: "host")
      try await host.register(flow(asking: asking, shop))
      if try await host.flow("o").settled(within: .seconds(600)).rollbackFailed { try await host.flow("o").retry() }
      #expect(try await host.flow("o").settled(within: .seconds(600)).rollbackFailed == false, what)
    }
    while let repaired = broken.min() {
      broken.remove(repaired)
      shop.breaks(broken)
      try await host.flow("o").retry()
      let view = try await host.flow("o").settled(within: .seconds(600))
      #expect(view.status == .abandoned && view.rollbackFailed == !broken.isEmpty, what)
    }
    #expect(shop.refunds.sorted() == Array(0...Self.count), what)
    #expect(await code { try await host.flow("o").retry() } == .flowEnded, what)
    let history = try await host.flow("o").history()
    #expect(history.map(\.sequence) == Array(1...history.count), what)
    return written
  }

  private func dyingRetry(_ store: MemoryFlowStore, _ asking: Set<Int>, _ shop: Shop, _ commits: Int) async throws
    -> Int
  {
    shop.breaks([])
    let crashingStore = FaultyStore(store) { call in
      call.operation == .commit && call.numberOfOperation > commits ? .fail(.unavailable) : nil
    }
    let host = FlowHost(store: crashingStore, owner: "host")
    try await host.register(flow(asking: asking, shop))
    _ = try? await host.flow("o").retry()
    await host.isQuiet()
    return crashingStore.count(of: .commit)
  }

  private static func set(_ bits: Int) -> Set<Int> { Set((0..<count).filter { bits & (1 << $0) != 0 }) }

  @Test("each subset of five steps, whether all, some or none of them ask, is compensated once", arguments: 0..<32)
  func subsets(_ failing: Int) async throws {
    for asking in [0b00000, 0b00001, 0b00110, 0b10101, 0b11111] {
      try await play(Self.set(failing), asking: Self.set(asking))
    }
  }

  @Test("each subset is compensated once if the host dies after any commit of the retry", arguments: 1..<32)
  func deaths(_ failing: Int) async throws {
    var commits = 0
    while try await play(Self.set(failing), asking: Self.set(0b01011), crashingAfter: commits) > commits {
      commits += 1
    }
    #expect(commits > 1)
  }
}

private final class Shop: Sendable {
  private let state = Lock<(broken: Set<Int>, refunds: [String: Int])>(([], [:]))
  /// The number of refunds of each refunded step.
  var refunds: [Int] { state.withLock { Array($0.refunds.values) } }
  func breaks(_ broken: Set<Int>) { state.withLock { $0.broken = broken } }
  func refund(_ number: Int, _ key: String) throws {
    try state.withLock { state in
      if state.broken.contains(number) { throw Boom() }
      state.refunds[key] = number
    }
  }
}

private actor Buyer: FlowStep {
  private let number: Int
  private let asks: Bool
  private let shop: Shop

  init(_ number: Int, asks: Bool, _ shop: Shop) {
    (self.number, self.asks, self.shop) = (number, asks, shop)
  }

  func proceed(_ input: Int, context: StepContext) async throws -> Int {
    if asks { _ = try await context.ask(Form(text: "\(number)")) }
    return input + 1
  }

  func backUp(context: RollbackContext) async throws {
    _ = try await context.once("refund") { [number, shop] key in
      try shop.refund(number, key)
      return number
    }
  }
}
