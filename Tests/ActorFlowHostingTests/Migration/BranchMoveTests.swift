import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("Branches that are gained, lost and reordered by a move", .timeLimit(.minutes(15))) struct BranchMoveTests {
  private let migration = BranchMigration()

  /// Three branches and their results, joined.
  private func all(
    _ first: some FlowComponent<String, String>, _ second: some FlowComponent<String, String>,
    _ third: some FlowComponent<String, String>
  ) -> Asking {
    Flow("pay") {
      Parallel {
        first
        second
        third
      } join: {
        "\($0)|\($1)|\($2)"
      }
    }
  }

  private func racing(_ steps: String...) -> Asking {
    Flow("pay") { Race { for step in steps { ask(step) } } }
  }

  private func moved(_ old: [Int?], of fork: StepID = "pay/parallel", forgettingSteps: Bool = false) -> [Move] {
    [.branches(of: fork, from: old, forgettingSteps: forgettingSteps)]
  }

  @Test("a new branch begins with the fork's input, whatever the others have done", arguments: [[], ["l"], ["r"]])
  func gained(answered: [String]) async throws {
    try await migration.expectMoved(
      both(ask("l"), ask("r")), answering: answered, all(ask("n"), ask("l"), ask("r")), moves: moved([nil, 0, 1]),
      then: "-n|-l|-r", with: "-")
  }

  @Test("a lost branch is forgotten, also if it is the last that was open", arguments: [[], ["a"], ["b"], ["a", "c"]])
  func lost(answered: [String]) async throws {
    try await migration.expectMoved(
      all(ask("a"), ask("b"), ask("c")), answering: answered, both(ask("a"), ask("c")),
      moves: moved([0, 2], forgettingSteps: true), then: "a|c")
  }

  @Test("a branch that has entered a step is lost only if its steps may be forgotten")
  func refused() async throws {
    try await migration.expectUnmigrated(
      all(ask("a"), ask("b"), ask("c")), answering: ["b"], both(ask("a"), ask("c")), moves: moved([0, 2]),
      "a branch that has entered a step is lost; say `forgettingSteps: true` if its effects are to remain",
      then: "a|b|c")
  }

  @Test(
    "a move with a branch that is not there, twice there, or with none is refused", arguments: [[0, 7], [1, 1], []])
  func wrong(old: [Int?]) async throws {
    let reason =
      old.contains(7)
      ? "`Move.branches` names an old branch that is not there: the fork has 2"
      : "`Move.branches` names an old branch twice, or no branch"
    try await migration.expectUnmigrated(
      both(ask("l"), ask("r")), answering: ["l"], both(ask("r"), ask("l")),
      moves: [.branches(of: "pay/parallel", from: old)], reason, then: "l|r")
  }

  @Test("branches change their order", arguments: [[], ["l"], ["r"]])
  func reordered(answered: [String]) async throws {
    try await migration.expectMoved(
      both(ask("l"), ask("r")), answering: answered, both(ask("r"), ask("l")), moves: moved([1, 0]), then: "r|l")
  }

  @Test("branches that are named by their numbers change their order, with all their steps")
  func numbers() async throws {
    try await migration.expectMoved(
      both(numbered("a", "b"), numbered("c", "d")), answering: ["a"],
      all(numbered("c", "d"), ask("n"), numbered("a", "b")), moves: moved([1, nil, 0]), then: "cd|n|ab")
  }

  @Test(
    "a race gains and loses branches",
    arguments: [([0, 1, nil], "abx", "a"), ([1, nil], "bx", "b"), ([nil, 1], "xb", "b")])
  func race(old: [Int?], steps: String, winner: String) async throws {
    try await migration.expectMoved(
      racing("a", "b"), answering: [],
      Flow("pay") { Race { for step in steps { ask("\(step)") } } },
      moves: moved(old, of: "pay/race", forgettingSteps: true), then: winner, answeringFirst: winner)
  }

  @Test("a lost branch takes the fork in it along, and forks in other branches stay")
  func nested() async throws {
    func inner(_ first: String, _ second: String) -> Asking {
      Flow("in-\(first)") {
        Parallel {
          ask(first)
          ask(second)
        } join: {
          "\($0)+\($1)"
        }
      }
    }
    try await migration.expectMoved(
      all(inner("p", "q"), ask("m"), inner("x", "y")), answering: ["q", "y"], both(inner("x", "y"), ask("n")),
      moves: moved([2, nil], forgettingSteps: true), then: "x+y|n")
  }

  @Test("the forks of all elements get the new branch")
  func elements() async throws {
    func each(_ inner: some FlowComponent<String, String>) -> Asking {
      Flow("pay") {
        ForEach({ (input: String) in ["\(input)0", "\(input)1"] }) { inner }
          .map { $0.joined(separator: "|") }
      }
    }
    func inner(_ steps: [String]) -> some FlowComponent<String, String> {
      Flow { Race { for step in steps { ask(step) } } }
    }
    try await migration.expectMoved(
      each(inner(["a", "b"])), answering: [], each(inner(["n", "b"])),
      moves: moved([nil, 1], of: "pay/each/*/race", forgettingSteps: true), then: "0b|1b", answeringFirst: "b")
  }

  @Test("a rollback after the move compensates the kept branches and the new one, and not the lost one")
  func rolledBack() async throws {
    let log = Log()
    func undone(_ name: String) -> Asking {
      Flow(name) {
        Step("\(name)1") { Scripted(backUp: { log.add("\($0.step.name)") }) { input, _ in input } }
        Step("\(name)2") {
          Scripted(backUp: { log.add("\($0.step.name)") }) { input, context in
            input + (try await context.ask(Form(text: input)))
          }
        }
      }
    }
    let store = MemoryFlowStore()
    let first = FlowHost(store: store)
    try await first.register(both(undone("l"), undone("r"))).start(id: "f", with: "")
    #expect(try await first.flow("f").settled().questions.count == 2)
    await first.isQuiet()
    let host = FlowHost(store: store)
    try await host.register(
      both(undone("r"), undone("n")), version: 2, from: 1, moves: moved([1, nil], forgettingSteps: true))
    #expect(try await host.flow("f").settled().questions.map(\.step.name).sorted() == ["l2", "r2"])
    let question = try #require(try await host.flow("f").view().questions.first { $0.step.name == "r2" })
    try await host.flow("f").answer(question.id, json: "\"1\"".utf8)
    #expect(try await host.flow("f").settled().questions.map(\.step.name) == ["n2"])
    try await host.flow("f").abandon()
    _ = try await host.flow("f").settled()
    #expect(log.all.sorted() == ["n1", "n2", "r1", "r2"])
  }

  @Test("a flow that a step of the lost branch has suspended goes on")
  func suspended() async throws {
    let broken = Step("b") { (_: String, _: StepContext) -> String in throw Boom() }
    let store = MemoryFlowStore()
    let first = FlowHost(store: store)
    try await first.register(all(ask("a"), broken, ask("c"))).start(id: "f", with: "")
    while try await first.flow("f").view().status != .suspended { await Task.yield() }
    await first.isQuiet()
    let host = FlowHost(store: store)
    let flows = try await host.register(
      both(ask("a"), ask("c")), version: 2, from: 1, moves: moved([0, 2], forgettingSteps: true))
    try await host.flow("f").retry()
    for _ in 0..<2 {
      let question = try #require(try await host.flow("f").settled().questions.first)
      try await host.flow("f").answer(question.id, json: "\"\(question.step.name)\"".utf8)
    }
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished("a|c"))
  }
}
