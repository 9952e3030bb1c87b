import ActorFlow
import Testing

/// The second program of the README, with the types it leaves out, and a test of its behaviour.
@Suite("The README's composed flow") struct ReadmeComposingSnippets {
  struct Guest: Sendable {}
  struct Member: Sendable {}
  struct Bag: Sendable {}
  struct Cleared: Sendable {
    var bag: Bag
    var risk: Int
  }
  struct Invoice: Sendable, Equatable {
    var tries: Int
  }

  actor AddressStep: FlowStep {
    func proceed(_ input: Guest, context: StepContext) -> Bag { Bag() }
    func backUp(context: RollbackContext) {}
  }

  actor LoginStep: FlowStep {
    func proceed(_ input: Member, context: StepContext) -> Bag { Bag() }
    func backUp(context: RollbackContext) {}
  }

  actor StockStep: FlowStep {
    func proceed(_ input: Bag, context: StepContext) -> Bag { input }
    func backUp(context: RollbackContext) {}
  }

  actor FraudStep: FlowStep {
    func proceed(_ input: Bag, context: StepContext) -> Int { 1 }
    func backUp(context: RollbackContext) {}
  }

  actor CardStep: FlowStep {
    private static let tries = Count()
    func proceed(_ input: Cleared, context: StepContext) -> Again<Cleared, Invoice> {
      let tries = Self.tries.next()
      return tries < 3 ? .again(input) : .done(Invoice(tries: tries))
    }
    func backUp(context: RollbackContext) {}
  }

  @Test("the composed flow routes, forks, joins and loops, and draws itself")
  func order() async throws {
    let order = Flow("order") {  // Flow<OneOf2<Guest, Member>, Invoice>
      Route {
        When(Guest.self) { Step("address", AddressStep.init) }
        When(Member.self) { Step("login", LoginStep.init) }
      }
      Parallel {
        Step("stock", StockStep.init).retry(3, backoff: .exponential(from: .seconds(1)))
        Step("fraud", FraudStep.init).timeout(.seconds(30))
      } join: { bag, risk in
        Cleared(bag: bag, risk: risk)
      }
      Loop { Step("card", CardStep.init) }  // makes .again(next), or .done(invoice)
    }
    #expect(order.diagram(.mermaid).hasPrefix("flowchart"))
    #expect(try await FlowCoordinator().run(order, with: .first(Guest())) == Invoice(tries: 3))
  }
}
