import ActorFlow

// Scenarios of steps with state: their prompts show the state, and the world acts on the prompts.
extension RestartScenario {
  static let rendering: [RestartScenario] = [
    RestartScenario("a rendered step with children, ended by a child's output", filling(rows: 3, marks: 2)) { _ in
      Flow("f") { Step("shelf") { (input: String) in PersistedShelf(name: input) } }
    },
    RestartScenario(
      "a back to a rendered step, which remembers",
      at(
        "b",
        { run, question in
          if question.visit.number < 3 { return try await run.coordinator.backUp() }
          try await run.answerIt(question)
        }, orElse: filling(rows: 1, marks: 3))
    ) { trace in
      Flow("f") {
        Step("shelf") { (input: String) in PersistedShelf(name: input) }
        tracedAsker("b", trace)
      }
    },
    RestartScenario("a rendered step in a loop, fresh each time", filling(rows: 2, marks: 1)) { trace in
      Flow("f") {
        Loop {
          Step("shelf") { (input: String) in PersistedShelf(name: input) }
          tracedCharger("paid", trace)
          Step("more") { (text: String) -> Again<String, String> in
            text.count { $0 == "!" } < 3 ? .again(text) : .done(text)
          }
        }
      }
    },
    RestartScenario("rendered steps beside each other", filling(rows: 2, marks: 1, visits: 0)) { trace in
      Flow("f") {
        Parallel {
          Step("left") { (input: String) in PersistedShelf(name: input + "l") }
          Step("right") { (input: String) in PersistedShelf(name: input + "r") }
          tracedAsker("beside", trace)
        } join: {
          "\($0)|\($1)|\($2)"
        }
      }
    },
    RestartScenario("a rendered step whose effect sends actions, and ends it", loading) { _ in
      Flow("f") { Step("list") { (_: String) in PersistedList() } }
    },
  ]

  /// Adds rows, marks each, and removes the last one.
  ///
  /// - Parameter visits: The weight of the visit's number in a mark: 0 where the number differs from run to run.
  private static func filling(rows: Int, marks: Int, visits: Int = 100) -> World {
    { run, position in
      let shelves = position.questions.compactMap { question in
        (question.prompt as? PersistedShelf.View).map { (question, $0) }
      }
      guard let (question, view) = shelves.min(by: { $0.0.step.path < $1.0.step.path }) else {
        return try await answer(run, position)
      }
      let row = view.rows.first { $0.marks.count < marks }
      let action: PersistedShelf.Action =
        if view.rows.count < rows && row == nil { .add } else if let row {
          .mark(row.id, question.visit.number * visits + question.revision)
        } else {
          .takeOff(view.rows.last?.id ?? 0)
        }
      try await run.coordinator.answer(question.id, with: action)
    }
  }

  /// Waits for the effect.
  private static let loading: World = { run, position in
    let shown = position.questions.map { "\($0)" }
    try await run.patiently {
      while await run.coordinator.position.questions.map({ "\($0)" }) == shown { await Task.yield() }
    }
  }
}

/// Rows that each store the visit and revision of their mark: a lost mark cannot be restored.
struct PersistedShelf: RenderedStep {
  enum Action: Codable, Sendable { case add, mark(Int, Int), takeOff(Int), left(Int, String) }
  struct View: Prompt, Codable {
    typealias Answer = Action
    var rows: [PersistedRow.View]
  }
  struct State: Codable, Sendable, Equatable {
    var rows: [Int] = []
    /// The input of a row: the visit and revision of its mark.
    var marks: [Int: [Int]] = [:]
    var isBeingTakenOff: Int?
  }

  let name: String

  func makeState() -> State { State() }

  func apply(_ action: Action, to state: inout State) -> String? {
    switch action {
    case .add: state.rows.append(state.rows.count + 1)
    case .mark(let row, let revision): state.marks[row, default: []].append(revision)
    case .takeOff(let row): return "\(name)!\(row):\(state.rows.map { "\(state.marks[$0] ?? [])" }.joined())"
    case .left(let row, let text): return "\(row)\(text)"
    }
    return nil
  }

  func render(_ state: State, in scope: inout RenderScope<PersistedShelf>) -> View {
    View(
      rows: state.rows.map { row in
        scope.child(PersistedRow(id: row, marks: state.marks[row] ?? []), key: row) { .left(row, $0) }
      })
  }
}

/// Stores each change of its parent's input.
struct PersistedRow: RenderedStep {
  struct View: Prompt, Codable {
    typealias Answer = Never
    var id: Int
    var marks: [Int]
  }
  typealias Output = String

  let id: Int
  let marks: [Int]

  func makeState() -> [Int] { [] }
  func inputDidChange(from old: PersistedRow, state: inout [Int]) { if old.marks != marks { state += marks.suffix(1) } }
  func apply(_ action: Never, to state: inout [Int]) -> String? {}
  func render(_ state: [Int], in scope: inout RenderScope<PersistedRow>) -> View { View(id: id, marks: state) }
}

/// Counts by an effect, which continues after a restart, and ends the step itself.
struct PersistedList: RenderedStep {
  struct View: Prompt, Codable {
    enum Answer: Codable, Sendable { case loaded(Int) }
    var count: Int
  }

  func makeState() -> Int { 0 }

  func apply(_ action: View.Answer, to count: inout Int) -> String? {
    guard case .loaded(let number) = action else { return nil }
    // An effect that starts again sends no number that is known.
    if number > count { count = number }
    return count == 5 ? "all \(count)" : nil
  }

  func render(_ count: Int, in scope: inout RenderScope<PersistedList>) -> View {
    scope.run("load") { sink in for number in 1...5 where number > count { await sink(.loaded(number)) } }
    return View(count: count)
  }
}
