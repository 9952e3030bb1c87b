import ActorFlow

/// Asks, and waits for a signal beside it: the first to arrive wins. Then it asks again.
///
/// An answer wins over a signal that has arrived as well, so that the accepted request decides, and not the faster
/// task.
actor EitherStep: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    let run = CrashFlow.run(input)
    let first = "[either:\(try await either(run, context))]"
    // Shown, so that a replay that takes the other branch is detected.
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
      // Given up, unless it arrived at the same moment.
      if let other = try? await group.next(), other.isAnswer { found = other }
      return found.text
    }
  }

  /// A moment in which the other task may be first. A task that is cancelled meanwhile still asks, or waits.
  private static func dawdle() async {
    guard Bool.random() else { return }
    try? await Task.sleep(for: .microseconds(Int.random(in: 0...2_000)))
  }
}
