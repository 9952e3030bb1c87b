import ActorFlow
import Testing

/// The code in the doc comments of Sources/ActorFlow.
enum DocCommentSnippets {
  struct Cart: Sendable, Equatable {
    var items: [String] = ["teapot"]
  }
  struct Address: Sendable, Equatable {
    var street: String
  }
  struct Order: Sendable, Equatable {
    var cart: Cart
    var address: Address
  }
  struct Receipt: Sendable, Equatable {
    var order: Order
  }
  struct Shipment: Sendable, Equatable {
    var carrier: String
  }
  actor Gateway {
    func charge(_ order: Order) -> Receipt { Receipt(order: order) }
  }

  struct AddressForm: Prompt {
    typealias Answer = Address
    let cart: Cart
  }

  actor ShippingStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) async throws -> Order {
      let address = try await context.ask(AddressForm(cart: cart))
      return Order(cart: cart, address: address)
    }
    func backUp(context: RollbackContext) {}
  }

  actor PaymentStep: FlowStep {
    private let gateway: Gateway
    init(_ gateway: Gateway) { self.gateway = gateway }
    func proceed(_ order: Order, context: StepContext) async throws -> Receipt { await gateway.charge(order) }
    func backUp(context: RollbackContext) {}
  }

  actor AddressStep: FlowStep {
    func proceed(_ cart: Cart, context: StepContext) -> Address { Address(street: "Main St 1") }
    func backUp(context: RollbackContext) {}
  }

  actor CarrierStep: FlowStep {
    func proceed(_ order: Order, context: StepContext) -> Shipment { Shipment(carrier: "bike") }
    func backUp(context: RollbackContext) {}
  }

  struct Delivery: FlowComponent {
    @FlowBuilder var flow: Flow<Cart, Shipment> {
      Step("shipping", ShippingStep.init)
      Step("carrier", CarrierStep.init)
    }
  }

  static var ordering: Flow<Cart, Order> {
    Step("address", AddressStep.init).carrying { cart, address in Order(cart: cart, address: address) }
  }

  static var addressing: Flow<Cart, Order> {
    Ask("address") { (cart: Cart) in AddressForm(cart: cart) }
      .carrying { cart, address in Order(cart: cart, address: address) }
  }

  static func sell(_ cart: Cart) async throws -> Receipt {
    let gateway = Gateway()
    let checkout = Flow("checkout") {
      Step("shipping", ShippingStep.init)
      Step("payment") { PaymentStep(gateway) }
    }

    let coordinator = FlowCoordinator()
    async let receipt = coordinator.run(checkout, with: cart)

    _ = try await coordinator.settled()
    try await coordinator.answer(AddressForm.self, with: Address(street: "Main St 1"))
    return try await receipt
  }
}

@Suite("Doc comments") struct DocCommentTests {
  typealias Code = DocCommentSnippets

  @Test("the checkout of the doc comments sells")
  func sells() async throws {
    let cart = Code.Cart()
    let receipt = try await Code.sell(cart)
    #expect(receipt == Code.Receipt(order: Code.Order(cart: cart, address: Code.Address(street: "Main St 1"))))
  }

  @Test("a custom component is a part like any other")
  func component() {
    let flow = Flow("shop") { Code.Delivery().named("delivery") }
    #expect(flow.steps == ["shop/delivery/shipping", "shop/delivery/carrier"])
  }

  @Test("an ask is a step that only asks")
  func asking() async throws {
    let cart = Code.Cart()
    let coordinator = FlowCoordinator()
    async let order = coordinator.run(Code.addressing, with: cart)
    _ = try await coordinator.settled()
    try await coordinator.answer(Code.AddressForm.self, with: Code.Address(street: "Main St 1"))
    #expect(try await order.address.street == "Main St 1")
  }

  @Test("carrying passes on a step's input beside its output")
  func carrying() async throws {
    let cart = Code.Cart()
    let order = try await FlowCoordinator().run(Code.ordering, with: cart)
    #expect(order == Code.Order(cart: cart, address: Code.Address(street: "Main St 1")))
  }
}
