/// What a step's contexts ask of whoever runs the step. The coordinator's core is the one implementation; the protocol
/// stands here so that the definition's rooms name no room above them.
package protocol StepRuntime: AnyObject, Sendable {
  var flow: FlowID { get }

  func open<P: Prompt>(_ prompt: P, key: String?, visit: VisitID) async throws -> PendingAnswer<P.Answer>
  func update<P: Prompt>(_ prompt: P, visit: VisitID) async throws
  func backUp(from visit: VisitID) throws
  func abandon(_ reason: String, from visit: VisitID) throws

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
  package let visit: VisitID
  package let isRollback: Bool

  package init(visit: VisitID, isRollback: Bool) {
    self.visit = visit
    self.isRollback = isRollback
  }
}

/// What `once` records for work that returns nothing.
package struct Done: Codable, Sendable {
  package init() {}
}
