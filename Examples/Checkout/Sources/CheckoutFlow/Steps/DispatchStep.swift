package import ActorFlow

/// Books the courier, unless the customer fetches the goods, and hands them over. Asks nothing.
package actor DispatchStep: FlowStep {
  private let shop: Shop

  /// A step that sends parcels for this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// Throws if no courier serves the town or the goods are gone; the flow then fails, and the payment is refunded.
  package func proceed(_ paid: PaidOrder, context: StepContext) async throws -> Receipt {
    let order = paid.order
    var parcel: Parcel?
    if order.delivery.method != .pickup {
      parcel = try await context.once("courier") { [courier = shop.courier] key in
        try await courier.book(to: order.address, idempotencyKey: key)
      }
    }
    let ids = order.basket.lines.map(\.reservation.id)
    _ = try await context.once("ship") { [warehouse = shop.warehouse] _ in
      try await warehouse.ship(ids)
      return ids
    }
    return Receipt(order: order, settlement: paid.settlement, parcel: parcel)
  }

  /// Takes the goods back and cancels the courier, in that order.
  package func backUp(context: RollbackContext) async throws {
    if case .done(let ids) = await context.record("ship", as: [Reservation.ID].self) {
      try await shop.warehouse.takeBack(ids)
      await shop.undone.note("took the goods back in")
    }
    switch await context.record("courier", as: Parcel.self) {
    case .none: break
    case .done(let parcel): try await cancel(parcel.id)
    case .interrupted(let key): try await cancel(key)
    }
  }

  private func cancel(_ id: Parcel.ID) async throws {
    guard let parcel = try await shop.courier.cancel(id) else { return }
    await shop.undone.note("cancelled the courier for \(parcel.trackingNumber)")
  }
}
