import ActorFlow
import Testing

/// The code in the doc comments of functions that inspect or edit a definition.
@Suite("Snippets: definitions") struct DefinitionSnippets {
  private let checkout = Flow("checkout") {
    Step("cart") { (order: String) in order }
    Step("payment") { (order: String) in order }
  }

  @Test func diagrams() async {
    let coordinator = FlowCoordinator()
    let print = { (text: String) in #expect(text.contains("payment")) }
    print(checkout.diagram(.mermaid))
    print(checkout.diagram(.dot, of: await coordinator.position))
  }

  @Test func previews() throws {
    let next = try checkout.destination(after: "cart", for: "3 apples")  // .step("checkout/payment")
    #expect(next == .step("checkout/payment"))
  }

  @Test func insertions() throws {
    let careful = try checkout.inserting(after: "cart") { Step("review") { (order: String) in order } }
    #expect(careful.steps == ["checkout/cart", "checkout/review", "checkout/payment"])
  }
}
