import ActorFlow
import Testing

/// The code of the article "Migrating from Flowter".
enum FlowterMigrationSnippets {
  struct Account: Sendable, Equatable {
    var name = ""
    var plan = ""
  }

  struct NamePage: Prompt { typealias Answer = String }
  struct PlanPage: Prompt {
    typealias Answer = String
    var name: String
  }

  actor NameStep: FlowStep {
    func proceed(_ input: Void, context: StepContext) async throws -> Account {
      Account(name: try await context.ask(NamePage()))
    }
    func backUp(context: RollbackContext) {}
  }

  actor PlanStep: FlowStep {
    func proceed(_ account: Account, context: StepContext) async throws -> Account {
      var account = account
      account.plan = try await context.ask(PlanPage(name: account.name))
      return account
    }
    func backUp(context: RollbackContext) {}
  }

  actor Container: Presenter {
    private(set) var pages: [String] = []
    func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
      switch event.change {
      case .moved(_, let visit): pages.append(visit.step.name)  // push, or as visit.presentation says
      case .backedUp: pages = event.position.stack.reversed().map(\.step.name)  // pop
      case .rolledBack: pages = []
      default: return false
      }
      return true
    }
  }

  static var signUp: Flow<Void, Account> {
    let signUp = Flow("sign up") {
      Step("name", NameStep.init)
      Step("plan", PlanStep.init)
    }
    .presentation(.push)
    return signUp
  }

  static func longer(_ signUp: Flow<Void, Account>) throws -> Flow<Void, Account> {
    let longer = try signUp.inserting(after: "name") {
      Step("terms") { (account: Account, context: StepContext) in
        if try await context.ask(PlanPage(name: "terms")) == "no" { try await context.abandon("terms") }
        return account
      }
    }
    return longer
  }

  static func start(_ signUp: Flow<Void, Account>, in container: Container) async throws -> Account {
    let coordinator = FlowCoordinator()
    let account = try await coordinator.run(signUp, with: (), presentedBy: [robot, container])
    return account
  }

  static var robot: Responder {
    Responder {
      On(NamePage.self) { _ in "Ann" }
      On(PlanPage.self) { page in "plan of \(page.name)" }
    }
  }
}

@Suite("Article: migrating from Flowter") struct FlowterMigrationTests {
  typealias Code = FlowterMigrationSnippets

  @Test("the pages are shown one after the other, and the flow returns the account")
  func pages() async throws {
    let container = Code.Container()
    #expect(
      try await Code.start(Code.signUp, in: container) == Code.Account(name: "Ann", plan: "plan of Ann"))
    #expect(await container.pages == ["name", "plan"])
  }

  @Test("an added page makes a second flow; the first is unchanged")
  func inserted() async throws {
    let longer = try Code.longer(Code.signUp)
    #expect(longer.steps == ["sign up/name", "sign up/terms", "sign up/plan"])
    #expect(Code.signUp.steps == ["sign up/name", "sign up/plan"])
    let container = Code.Container()
    #expect(try await Code.start(longer, in: container).name == "Ann")
    #expect(await container.pages == ["name", "terms", "plan"])
  }
}
