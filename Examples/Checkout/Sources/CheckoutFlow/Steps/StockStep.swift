package import ActorFlow

/// Makes the hold of the basket's lines firm: from now on the goods belong to this order.
package actor StockStep: FlowStep {
  private let shop: Shop

  /// A step that reserves in this shop.
  package init(_ shop: Shop) {
    self.shop = shop
  }

  /// Asks for the number of parcels, where it makes a difference. Throws if goods are gone.
  package func proceed(_ order: Order, context: StepContext) async throws -> Packing {
    var packing = Packing.together
    if order.delivery.method != .pickup, order.basket.pieces > Packing.piecesInOneParcel {
      packing = try await context.ask(PackingForm(pieces: order.basket.pieces))
    }
    let ids = order.basket.lines.map(\.reservation.id)
    _ = try await context.once(Self.record) { [warehouse = shop.warehouse] _ in
      try await warehouse.confirm(ids)
      return ids
    }
    return packing
  }

  /// Makes the reservation a hold again; the lines release the goods themselves.
  package func backUp(context: RollbackContext) async throws {
    guard case .done(let ids) = await context.record(Self.record, as: [Reservation.ID].self) else { return }
    try await shop.warehouse.withdrawConfirmation(ids)
    await shop.undone.note("cancelled the stock reservation of \(ids.count) line\(ids.count == 1 ? "" : "s")")
  }

  private static let record = "confirm"
}
