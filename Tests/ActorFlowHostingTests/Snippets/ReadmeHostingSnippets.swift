import ActorFlow
import ActorFlowHosting
import Testing

/// The durable flow of the README, with the types of its first program as a store needs them.
@Suite("The README's durable flow") struct ReadmeHostingSnippets {
  struct Cart: Codable, Sendable {
    var item: String
    var price: Int
  }
  struct Address: Codable, Sendable { var street: String }
  struct AddressForm: Prompt, Codable {
    typealias Answer = Address
    let cart: Cart
  }
  struct Receipt: Codable, Sendable, Equatable {
    var item: String
    var sentTo: String
  }

  @Test("the flow asks, takes the answer and ends with its receipt")
  func ends() async throws {
    let checkout = Flow<Cart, Receipt>("checkout") {
      Step("shipping") { (cart: Cart, context: StepContext) in
        let address = try await context.ask(AddressForm(cart: cart))
        return Receipt(item: cart.item, sentTo: address.street)
      }
    }
    let folder = try Folder()
    let directory = folder.path

    let host = FlowHost(store: try await FileFlowStore(directory: directory))
    let checkouts = try await host.register(checkout)
    let running = Task { try await host.run() }  // fires timers, continues flows after a crash
    try await checkouts.start(id: "order-17", with: Cart(item: "teapot", price: 42))
    _ = try await host.flow("order-17").settled()  // `start` returns before the first question
    try await host.flow("order-17").answer(AddressForm.self, with: Address(street: "Main St 1"))

    _ = try await host.flow("order-17").settled()
    #expect(try await checkouts.outcome(of: "order-17") == .finished(Receipt(item: "teapot", sentTo: "Main St 1")))
    running.cancel()
    try await running.value
  }
}
