import ActorFlow
import Testing

@testable import CheckoutFlow

/// The basket as a value: the effect of actions on its state, and its view and effects, without a flow.
@Suite struct BasketStepTests {
  private typealias Item = ShoppingList.Item
  private let hammer = Fixture.hammer
  private let nails = Fixture.nails

  private func basket(_ list: ShoppingList = ShoppingList()) throws -> BasketStep {
    BasketStep(shop: try Fixture.shop(), list: list)
  }

  private func apply(_ actions: [BasketAction], to state: inout BasketStep.State) throws {
    let step = try basket()
    for action in actions { #expect(step.apply(action, to: &state) == nil) }
  }

  @Test("A product that is added twice is one line, and stays in its place")
  func add() throws {
    var state = try basket().makeState()
    try apply([.add(hammer, quantity: 1), .add(nails, quantity: 10), .add(hammer, quantity: 2)], to: &state)
    #expect(state.items == [Item(sku: hammer, quantity: 3), Item(sku: nails, quantity: 10)])
  }

  @Test("Each change is reverted separately, last first; news and currencies are no changes")
  func undo() throws {
    var state = try basket().makeState()
    try apply([.add(hammer, quantity: 1), .quantity(hammer, 3), .remove(hammer)], to: &state)
    #expect(state.items.isEmpty)
    try apply([.currency(.dollar), .news(.stock([hammer: 2])), .undo], to: &state)
    #expect(state.items == [Item(sku: hammer, quantity: 3)])
    try apply([.undo], to: &state)
    #expect(state.items == [Item(sku: hammer, quantity: 1)])
    try apply([.undo, .undo], to: &state)
    #expect(state.items.isEmpty)
    #expect(state.currency == .dollar && state.stock == [hammer: 2])
  }

  @Test("An action without a change leaves nothing to revert")
  func noChange() throws {
    var state = try basket().makeState()
    try apply([.add(hammer, quantity: 2), .quantity(hammer, 2), .remove(nails)], to: &state)
    #expect(state.history.count == 1)
  }

  @Test("A hundred changes can be reverted, and no more are stored")
  func history() throws {
    var state = try basket().makeState()
    try apply((1...150).map { _ in .add(nails, quantity: 1) }, to: &state)
    #expect(state.history.count == 100)
    try apply((1...150).map { _ in .undo }, to: &state)
    #expect(state.items == [Item(sku: nails, quantity: 50)])
  }

  @Test("A checkout makes a list at the shown prices, and leaves the state unchanged")
  func checkout() throws {
    var state = try basket().makeState()
    let prices = PriceList(changed: [hammer: Money(cents: 1500)])
    try apply([.add(hammer, quantity: 2), .news(.prices(prices))], to: &state)
    let before = state
    let list = try #require(try basket().apply(.checkout(total: Money(cents: 3000)), to: &state))
    #expect(list.items == [Item(sku: hammer, quantity: 2)])
    #expect(list.prices == prices)
    #expect(state == before)
  }

  @Test("The view has lines and their sum, and requests stock and prices; the currency is the key of the prices")
  func rendering() throws {
    var state = try basket().makeState()
    try apply([.add(hammer, quantity: 2), .add(nails, quantity: 10)], to: &state)
    let pass = try basket().renderPass(state)
    #expect(pass.rendering.lines.map(\.price) == [Money(cents: 4000), Money(cents: 1500)])
    #expect(pass.rendering.total == Money(cents: 5500))
    #expect(pass.rendering.canUndo)
    #expect(pass.effects == [Currency.euro, "stock"])
    #expect(pass.children.isEmpty)

    try apply([.currency(.dollar)], to: &state)
    let next = try basket().renderPass(state)
    #expect(next.effects == [Currency.dollar, "stock"])
    #expect(next.rendering.currency == .dollar)
    #expect(next.rendering.prices.currency == .euro, "as long as nothing else is known")
  }

  @Test("Prices that cannot be refreshed stay, with the reason, until there are new ones")
  func noPrices() throws {
    var state = try basket().makeState()
    let prices = PriceList(changed: [hammer: Money(cents: 1500)])
    try apply([.add(hammer, quantity: 1), .news(.prices(prices)), .news(.noPrices("the line is dead"))], to: &state)
    let view = try basket().renderPass(state).rendering
    #expect(view.total == Money(cents: 1500))
    #expect(view.problem == "the line is dead")
    try view.validate(.checkout(total: Money(cents: 1500)))
    try apply([.news(.prices(PriceList()))], to: &state)
    #expect(state.problem == nil)
  }

  @Test("A list that the warehouse has refused shows the reason, until the basket changes")
  func refusal() throws {
    let step = try basket(ShoppingList([Item(sku: hammer, quantity: 2)]).refused("only one is left"))
    var state = step.makeState()
    try apply([.news(.stock([hammer: 1]))], to: &state)
    let view = try step.renderPass(state).rendering
    #expect(view.refusal == "only one is left")
    #expect(throws: Problem.self) { try view.validate(.checkout(total: view.total)) }
    try apply([.quantity(hammer, 1)], to: &state)
    #expect(try step.renderPass(state).rendering.refusal == nil)
  }
}
