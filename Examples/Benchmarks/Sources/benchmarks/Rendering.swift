import ActorFlow

/// Shows a number; actions are added to it.
struct Sum: Prompt {
  typealias Answer = Int
  let sum: Int
  /// The receiver of the leaf's actions.
  var leaf: Sink<Int>?
}

/// A node that adds its actions up, with so many nodes nested below it. Each hands its actions on to the node around it;
/// the root keeps them, and with a zero puts the sum out.
struct Adder: RenderedStep {
  var depth = 0
  var isRoot = true
  var effects = 0

  func makeState() -> Int { 0 }

  func apply(_ action: Int, to sum: inout Int) -> Int? {
    sum += action
    guard action != 0 else { return sum }
    return isRoot ? nil : action
  }

  func render(_ sum: Int, in scope: inout RenderScope<Adder>) -> Sum {
    for effect in 0..<effects {
      scope.run(effect) { _ in for await _ in AsyncStream<Never>.makeStream().stream {} }
    }
    guard depth > 0 else { return Sum(sum: sum, leaf: scope.sink) }
    let child = scope.child(Adder(depth: depth - 1, isRoot: false), key: 0) { $0 }
    return Sum(sum: sum, leaf: child.leaf)
  }
}

/// Actions of rendered steps. Each function returns nanoseconds.
struct Rendering {
  let flat = Flow("flat") { Step("sum") { (_: Int) in Adder() } }
  let keeping = Flow("keeping") { Step("sum") { (_: Int) in Adder(effects: 8) } }
  let nested = Flow("nested") { Step("sum") { (_: Int) in Adder(depth: 8) } }

  @concurrent func action(_ count: Int) async throws -> Double { try await actions(count, in: flat) }

  @concurrent func effectKept(batch: Int) async throws -> Double {
    let without = try await actions(batch * 10, in: flat)
    return (try await actions(batch * 10, in: keeping) - without) / 8
  }

  /// Renders with eight requested effects, and without any, so that `count` of `total` effects are unchanged.
  @concurrent func effectsKept(_ count: Int, of total: Int) async throws {
    _ = try await actions(count / 8, in: keeping)
    _ = try await actions((total - count) / 8, in: flat)
  }

  private func actions(_ count: Int, in flow: Flow<Int, Int>) async throws -> Double {
    try await time(flow, sum: count) { coordinator, id, _ in
      try await nanosecondsOf {
        for _ in 0..<count { try await coordinator.answer(id, with: 1) }
      } / Double(count)
    }
  }

  @concurrent func action8(_ count: Int) async throws -> Double {
    try await time(nested, sum: count) { coordinator, _, leaf in
      try await nanosecondsOf {
        for _ in 0..<count {
          guard await leaf(1) else { throw WrongResult(description: "the leaf's action was refused") }
        }
      } / Double(count)
    }
  }

  private func time(
    _ flow: Flow<Int, Int>, sum: Int, _ body: (FlowCoordinator, Question.ID, Sink<Int>) async throws -> Double
  ) async throws -> Double {
    let coordinator = FlowCoordinator()
    let run = Task { try await coordinator.run(flow, with: 0) }
    guard let question = try await coordinator.settled().questions.first,
      let leaf = (question.prompt as? Sum)?.leaf
    else { throw WrongResult(description: "nothing is shown") }
    let time = try await body(coordinator, question.id, leaf)
    guard let shown = await coordinator.position.questions.first else {
      throw WrongResult(description: "nothing is shown any more")
    }
    try WrongResult.check(shown.revision == sum + 1, "\(sum) actions made \(shown.revision - 1) renderings")
    try await coordinator.answer(question.id, with: 0)
    let result = try await run.value
    try WrongResult.check(result == sum, "\(sum) actions made \(result)")
    return time
  }
}
