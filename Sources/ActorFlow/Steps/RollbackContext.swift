/// What a step may do while its `backUp` runs: look at the records of its place, and make new ones.
///
/// It can neither ask, nor back up, nor abandon: rollback waits for nobody.
public struct RollbackContext: Sendable {
  private let runtime: any StepRuntime
  private let info: StepInfo
  private let scope: RecordScope

  /// Why the place is rolled back.
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

  /// Does work in the outside world once, as ``StepContext/once(_:_:)-(String,(String)->T)`` does. A refund must not
  /// run twice either.
  ///
  /// Its records stand beside those of `proceed`, and are dropped with them when this `backUp` has returned. So use
  /// another key than `proceed` does.
  ///
  /// - Throws: What `work` threw; a ``FlowError`` with the code `wrongRecordType` if the record is of another type,
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

  /// Work whose result is not Codable, so that it cannot be recorded.
  @_documentation(visibility: internal) @_disfavoredOverload
  @available(*, unavailable, message: "what 'once' returns is recorded: its type must be Codable")
  public func once<T: Sendable>(
    _ key: String, _ work: @escaping @Sendable (_ idempotencyKey: String) async throws -> T
  ) async throws -> T {
    try await work(key)
  }

  /// What `once` recorded under `key` in this place.
  ///
  /// A record of another type counts as `interrupted`: something was begun under this key.
  public func record<T: Codable & Sendable>(_ key: String, as type: T.Type) async -> Record<T> {
    await runtime.record(key, scope: scope, as: type)
  }

  /// Whether `once` recorded anything under `key` in this place, whatever its type.
  public func record(_ key: String) async -> Record<Void> {
    await runtime.record(key, scope: scope)
  }
}
