import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// A flow of the corpus: the requests that led to its stored state, and those that finish it.
struct CorpusScenario: Sendable, CustomTestStringConvertible {
  typealias Hosted = RegisteredFlow<String, String>

  let name: String
  /// The first format that can store the state.
  let format: Int
  /// The definition, for tests without a host; for a migrated flow the first version.
  let flow: @Sendable (_ isWhole: Bool) -> Flow<String, String>
  /// Registers the definition. With `isWhole`, no step fails any more.
  let register: @Sendable (_ host: FlowHost, _ isWhole: Bool) async throws -> Hosted
  /// Brings the flow to the state to be stored.
  let begin: @Sendable (CorpusActor) async throws -> Void
  /// Whether a commit is the one to be stored; the last one that matches is taken.
  let isMeant: @Sendable (CorpusState) -> Bool

  var testDescription: String { name }
  var id: FlowID { FlowID("corpus-\(name)") }

  init(
    _ name: String, since format: Int = 1, flow: @escaping @Sendable (_ isWhole: Bool) -> Flow<String, String>,
    when isMeant: @escaping @Sendable (CorpusState) -> Bool = { _ in true },
    begin: @escaping @Sendable (CorpusActor) async throws -> Void
  ) {
    self.init(
      name, since: format, flow: flow, register: { try await $0.register(flow($1)) }, when: isMeant, begin: begin)
  }

  init(
    _ name: String, since format: Int = 1, flow: @escaping @Sendable (_ isWhole: Bool) -> Flow<String, String>,
    register: @escaping @Sendable (FlowHost, Bool) async throws -> Hosted,
    when isMeant: @escaping @Sendable (CorpusState) -> Bool = { _ in true },
    begin: @escaping @Sendable (CorpusActor) async throws -> Void
  ) {
    (self.name, self.format, self.flow) = (name, format, flow)
    (self.register, self.begin, self.isMeant) = (register, begin, isMeant)
  }
}

/// A scenario as one format stores it.
struct CorpusCase: Sendable, CustomTestStringConvertible {
  let scenario: CorpusScenario
  let format: Int

  static let all = CorpusScenario.all.flatMap { scenario in
    CorpusTests.formats.filter { $0 >= scenario.format }.map { CorpusCase(scenario: scenario, format: $0) }
  }

  var testDescription: String { "\(scenario.name), format \(format)" }
}

/// The state in which a commit left a flow.
struct CorpusState: Sendable {
  let steps: [StepID]
  let status: FlowSnapshot.Status
  let isRollingBack: Bool
  let stack: [StepID]
}

/// A user of a flow of the corpus.
struct CorpusActor: Sendable {
  let host: FlowHost
  let clock: ManualWallClock
  let id: FlowID

  /// Answers the question of a step.
  func answer(_ step: String, _ json: String = #""y""#, key: String? = nil) async throws {
    let question = try #require(try await host.flow(id).settled().questions.first { $0.step.name == step })
    try await host.flow(id).answer(question.id, json: json.utf8, by: Principal(id: "ann"), key: key)
    _ = try await host.flow(id).settled()
  }

  func send() async throws {
    _ = try await host.flow(id).settled()
    try await host.flow(id).send("p", to: CorpusScenario.paid, key: "paid")
  }

  func pass(_ time: Duration) async throws {
    clock.advance(by: time)
    try await host.catchUp()
  }

  /// Does whatever the flow needs to end.
  ///
  /// - Returns: The outcome of the flow.
  func finish(_ flows: CorpusScenario.Hosted) async throws -> String {
    for _ in 0..<40 {
      let view = try await host.flow(id).settled()
      if view.status == .suspended || view.rollbackFailed {
        try await host.flow(id).retry()
        continue
      }
      if view.isRedacted { return "redacted" }
      switch try await flows.outcome(of: id) {
      case .open: break
      case let outcome: return "\(outcome)"
      }
      if let question = view.questions.first {
        let isShelf = (try? question.prompt(as: Shelf.View.self)) != nil
        let json = isShelf ? #"{"done":{}}"# : #""y""#
        try await host.flow(id).answer(question.id, json: json.utf8, key: "\(question.id)")
      } else if !view.signals.isEmpty {
        try await send()
      } else {
        try await pass(.seconds(60))
      }
    }
    return "no end"
  }
}
