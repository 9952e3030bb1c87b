import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Versions and migrations", .timeLimit(.minutes(22))) struct MigrationTests {
  private let store = MemoryFlowStore()

  struct Score: Codable, Sendable, Equatable { var value: Int }

  private static func ask<I: Sendable, O: Sendable>(
    _ name: String, _ make: @escaping @Sendable (I, String) -> O
  ) -> Step<I, O> {
    Step(name) { (input: I, context: StepContext) in make(input, try await context.ask(Form(text: "\(input)"))) }
  }

  private var first: Flow<String, String> {
    Flow("kyc") {
      Self.ask("name") { $0 + $1 }
      Self.ask("check") { (input: String, answer: String) in input + answer }
      Self.ask("score") { (input: String, answer: String) in input + answer }
      Self.ask("sign") { (input: String, answer: String) in input + answer }
    }
  }

  /// One step is renamed, one has another input, one is new, one is removed.
  private var second: Flow<String, String> {
    Flow("kyc") {
      Self.ask("person") { $0 + $1 }
      Self.ask("check") { (input: String, answer: String) in Score(value: input.count + answer.count) }
      Step("audit") { (score: Score, _: StepContext) in Score(value: score.value + 100) }
      Self.ask("score") { (input: Score, answer: String) in "\(input.value)\(answer)" }
      Self.ask("seal") { (input: String, answer: String) in input + "." + answer }
    }
  }

  private var moves: [Move] {
    [
      .rename("kyc/name", to: "kyc/person"),
      .input(of: "kyc/score") { (old: String) in Score(value: old.count) },
    ]
  }

  /// Flows that stand at each step of the first version.
  private func fill(_ count: Int) async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(first)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for number in stride(from: worker, to: count, by: 8) {
            let id = FlowID("f\(number)")
            try await flows.start(id: id, with: "-")
            for _ in 0..<(number % 4) { try await host.answerNext(id, "\"x\"") }
            _ = try await host.flow(id).settled()
          }
        }
      }
      try await group.waitForAll()
    }
    await host.isQuiet()
  }

  /// Returns the output in the second version of a flow that stood at the step of this number.
  private func expected(_ number: Int) -> String? {
    switch number {
    case 0, 1: "103y.y"
    case 2: "3y.y"
    default: nil
    }
  }

  private func finish(_ host: FlowHost, _ id: FlowID) async throws {
    while try await host.flow(id).settled().status == .waiting { try await host.answerNext(id, "\"y\"") }
  }

  @Test(
    "10,000 flows stopped everywhere: each moves, stays or is unmigrated, as the plan said; a later move frees the rest",
    arguments: [true, false])
  func everywhere(keepsFirst: Bool) async throws {
    #if THREAD_SANITIZER
      let count = 400
    #else
      let count = keepsFirst ? 400 : 10_000
    #endif
    try await fill(count)
    let host = FlowHost(store: store)
    if keepsFirst { try await host.register(first) }
    let flows = try await host.register(second, version: 2, from: 1, moves: moves)
    let plan = try await host.plan()
    let quarter = count / 4
    #expect(plan.counts == (keepsFirst ? (quarter, 3 * quarter, 0, 0) : (0, 3 * quarter, quarter, 0)))
    #expect(plan.groups.count == 4)
    #expect(plan.groups.allSatisfy { $0.count == quarter })
    let sample = [0, 1, 2, 3].flatMap { step in (0..<25).map { $0 * 4 + step } }
    for number in sample {
      let id = FlowID("f\(number)")
      if number % 4 == 3, !keepsFirst {
        #expect(await code { try await host.flow(id).answer(Form.self, with: "y") } == .unmigrated)
        let view = try await host.flow(id).view()
        #expect(view.status == .unmigrated && view.failure?.contains("kyc/sign") == true, "\(view.failure ?? "")")
        continue
      }
      try await finish(host, id)
      #expect(try await flows.outcome(of: id) == .finished(expected(number % 4) ?? "-xxxy"), "\(id)")
      #expect(try await host.flow(id).view().version == (number % 4 == 3 ? 1 : 2))
      let history = try await host.flow(id).history()
      #expect(history.map(\.sequence) == Array(1...history.count))
    }
    guard !keepsFirst else { return }
    #expect(try await host.list(FlowQuery(status: [.unmigrated])).flows.count == 25)
    let later = FlowHost(store: store)
    let all = moves + [.forget("kyc/score"), .reenter("kyc/sign", at: "kyc/seal") { (old: String) in old }]
    try await later.register(second, version: 2, from: 1, moves: all)
    #expect(try await later.list(FlowQuery(status: [.unmigrated])).flows.isEmpty)
    #expect(try await later.plan().counts.unmigrated == 0)
    try await finish(later, "f3")
    #expect(try await flows.outcome(of: "f3") == .finished("-xxx.y"))
  }

  @Test("a path is renamed as a whole, by its beginning, by its last part, and with numbers in it")
  func paths() {
    #expect(StepID("f/a").renamed("f/a", to: "g/b") == "g/b")
    #expect(StepID("f/a/b").renamed("f/a", to: "f/x/y") == "f/x/y/b")
    #expect(StepID("f/a").renamed("a", to: "b") == "f/b")
    #expect(StepID("f/ab").renamed("f/a", to: "f/x") == "f/ab")
    #expect(StepID("f/each/12/s").renamed("f/each/*/s", to: "f/each/*/t") == "f/each/12/t")
    #expect(StepID("f").renamed("f", to: "g") == "g")
    #expect(StepID("f/a").renamed("f", to: "g") == "g/a")
  }

  @Test("a flow that has failed permits a changed definition; a suspended flow does not")
  func failed() async throws {
    struct Broken: Error {}
    let step = Step("pay") { (_: String, _: StepContext) -> String in throw Broken() }
    let host = FlowHost(store: store)
    try await host.register(Flow("ends") { step.onFailure(.rollBack) }).start(id: "ended", with: "")
    try await host.register(Flow("stands") { step.onFailure(.suspend) }).start(id: "still", with: "")
    for (id, status) in [("ended", FlowSnapshot.Status.failed), ("still", .suspended)] {
      #expect(try await host.flow(FlowID(id)).settled().status == status)
    }

    let changed = FlowHost(store: store)
    try await changed.register(Flow<String, String>("ends") { Self.ask("name") { $0 + $1 } })
    let error = await #expect(throws: FlowError.self) {
      try await changed.register(Flow<String, String>("stands") { Self.ask("name") { $0 + $1 } })
    }
    #expect(error?.message.contains("began with another definition, for example still;") == true)
    #expect(try await changed.plan().groups.map(\.example) == ["still"])
  }

  @Test("versions without a migration path, or with two, are refused")
  func refused() async throws {
    let host = FlowHost(store: store)
    try await host.register(first)
    #expect(await code { try await host.register(second, version: 2, from: 2) } == .badDefinition)
    try await host.register(second, version: 2, from: 1)
    #expect(await code { try await host.register(second, version: 3, from: 1) } == .badDefinition)
  }
}
