public import ActorFlow

extension StepDouble {
  /// What a ``StepDouble`` does in one visit.
  public struct Turn: Sendable {
    let play: @Sendable (Input, StepContext) async throws -> Output

    private init(_ play: @escaping @Sendable (Input, StepContext) async throws -> Output) {
      self.play = play
    }

    /// Returns `output`.
    public static func returning(_ output: Output) -> Turn {
      Turn { _, _ in output }
    }

    /// Throws `error`.
    public static func throwing(_ error: any Error) -> Turn {
      Turn { _, _ in throw error }
    }

    /// Asks a question and makes an output of its answer.
    public static func asking<P: Prompt>(
      _ prompt: P, then output: @escaping @Sendable (P.Answer) throws -> Output
    ) -> Turn {
      Turn { _, context in try output(try await context.ask(prompt)) }
    }

    /// Does what `work` does.
    public static func running(_ work: @escaping @Sendable (Input, StepContext) async throws -> Output) -> Turn {
      Turn(work)
    }

    /// Never returns: waits until the visit is left, then throws `CancellationError`.
    public static var waiting: Turn {
      Turn { _, _ in try await Eventual<Output>().value() }
    }
  }
}
