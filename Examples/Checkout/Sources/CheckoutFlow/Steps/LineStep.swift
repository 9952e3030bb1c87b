package import ActorFlow

/// Asks for one line of the basket and has the warehouse hold it back: one round of the basket's loop.
package actor LineStep: FlowStep {
  private let shop: Shop

  /// A step that sells from this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// Asks until a line is held back, or the customer is done. The form checks an answer against the stock it was made
  /// with; somebody else may have been faster, so the warehouse has the last word.
  package func proceed(_ basket: Basket, context: StepContext) async throws -> Again<Basket, Basket> {
    var refusal: String?
    for attempt in 1... {
      let form = LineForm(
        basket: basket, catalogue: shop.catalogue, available: await shop.warehouse.available, refusal: refusal)
      guard
        case .add(let sku, let quantity) = try await context.ask(form),
        let product = shop.catalogue[sku]
      else { return .done(basket) }
      let outcome = try await context.once(Self.record(attempt)) { [warehouse = shop.warehouse] key in
        await warehouse.reserve(quantity, of: sku, idempotencyKey: key)
      }
      switch outcome {
      case .reserved(let reservation):
        return .again(basket.adding(BasketLine(product: product, reservation: reservation)))
      case .short(let left): refusal = LineForm.shortage(of: product, left: left)
      }
    }
    return .done(basket)
  }

  /// Gives back what is held back, found in the records of every attempt.
  package func backUp(context: RollbackContext) async {
    for attempt in 1... {
      switch await context.record(Self.record(attempt), as: ReservationOutcome.self) {
      case .none: return
      case .done(.short): break
      case .done(.reserved(let reservation)): await release(reservation.id)
      case .interrupted(let key): await release(key)
      }
    }
  }

  private func release(_ id: Reservation.ID) async {
    guard let reservation = await shop.warehouse.release(id) else { return }
    let name = shop.catalogue[reservation.sku]?.name ?? reservation.sku.code
    await shop.undone.note("released \(reservation.quantity) × \(name) (\(reservation.sku)), back on the shelf")
  }

  private static func record(_ attempt: Int) -> String { "reserve-\(attempt)" }
}
