import ArgumentParser

/// `actorflow plan`.
struct ShowPlan: OperatorCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Says with which version each open flow would go on.",
    discussion: "Flows that are unmigrated fit no version that the service has: register one, or a migration.")
  @OptionGroup var service: ServiceOptions

  func run(in session: Session) async throws {
    let plan = try await session.admin.get("/plan")
    if session.isJSON { return try session.console.print(plan.description) }
    for line in plan["lines"].items { try session.console.print(visible: line.text ?? "") }
  }
}
