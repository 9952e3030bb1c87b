/// What a step's contexts ask of whoever runs the step. The coordinator is the one implementation; the protocol
/// stands here so that the definition's rooms name no room above them.
protocol StepRuntime: AnyObject, Sendable {
  var flow: FlowID { get }
  /// Whether what is decided is committed before it is adopted, so that it takes its time.
  var isCommitting: Bool { get }

  func ask<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> P.Answer
  func open<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> PendingAnswer<P.Answer>
  func ask<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, within limit: Duration?, reminding: Reminding?
  ) async throws -> P.Answer?
  func update<P: Prompt>(_ prompt: P, at stay: Stay) async throws
  func wait<T: Sendable>(for signal: String, as type: T.Type, at stay: Stay, within limit: Duration?) async throws -> T?
  func send<S: ReceivingStep>(_ update: S.Update, to type: S.Type, from stay: Stay) async throws
  func backUp<S: ReceivingStep>(to type: S.Type, delivering update: S.Update, from stay: Stay) async throws

  /// What is kept at the place of a rendered step; nil where flows are not kept.
  func keptRendering(at stay: Stay) async throws -> KeptRendering?
  /// Shows a rendering: opens a question that takes many answers.
  func show(
    _ rendering: any Prompt, _ keeping: RenderKeeping?, to receiver: any ActionReceiver, at stay: Stay
  ) async throws -> Question
  /// Replaces a rendering. `isAnswer`: because somebody has answered.
  func rerender(_ rendering: any Prompt, _ keeping: RenderKeeping?, at stay: Stay, isAnswer: Bool) async throws
  /// An action was applied, and what is shown stays. `isAnswer`: somebody has answered.
  func acknowledge(_ keeping: RenderKeeping?, at stay: Stay, isAnswer: Bool) async throws
  /// Throws if an answer to this question comes too late, by the clock: the flow need not have heard of the time yet.
  func refuseLate(_ question: Question.ID) async throws
  /// Closes the question, if it is still open.
  func hide(at stay: Stay) async
  /// So many more effects are about to begin, or fewer: a flow that is kept is not put away just before they do.
  func countEffects(_ difference: Int) async
  /// Begins an effect's work in a task of its own, which its caller cancels and awaits, and has counted before. At the
  /// effect's end it is counted off.
  func startEffect(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>

  func backUp(from stay: Stay) async throws
  func abandon(_ reason: String, from stay: Stay) async throws

  func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> T
  func record<T: Codable & Sendable>(_ key: String, scope: RecordScope, as type: T.Type) async -> Record<T>
  func record(_ key: String, scope: RecordScope) async -> Record<Void>
}

/// An open question, seen by its asker. ``answer()`` is called once.
package struct PendingAnswer<Answer: Sendable>: Sendable {
  private let wait: @Sendable () async throws -> Answer

  package init(_ wait: @escaping @Sendable () async throws -> Answer) {
    self.wait = wait
  }

  /// Waits for the answer; cancelled, it withdraws the question.
  package func answer() async throws -> Answer { try await wait() }
}

/// Whose records are meant: those of the place a visit stays at, seen from its `proceed` or from its `backUp`.
package struct RecordScope: Hashable, Sendable {
  package let stay: Stay
  package let isRollback: Bool

  package init(_ stay: Stay, isRollback: Bool) {
    self.stay = stay
    self.isRollback = isRollback
  }

  package init(visit: VisitID, isRollback: Bool) {
    self.init(Stay(visit), isRollback: isRollback)
  }
}

/// What `once` records for work that returns nothing.
package struct Done: Codable, Sendable {
  package init() {}
}
