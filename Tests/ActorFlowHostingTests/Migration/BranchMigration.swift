import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

typealias Asking = Flow<String, String>

/// A flow begun in one version, on a host that has the next one.
struct BranchMigration {
  static let remedy = "keep the order"

  private let store = MemoryFlowStore()

  /// Begins a flow and answers these steps with their names.
  private func begin(_ flow: Asking, answering steps: [String], with input: String = "") async throws {
    let host = FlowHost(store: store)
    try await host.register(flow).start(id: "f", with: input)
    try await answer(steps, at: host)
    await host.isQuiet()
  }

  private func answer(_ steps: [String], at host: FlowHost) async throws {
    for step in steps {
      let question = try await host.flow("f").settled().questions.first { $0.step.path.hasSuffix("/\(step)") }
      _ = try await host.flow("f").answer(try #require(question, "\(step)").id, json: "\"\(step)\"".utf8)
    }
  }

  /// Answers what is asked until the flow ends: first the question of the step `first`, if that asks. Branches come to
  /// their questions in any order, so the others are answered by the names of their steps.
  private func finish(_ host: FlowHost, first: String? = nil) async throws {
    while case let questions = try await host.flow("f").settled().questions,
      let question = questions.first(where: { $0.step.name == first })
        ?? questions.min(by: { $0.step.path < $1.step.path })
    {
      do {
        _ = try await host.flow("f").answer(question.id, json: "\"\(question.step.name)\"".utf8)
      } catch let error as FlowError where [.questionClosed, .flowEnded].contains(error.code) {
        // The view was of the flow before it moved. It has moved once it has had a turn.
        await Task.yield()
      }
    }
  }

  private func newHost(_ flow: Asking, _ moves: [Move]) async throws -> (FlowHost, RegisteredFlow<String, String>) {
    let host = FlowHost(store: store)
    return (host, try await host.register(flow, version: 2, from: 1, moves: moves))
  }

  /// Expects that the flow is unmigrated for this reason, as the plan had predicted, and that it ends unchanged when
  /// the old version is registered.
  func expectUnmigrated(
    _ first: Asking, answering steps: [String], _ second: Asking, moves: [Move] = [], _ reason: String,
    then output: String, location: SourceLocation = #_sourceLocation
  ) async throws {
    try await begin(first, answering: steps)
    let (host, flows) = try await newHost(second, moves)
    let whole = "it cannot move to version 2: \(reason); add a move for that, or register the old version, too"
    #expect(try await host.plan().groups.map(\.fate) == [.unmigrated(whole)], sourceLocation: location)
    #expect(
      await code { try await host.flow("f").answer(Form.self, with: "y") } == .unmigrated, sourceLocation: location)
    let view = try await host.flow("f").view()
    #expect(view.status == .unmigrated && view.failure == whole, "\(view.failure ?? "")", sourceLocation: location)
    try await host.register(first)
    #expect(try await host.plan().counts == (1, 0, 0, 0), sourceLocation: location)
    try await finish(host)
    #expect(try await flows.outcome(of: "f") == .finished(output), sourceLocation: location)
    #expect(try await host.flow("f").view().version == 1, sourceLocation: location)
  }

  func expectMoved(
    _ first: Asking, answering steps: [String], _ second: Asking, moves: [Move] = [], then output: String,
    with input: String = "", answeringFirst preferred: String? = nil, location: SourceLocation = #_sourceLocation
  ) async throws {
    try await begin(first, answering: steps, with: input)
    let (host, flows) = try await newHost(second, moves)
    #expect(try await host.plan().groups.map(\.fate) == [.moves(to: 2)], sourceLocation: location)
    try await finish(host, first: preferred)
    #expect(try await flows.outcome(of: "f") == .finished(output), sourceLocation: location)
    #expect(try await host.flow("f").view().version == 2, sourceLocation: location)
  }
}

/// A step that asks, and appends the answer to its input.
func ask(_ name: String) -> Step<String, String> { Step(name) { Asker() } }

/// Two branches and their two results, joined.
func both(
  _ left: some FlowComponent<String, String>, _ right: some FlowComponent<String, String>
) -> Asking {
  Flow("pay") {
    Parallel {
      left
      right
    } join: {
      "\($0)|\($1)"
    }
  }
}

/// Two steps without a name around them.
func numbered(_ first: String, _ second: String) -> Asking {
  Flow {
    ask(first)
    ask(second)
  }
}
