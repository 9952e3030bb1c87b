import ActorFlow

/// A commit hook that a test can hold up or let fail, and that remembers what was committed.
final class CommitHook: Sendable {
  /// The commits that were attempted: the status, the stack and the open question, such as `running ab?`.
  let trace = Trace()
  /// The checkpoint at which held commits wait.
  let held = Checkpoint()
  private let rules = Lock<(hold: Rule?, fail: Rule?)>((nil, nil))

  typealias Rule = @Sendable (FlowMachine) -> Bool

  /// Holds up commits of the machines for which the rule is true.
  func hold(_ rule: @escaping Rule) { rules.withLock { $0.hold = rule } }

  /// Makes commits throw ``Failure`` "commit" for the machines for which the rule is true.
  func fail(_ rule: @escaping Rule) { rules.withLock { $0.fail = rule } }

  /// Lets every commit from now on succeed at once.
  func relax() {
    rules.withLock { $0 = (nil, nil) }
    held.open()
  }

  func commit(_ machine: FlowMachine) async throws {
    trace.add(machine.position.line)
    let rules = rules.withLock { $0 }
    if rules.hold?(machine) == true { await held.pass() }
    if rules.fail?(machine) == true { throw Failure("commit") }
  }

  /// Starts `flow` on a coordinator with this hook.
  func launch(_ flow: Flow<String, String>) -> Launched<String> {
    let clock = TestClock()
    var settings = CoordinatorSettings()
    settings.clock = clock
    settings.eventLog = 10_000
    settings.commit = { try await self.commit($0) }
    return ActorFlowTests.launch(
      flow, with: "", on: FlowCoordinator(id: "test", settings: settings), clock: clock)
  }
}

extension Position {
  /// The position in a few characters: `running ab?` when `b` asks on top of `a`.
  var line: String {
    let stack = stack.map(\.step.name).reversed().joined()
    return "\(status.word) \(stack)\(questions.isEmpty ? "" : "?")"
  }
}
