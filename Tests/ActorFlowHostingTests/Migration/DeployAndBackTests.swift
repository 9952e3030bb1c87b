import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// A second version is deployed over waiting flows by hosts that die, and then taken back.
@Suite("A deploy that is taken back", .timeLimit(.minutes(15))) struct DeployAndBackTests {
  private let store = MemoryFlowStore()

  private static func ask(_ name: String) -> Step<String, String> {
    Step(name) { (input: String, context: StepContext) in input + (try await context.ask(Form(text: name))) }
  }

  private static let first = Flow<String, String>("kyc") {
    ask("name")
    ask("check")
    ask("score")
    ask("sign")
  }

  /// One step is renamed, one is new.
  private static let second = Flow<String, String>("kyc") {
    ask("person")
    ask("check")
    Step("audit") { (input: String, _: StepContext) in input + "!" }
    ask("score")
    ask("sign")
  }

  /// A host with the only version that its build knows. Leaves the format of stored flows as it is.
  private func host(_ version: Int, diesAfter calls: Int = .max) async throws -> (
    FlowHost, RegisteredFlow<String, String>
  ) {
    let mortal = FaultyStore(store) { call in
      // The last commit may reach the store without an acknowledgement.
      if call.number == calls, calls % 2 == 0, call.operation == .commit { return .loseAcknowledgement }
      return call.number > calls ? .fail(.unavailable) : nil
    }
    var options = FlowHost.Options()
    options.leastApart = 1
    let host = try FlowHost(store: mortal, owner: "host", options: options)
    if version == 1 { return (host, try await host.register(Self.first)) }
    let flows = try await host.register(
      Self.second, version: 2, from: 1, moves: [Move.rename("kyc/name", to: "kyc/person")])
    return (host, flows)
  }

  /// The acknowledged answers of each flow, in order. Each answer is a word of its own.
  private struct Acknowledged {
    var answers: [[String]]
    private var count = 0

    init(_ flows: Int) { answers = Array(repeating: [], count: flows) }

    mutating func word() -> String {
      count += 1
      return "(\(count))"
    }
  }

  private func answer(_ number: Int, on host: FlowHost, _ acknowledged: inout Acknowledged) async throws {
    let id = FlowID("f\(number)")
    guard let question = try await host.flow(id).settled().questions.first?.id else { return }
    let word = acknowledged.word()
    try await host.flow(id).answer(question, json: "\"\(word)\"".utf8)
    acknowledged.answers[number].append(word)
  }

  private func formats() async throws -> Set<Int> {
    var formats: Set<Int> = []
    for number in 0..<count {
      if let row = try await store.load(FlowID("f\(number)"))?.snapshot { formats.insert(row.format) }
    }
    return formats
  }

  #if THREAD_SANITIZER
    private let count = 60
  #else
    private let count = 500
  #endif

  @Test(
    "500 flows: the old build refuses those that moved, and leaves them as they are; forward again, none is lost",
    arguments: [5, 6, 7, 8])
  func back(format: Int) async throws {
    let seed = UInt64(format - 4)
    let random = Chance(seed: seed)
    var acknowledged = Acknowledged(count)
    var options = FlowHost.Options()
    (options.writesFormat, options.leastApart) = (format, 1)
    let old = try FlowHost(store: store, owner: "host", options: options)
    let oldFlows = try await old.register(Self.first)
    for number in 0..<count {
      try await oldFlows.start(id: FlowID("f\(number)"), with: "-")
      for _ in 0..<(number % 4) { try await answer(number, on: old, &acknowledged) }
    }
    try await old.emptied()

    // The last fifth of the flows is not touched by version 2, so some are left unmoved.
    for _ in 0..<12 {
      let calls = 20 + random.below(280)
      let (dying, _) = try await host(2, diesAfter: calls)
      let numbers = (0..<5 + random.below(25)).map { _ in random.below(count * 4 / 5) }
      for number in numbers {
        // A refusal, or a store that is gone, leaves the answer unacknowledged. It may have been taken all the same.
        do { try await answer(number, on: dying, &acknowledged) } catch {}
      }
    }
    #expect(try await formats() == [format], "the way back is open")

    let (back, _) = try await host(1)
    var moved: Set<Int> = []
    for number in 0..<count where try await store.load(FlowID("f\(number)"))?.snapshot.version == 2 {
      moved.insert(number)
      let isOpen = try await store.load(FlowID("f\(number)"))?.snapshot.status != .finished
      guard isOpen else { continue }
      let code = await code { try await back.flow(FlowID("f\(number)")).answer(Form.self, with: "no") }
      #expect(code == .unmigrated)
      let stored = try await store.load(FlowID("f\(number)"))?.snapshot
      #expect(stored?.version == 2 && stored?.status != .unmigrated)
    }
    #expect(moved.count > 10 && moved.count < count)
    for number in 0..<count where !moved.contains(number) && number % 2 == 0 {
      while try await back.flow(FlowID("f\(number)")).settled().status == .waiting {
        try await answer(number, on: back, &acknowledged)
      }
      #expect(try await back.flow(FlowID("f\(number)")).view().status == .finished)
    }
    try await back.emptied()

    let (forward, flows) = try await host(2)
    for number in 0..<count {
      let id = FlowID("f\(number)")
      while try await forward.flow(id).settled().status == .waiting {
        try await answer(number, on: forward, &acknowledged)
      }
      guard case .finished(let output) = try await flows.outcome(of: id) else {
        Issue.record("f\(number) did not finish")
        continue
      }
      try check(output, acknowledged.answers[number], "f\(number)")
    }
  }

  /// Checks that a flow has exactly four answers, and among them all that were acknowledged, in their order.
  private func check(_ output: String, _ acknowledged: [String], _ id: String) throws {
    let words = output.dropFirst().replacing("!", with: "").split(separator: ")").map { "\($0))" }
    #expect(words.count == 4, "\(id): \(output)")
    #expect(words.filter(acknowledged.contains) == acknowledged, "\(id): \(output)")
    #expect(output.count { $0 == "!" } <= 1)
  }
}
