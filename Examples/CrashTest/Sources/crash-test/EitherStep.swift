import ActorFlow

/// Asks, and waits for a signal beside it: the first that comes wins. Then it asks again.
///
/// An answer wins over a signal that has come as well, so that what was accepted decides, and not which task is faster.
actor EitherStep: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    let run = CrashFlow.run(input)
    let first = "[either:\(try await either(run, context))]"
    // Shown, so that a replay that takes the other branch is found out.
    return input + first + "[then:\(try await context.ask(Form(run: run, kind: "then", shown: first)))]"
  }

  func backUp(context: RollbackContext) {}

  private nonisolated func either(_ run: String, _ context: StepContext) async throws -> String {
    try await withThrowingTaskGroup(of: (isAnswer: Bool, text: String).self) { group in
      group.addTask {
        await Self.dawdle()
        return (true, try await context.ask(Form(run: run, kind: "either"), key: "either"))
      }
      group.addTask {
        await Self.dawdle()
        return (false, try await context.wait(for: CrashFlow.either))
      }
      guard var found = try await group.next() else { throw CancellationError() }
      group.cancelAll()
      // Given up, unless it came in the same moment.
      if let other = try? await group.next(), other.isAnswer { found = other }
      return found.text
    }
  }

  /// A moment in which the other task may be first. A task that is cancelled meanwhile goes on to ask, or to wait.
  private static func dawdle() async {
    guard Bool.random() else { return }
    try? await Task.sleep(for: .microseconds(Int.random(in: 0...2_000)))
  }
}
