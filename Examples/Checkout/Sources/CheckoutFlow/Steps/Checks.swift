package import ActorFlow

/// Reserves the stock and checks for fraud at the same time; both must succeed.
package struct Checks: FlowComponent {
  let shop: Shop

  package var flow: Flow<Order, Bill> {
    Parallel {
      Step("stock") { [shop] in StockStep(shop) }
      Step("fraud") { [desk = shop.fraudDesk] (order: Order, context: StepContext) in
        let year = desk.asksForAge(order) ? try await context.ask(BirthYearForm(thisYear: shop.today.year)) : nil
        return try desk.clear(order, birthYear: year, thisYear: shop.today.year)
      }
    } join: { (packing: Packing, clearance: Clearance) in
      Passed(packing: packing, clearance: clearance)
    }
    .named("checks")
    .carrying { order, passed in Bill(order: order.packed(passed.packing, clearedAs: passed.clearance)) }
  }

  /// The outputs of both checks.
  private struct Passed: Sendable, Codable {
    let packing: Packing
    let clearance: Clearance
  }
}
