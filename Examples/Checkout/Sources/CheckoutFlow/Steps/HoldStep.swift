package import ActorFlow

/// Lets the warehouse hold the goods of the basket: all of them, or the basket is shown again. Asks nothing.
package actor HoldStep: FlowStep {
  private let shop: Shop

  /// A step that sells from this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// The basket has checked the list against the stock it knew; another customer may have been faster, so the warehouse
  /// decides. Goods held for a list that it cannot meet are released at once.
  package func proceed(_ list: ShoppingList, context: StepContext) async throws -> Again<ShoppingList, Basket> {
    let prices = list.prices ?? shop.openingPrices
    var basket = Basket()
    for item in list.items {
      guard let product = shop.catalogue[item.sku] else { continue }  // never: the basket has checked it
      let outcome = try await context.once(Self.record(basket.lines.count)) { [warehouse = shop.warehouse] key in
        try await warehouse.reserve(item.quantity, of: item.sku, idempotencyKey: key)
      }
      switch outcome {
      case .reserved(let reservation):
        basket = basket.adding(
          BasketLine(product: product, unitPrice: prices.price(of: product), reservation: reservation))
      case .short(let left):
        for line in basket.lines { _ = try await shop.warehouse.release(line.reservation.id) }
        return .again(list.refused(BasketView.shortage(of: product, left: left)))
      }
    }
    return .done(basket)
  }

  /// Releases the held goods, the last line first.
  package func backUp(context: RollbackContext) async throws {
    var held: [Reservation.ID] = []
    search: for number in 0... {
      switch await context.record(Self.record(number), as: ReservationOutcome.self) {
      case .none: break search
      case .done(.short): break
      case .done(.reserved(let reservation)): held.append(reservation.id)
      case .interrupted(let key): held.append(key)
      }
    }
    for id in held.reversed() { try await release(id) }
  }

  private func release(_ id: Reservation.ID) async throws {
    guard let reservation = try await shop.warehouse.release(id) else { return }
    let name = shop.catalogue[reservation.sku]?.name ?? reservation.sku.code
    await shop.undone.note("released \(reservation.quantity) × \(name) (\(reservation.sku)), back on the shelf")
  }

  private static func record(_ number: Int) -> String { "reserve-\(number)" }
}
