import ActorFlow
import Testing

/// The code in the doc comments of `Exit` and `passingThrough`.
private enum PassingSnippets {
  struct Cart: Sendable {}
  struct Order: Sendable {}
  struct Receipt: Sendable, Equatable {}

  actor ShippingStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) -> Order { Order() }
    func backUp(context: RollbackContext) {}
  }
  actor AuditStep: FlowStep {
    func proceed(_ input: Void, context: StepContext) {}
    func backUp(context: RollbackContext) {}
  }
  actor AnnounceStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Int { 1 }
    func backUp(context: RollbackContext) {}
  }
  actor PaymentStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Receipt { Receipt() }
    func backUp(context: RollbackContext) {}
  }

  static var checkout: Flow<Cart, Receipt> {
    Flow("checkout") {
      Step("shipping", ShippingStep.init)
      Step("audit", AuditStep.init).passingThrough()  // takes nothing; "payment" gets the output of "shipping"
      Step("payment", PaymentStep.init)
    }
  }

  static var announcing: Flow<Order, Order> {
    Step("announce", AnnounceStep.init).passingThrough()
  }

  struct Person: Sendable {
    var age: Int
  }
  enum SignUp: Sendable {
    case refused
    case done
  }

  actor AddressStep: FlowStep {
    func proceed(_ person: Person, context: StepContext) -> Person { person }
    func backUp(context: RollbackContext) {}
  }
  actor AccountStep: FlowStep {
    func proceed(_ person: Person, context: StepContext) -> SignUp { .done }
    func backUp(context: RollbackContext) {}
  }

  static var signUp: Flow<Person, SignUp> {
    let signUp = Flow("sign up", finishingWith: SignUp.self) {
      Step("age") { (person: Person) -> Exit<Person, SignUp> in
        person.age >= 18 ? .proceed(person) : .finish(.refused)
      }
      Step("address", AddressStep.init)  // takes a Person
      Step("account", AccountStep.init)  // makes a SignUp
    }
    return signUp
  }
}

@Suite("Doc comments: values that pass, and early ends") struct PassingSnippetTests {
  @Test("the flows of the doc comments return what they say")
  func flows() async throws {
    typealias Code = PassingSnippets
    #expect(try await FlowCoordinator().run(Code.checkout, with: Code.Cart()) == Code.Receipt())
    #expect(Code.announcing.steps == ["announce"])
    #expect(try await FlowCoordinator().run(Code.signUp, with: Code.Person(age: 17)) == .refused)
    #expect(try await FlowCoordinator().run(Code.signUp, with: Code.Person(age: 18)) == .done)
  }

  @Test("the flows of the article: an empty branch, an early end, and a value that passes")
  func article() async throws {
    typealias Code = ComposingSnippets
    let trip = Code.Trip(stops: ["home"])
    #expect(try await FlowCoordinator().run(Code.upgrading, with: trip) == trip)
    #expect(try await FlowCoordinator().run(Code.ending, with: trip) == .notNeeded)
    #expect(Code.watching.steps.map(\.name) == ["wish", "visitor count", "payment"])
  }
}
