/// So many of one product, taken off the shelf for one customer. Its id is the idempotency key it was asked for with.
package struct Reservation: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  package let sku: SKU
  package let quantity: Int
}

/// What a warehouse says when it is asked to hold something back.
package enum ReservationOutcome: Sendable, Codable, Equatable {
  /// It is held back.
  case reserved(Reservation)
  /// There are only so many; nothing was held back.
  case short(left: Int)
}

/// Knows what lies on the shelves, and for whom something is held back.
///
/// The stock is simulated: it starts as the catalogue says, and ends with the program.
package actor Warehouse {
  private var shelf: [SKU: Int] {
    didSet { watchers.removeAll { Self.isGone($0.yield(shelf)) } }
  }
  private var watchers: [AsyncStream<[SKU: Int]>.Continuation] = []
  private var reserved: [Reservation.ID: Reservation] = [:]
  private var firm: Set<Reservation.ID> = []
  private var shipped: [Reservation.ID: Reservation] = [:]

  /// A warehouse that holds what the catalogue says.
  package init(_ catalogue: Catalogue) {
    shelf = Dictionary(catalogue.products.map { ($0.sku, $0.stock) }, uniquingKeysWith: { first, _ in first })
  }

  /// How many of each product can still be reserved.
  package var available: [SKU: Int] { shelf }

  /// ``available`` now, and after each change. Who is slow gets the latest only.
  package func levels() -> AsyncStream<[SKU: Int]> {
    let (levels, watcher) = AsyncStream.makeStream(of: [SKU: Int].self, bufferingPolicy: .bufferingNewest(1))
    watcher.yield(shelf)
    watchers.append(watcher)
    return levels
  }

  private static func isGone(_ result: AsyncStream<[SKU: Int]>.Continuation.YieldResult) -> Bool {
    if case .terminated = result { true } else { false }
  }

  /// What is held back at the moment.
  package var reservations: [Reservation] { Array(reserved.values) }

  /// Holds something back. Asked twice with one key, it does so once.
  package func reserve(_ quantity: Int, of sku: SKU, idempotencyKey: String) -> ReservationOutcome {
    if let known = reserved[idempotencyKey] { return .reserved(known) }
    let left = shelf[sku, default: 0]
    guard quantity > 0, quantity <= left else { return .short(left: left) }
    let reservation = Reservation(id: idempotencyKey, sku: sku, quantity: quantity)
    shelf[sku] = left - quantity
    reserved[idempotencyKey] = reservation
    return .reserved(reservation)
  }

  /// Puts back what was held back under this id. Returns nil, and changes nothing, if there is no such thing.
  @discardableResult
  package func release(_ id: Reservation.ID) -> Reservation? {
    guard let reservation = reserved.removeValue(forKey: id) else { return nil }
    firm.remove(id)
    shelf[reservation.sku, default: 0] += reservation.quantity
    return reservation
  }

  /// The lines that are reserved for good.
  package var confirmed: Set<Reservation.ID> { firm }

  /// Reserves for good what was held back; all of it or nothing.
  ///
  /// - Throws: ``Refusal`` if something of it is no longer held back.
  package func confirm(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ reserved[$0] != nil }) else {
      throw Refusal("the warehouse no longer holds the goods of this order")
    }
    firm.formUnion(ids)
  }

  /// Holds back, and no more, what was reserved for good.
  package func withdrawConfirmation(_ ids: [Reservation.ID]) {
    firm.subtract(ids)
  }

  /// Hands reserved goods over to the courier; all of them or none.
  ///
  /// - Throws: ``Refusal`` if one of them is not reserved.
  package func ship(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ reserved[$0] != nil || shipped[$0] != nil }) else {
      throw Refusal("the warehouse no longer holds the goods of this order")
    }
    for id in ids { shipped[id] = reserved.removeValue(forKey: id) ?? shipped[id] }
  }

  /// Takes shipped goods back in, reserved as before.
  package func takeBack(_ ids: [Reservation.ID]) {
    for id in ids {
      if let reservation = shipped.removeValue(forKey: id) { reserved[id] = reservation }
    }
  }
}
