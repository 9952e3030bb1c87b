/// The operations that a step's contexts need. The coordinator is the only implementation. The protocol is declared
/// here so that the definition's folders name no folder above them.
protocol StepRuntime: AnyObject, Sendable {
  var flow: FlowID { get }
  /// The trace context of a durable flow; empty for any other.
  var trace: TraceContext { get }
  /// Whether decisions are committed before they are adopted, so that they take time.
  var isCommitting: Bool { get }

  func ask<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> P.Answer
  /// Asks as ``ask(_:key:at:)`` does, and returns the answer as it is.
  func answer(to prompt: any Prompt, key: String?, at stay: Stay) async throws -> any Sendable
  func reply<P: Prompt>(to prompt: P, key: String?, at stay: Stay) async throws -> Reply<P.Answer>
  func open<P: Prompt>(_ prompt: P, key: String?, at stay: Stay) async throws -> PendingAnswer<P.Answer>
  func ask<P: Prompt>(
    _ prompt: P, key: String?, at stay: Stay, within limit: Duration?, reminding: Reminding?
  ) async throws -> P.Answer?
  func update<P: Prompt>(_ prompt: P, at stay: Stay) async throws
  func wait<T: Sendable>(
    for signal: String, matching condition: (@Sendable (T) -> Bool)?, at stay: Stay, within limit: Duration?
  ) async throws -> T?
  func first<P: Prompt, Value: Sendable>(
    of prompt: P, key: String?, or signal: String, matching condition: (@Sendable (Value) -> Bool)?, at stay: Stay,
    within limit: Duration?
  ) async throws -> First<Reply<P.Answer>, Value>?
  func send<S: ReceivingStep>(_ update: S.Update, to type: S.Type, from stay: Stay) async throws
  func backUp<S: ReceivingStep>(to type: S.Type, delivering update: S.Update, from stay: Stay) async throws

  /// Returns the persisted state at the place of a rendered step; `nil` if the flow is not durable.
  func persistedRendering(at stay: Stay) async throws -> PersistedRendering?
  /// Shows a rendering: opens a question that takes many answers.
  func show(
    _ rendering: any Prompt, _ persisted: RenderPersistence?, to receiver: any ActionReceiver, at stay: Stay
  ) async throws -> Question
  /// Replaces a rendering.
  func rerender(
    _ rendering: any Prompt, _ persisted: RenderPersistence?, at stay: Stay, origin: ActionOrigin,
    cause: (any CommitCause)?
  ) async throws
  /// Records that an action was applied and did not change the rendering.
  func acknowledge(
    _ persisted: RenderPersistence?, at stay: Stay, origin: ActionOrigin, cause: (any CommitCause)?
  ) async throws
  /// Throws if the clock says that an answer to this question comes too late, even if its timer has not fired yet.
  func refuseLate(_ question: Question.ID) async throws
  /// Closes the question, if it is still open.
  func hide(at stay: Stay, cause: (any CommitCause)?) async
  /// Changes the number of effects that run or are about to start, so that a durable flow is not passivated just before
  /// they do.
  func countEffects(_ difference: Int) async
  /// Starts an effect's work in a task of its own. The caller has counted the effect before, and cancels and awaits the
  /// task. The effect is counted off when it ends.
  func startEffect(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>

  func backUp(from stay: Stay) async throws
  func abandon(_ reason: String, from stay: Stay) async throws

  func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> T
  func once<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, recording work: @escaping RecordingWork<T>
  ) async throws -> T
  func attempt<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, _ work: @escaping @Sendable (String) async throws -> T
  ) async throws -> Attempt<T>
  func now(_ key: String, scope: RecordScope) async throws -> FlowTime
  func label(_ key: String, _ value: String?, at stay: Stay) async throws
  func record<T: Codable & Sendable>(_ key: String, scope: RecordScope, as type: T.Type) async -> Record<T>
  func record(_ key: String, scope: RecordScope) async -> Record<Void>
}

/// Work that records its result itself, by calling `record` with it and with the cause of the commit. The work may do so
/// again if the commit was rolled back.
package typealias RecordingWork<T> =
  @Sendable (
    _ idempotencyKey: String, _ record: @escaping @Sendable (T, any CommitCause) async throws -> Void
  ) async throws -> T

/// An open question, as its asker sees it. Call ``answer()`` once.
package struct PendingAnswer<Answer: Sendable>: Sendable {
  private let wait: @Sendable () async throws -> Answer

  package init(_ wait: @escaping @Sendable () async throws -> Answer) {
    self.wait = wait
  }

  /// Waits for the answer. If the task is cancelled, the question is withdrawn.
  package func answer() async throws -> Answer { try await wait() }
}

/// The identity of a set of records: those of the place of a visit, used from its `proceed` or from its `backUp`.
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

/// The value that `once` records for work that returns nothing.
package struct Done: Codable, Sendable {
  package init() {}
}
