// Questions: the asker's side.
extension FlowCore: StepRuntime {
  func open<P: Prompt>(_ prompt: P, key: String?, visit: VisitID) async throws -> PendingAnswer<P.Answer> {
    try Task.checkCancellation()
    let cell = Cell()
    let asked = try await decide(asker: cell) { machine in
      let asked = try machine.ask(prompt, key: key, visit: visit)
      return switch asked {
      case .answered, .withdrawn: Decision(asked)
      case .opened(_, let event): Decision(asked, event: event)
      }
    }
    switch asked {
    case .answered(let answer):
      let typed = try Self.typed(answer, as: P.Answer.self)
      return PendingAnswer { typed }
    case .withdrawn:
      // Waits until the step gives it up again.
      return PendingAnswer { try Self.typed(try await cell.value(), as: P.Answer.self) }
    case .opened(let question, _):
      return PendingAnswer {
        do {
          return try Self.typed(try await cell.value(), as: P.Answer.self)
        } catch {
          // Given up by a child task of the step that the step itself has cancelled: nobody waits any more.
          _ = try? await self.decide { Decision((), event: $0.withdraw(question.id)) }
          throw error
        }
      }
    }
  }

  func update<P: Prompt>(_ prompt: P, visit: VisitID) async throws {
    try await decide { Decision((), event: try $0.update(prompt, visit: visit)) }
  }

  func backUp(from visit: VisitID) throws {
    let since = elapsed
    try decideNow { try $0.backUp(from: visit, since: since).decision }
  }

  func abandon(_ reason: String, from visit: VisitID) throws {
    let since = elapsed
    try decideNow { try $0.abandon(reason, from: visit, since: since).decision }
  }

  private static func typed<T>(_ value: any Sendable, as type: T.Type) throws -> T {
    try StepBody.cast(value, to: type)
  }
}
