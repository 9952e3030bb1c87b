import ActorFlow

/// A step whose code is given by a test.
actor Scripted: FlowStep {
  typealias Proceed = @Sendable (String, StepContext) async throws -> String
  typealias BackUp = @Sendable (RollbackContext) async throws -> Void

  private let work: Proceed
  private let undo: BackUp

  init(backUp undo: @escaping BackUp = { _ in }, _ work: @escaping Proceed) {
    (self.work, self.undo) = (work, undo)
  }

  func proceed(_ input: String, context: StepContext) async throws -> String { try await work(input, context) }
  func backUp(context: RollbackContext) async throws { try await undo(context) }
}
