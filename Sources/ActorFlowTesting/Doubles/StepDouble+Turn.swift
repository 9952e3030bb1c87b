public import ActorFlow

extension StepDouble {
  /// The behaviour of a ``StepDouble`` in one visit.
  public struct Turn: Sendable {
    let play: @Sendable (Input, StepContext) async throws -> Output

    private init(_ play: @escaping @Sendable (Input, StepContext) async throws -> Output) {
      self.play = play
    }

    /// A turn that returns `output`.
    public static func returning(_ output: Output) -> Turn {
      Turn { _, _ in output }
    }

    /// A turn that throws `error`.
    public static func throwing(_ error: any Error) -> Turn {
      Turn { _, _ in throw error }
    }

    /// A turn that asks a question and makes an output of its answer.
    public static func asking<P: Prompt>(
      _ prompt: P, then output: @escaping @Sendable (P.Answer) throws -> Output
    ) -> Turn {
      Turn { _, context in try output(try await context.ask(prompt)) }
    }

    /// A turn that runs `work`.
    public static func running(_ work: @escaping @Sendable (Input, StepContext) async throws -> Output) -> Turn {
      Turn(work)
    }

    /// A turn that never returns: it waits until the visit is left, then throws `CancellationError`.
    public static var waiting: Turn {
      Turn { _, _ in try await Eventual<Output>().value() }
    }
  }
}
