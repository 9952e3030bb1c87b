import ActorFlow
import Testing

/// The program of the README, which Getting Started explains. As a file `main.swift` it has no enum and no function
/// around it; `print` is a parameter here so that a test sees the output.
enum ReadmeProgram {
  struct Address: Codable, Sendable { var street: String }
  struct FormError: Error { var problem: String }
  struct Cart: Codable, Sendable {
    var item: String
    var price: Int
  }
  struct Order: Codable, Sendable {
    var cart: Cart
    var address: Address
  }
  struct Receipt: Codable, Sendable {
    var item: String
    var paid: Int
    var sentTo: String
  }

  struct AddressForm: Prompt, Codable {  // the question and the type of its answer
    typealias Answer = Address
    let cart: Cart
    func validate(_ answer: Address) throws {
      if answer.street.isEmpty { throw FormError(problem: "the street is missing") }
    }
  }

  actor ShippingStep: FlowStep {  // independent of other steps and of the flow
    func proceed(_ cart: Cart, context: StepContext) async throws -> Order {
      let address = try await context.ask(AddressForm(cart: cart))  // suspends until an answer arrives
      return Order(cart: cart, address: address)
    }
    func backUp(context: RollbackContext) {}  // nothing to compensate
  }

  actor PaymentStep: FlowStep {
    let gateway: Gateway
    init(_ gateway: Gateway) { self.gateway = gateway }
    func proceed(_ order: Order, context: StepContext) async throws -> Receipt {
      try await context.once("charge") { [gateway] key in try await gateway.charge(order, idempotencyKey: key) }
    }
    func backUp(context: RollbackContext) async throws {  // compensates the charge
      switch await context.record("charge", as: Receipt.self) {
      case .none: break  // never called
      case .done(let receipt): try await context.once("refund") { [gateway] _ in try await gateway.refund(receipt) }
      case .interrupted(let key): try await gateway.void(idempotencyKey: key)  // called, outcome not known
      }
    }
  }

  actor Gateway {  // stands for a payment provider
    func charge(_ order: Order, idempotencyKey: String) throws -> Receipt {
      Receipt(item: order.cart.item, paid: order.cart.price, sentTo: order.address.street)
    }
    func refund(_ receipt: Receipt) throws {}
    func void(idempotencyKey: String) throws {}
  }

  static func run(print: (Any) -> Void) async throws {
    let gateway = Gateway()
    let checkout = Flow("checkout") {  // Flow<Cart, Receipt>; neighbours that do not fit do not compile
      Step("shipping", ShippingStep.init)
      Step("payment") { PaymentStep(gateway) }
    }

    let coordinator = FlowCoordinator()
    async let receipt = coordinator.run(checkout, with: Cart(item: "teapot", price: 42))
    for await event in coordinator.events {  // from any task: a web handler, a terminal, a test
      for question in event.position.questions where question.prompt is AddressForm {
        print("\(question.step) asks for an address")
        try? await coordinator.answer(question.id, with: Address(street: "Main St 1"))  // refused if too late
      }
    }
    print(try await receipt)  // the output of the last step
  }
}

@Suite("README") struct ReadmeTests {
  @Test("the program of the README prints the documented lines")
  func printsWhatItSays() async throws {
    var printed: [String] = []
    try await ReadmeProgram.run { printed.append("\($0)") }
    #expect(
      printed == [
        "checkout/shipping asks for an address",
        #"Receipt(item: "teapot", paid: 42, sentTo: "Main St 1")"#,
      ])
  }
}
