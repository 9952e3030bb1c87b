/// The operations of a step while its `backUp` runs: it reads the records of its place, and makes new ones.
///
/// A rollback cannot ask, back up or abandon: it waits for no answer.
public struct RollbackContext: Sendable {
  private let runtime: any StepRuntime
  private let info: StepInfo
  private let scope: RecordScope

  /// The reason why the place is rolled back.
  public let reason: LeaveReason

  init(runtime: any StepRuntime, info: StepInfo, stay: Stay, reason: LeaveReason) {
    self.runtime = runtime
    self.info = info
    self.scope = RecordScope(stay, isRollback: true)
    self.reason = reason
  }

  /// The flow the step is part of.
  public var flow: FlowID { runtime.flow }

  /// The step's path in the flow.
  public var step: StepID { info.id }

  /// The trace context that the flow was started with, as ``StepContext/trace``.
  public var trace: TraceContext { runtime.trace }

  /// Does work in the outside world once, as ``StepContext/once(_:_:)-(String,(String)->T)`` does. A refund must not
  /// run twice either.
  ///
  /// Its records stand beside those of `proceed`, and are dropped with them when this `backUp` has returned. So use
  /// another key than `proceed` does.
  ///
  /// - Throws: The error of `work`; a ``FlowError`` with the code `wrongRecordType` if the record is of another type,
  ///   `notActive` after the `backUp` has returned.
  public func once<T: Codable & Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    try await runtime.once(key, scope: scope, work)
  }

  /// Does work in the outside world once, for work that returns nothing.
  @_disfavoredOverload
  public func once(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> Void
  ) async throws {
    _ = try await once(key) { idempotencyKey in
      try await work(idempotencyKey)
      return Done()
    }
  }

  /// Refuses work whose result is not Codable, because it cannot be recorded.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "the result of 'once' is recorded: its type must be Codable")
  public func once<T: Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    try await work(key)
  }

  /// Returns the record that `once`, `attempt` or `now` left under `key` in this place. A failed attempt is
  /// `interrupted`: its effect may have happened.
  ///
  /// A record of another type counts as `interrupted`: work was begun under this key.
  public func record<T: Codable & Sendable>(_ key: String, as type: T.Type) async -> Record<T> {
    await runtime.record(key, scope: scope, as: type)
  }

  /// Returns the record under `key` in this place, without its value and whatever its type.
  public func record(_ key: String) async -> Record<Void> {
    await runtime.record(key, scope: scope)
  }
}
