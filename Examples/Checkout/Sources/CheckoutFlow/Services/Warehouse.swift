/// A number of one product, held for one customer. Its id is the idempotency key it was requested with.
package struct Reservation: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  package let sku: SKU
  package let quantity: Int
}

/// A warehouse's reply to a hold.
package enum ReservationOutcome: Sendable, Codable, Equatable {
  /// The goods are held.
  case reserved(Reservation)
  /// The stock is too small; nothing was held.
  case short(left: Int)
}

/// The stock, and the goods held for customers.
///
/// The stock is simulated: the catalogue's, without the goods that the warehouse's book has as held or shipped.
package actor Warehouse {
  /// The warehouse's records.
  package struct Page: Codable, Sendable {
    var reserved: [Reservation.ID: Reservation] = [:]
    var firm: Set<Reservation.ID> = []
    var shipped: [Reservation.ID: Reservation] = [:]
  }

  private var shelf: [SKU: Int] {
    didSet { watchers.removeAll { Self.isGone($0.yield(shelf)) } }
  }
  private var watchers: [AsyncStream<[SKU: Int]>.Continuation] = []
  private var book: Book<Page>

  /// A warehouse with the catalogue's stock, without the goods that its book has as held or shipped.
  package init(_ catalogue: Catalogue, book: Book<Page> = Book(Page())) {
    var shelf = Dictionary(catalogue.products.map { ($0.sku, $0.stock) }, uniquingKeysWith: { first, _ in first })
    for reservation in [book.page.reserved, book.page.shipped].flatMap(\.values) {
      // The catalogue may have changed since.
      shelf[reservation.sku] = max(0, shelf[reservation.sku, default: 0] - reservation.quantity)
    }
    self.shelf = shelf
    self.book = book
  }

  /// The number of each product that can still be reserved.
  package var available: [SKU: Int] { shelf }

  /// ``available`` now, and after each change. A slow reader gets the latest only.
  package func levels() -> AsyncStream<[SKU: Int]> {
    let (levels, watcher) = AsyncStream.makeStream(of: [SKU: Int].self, bufferingPolicy: .bufferingNewest(1))
    watcher.yield(shelf)
    watchers.append(watcher)
    return levels
  }

  private static func isGone(_ result: AsyncStream<[SKU: Int]>.Continuation.YieldResult) -> Bool {
    if case .terminated = result { true } else { false }
  }

  /// The goods that are held now.
  package var reservations: [Reservation] { Array(book.page.reserved.values) }

  /// Holds goods. Asked twice with one key, it does so once.
  ///
  /// - Throws: ``Problem`` if the hold cannot be recorded, as for every change here.
  package func reserve(_ quantity: Int, of sku: SKU, idempotencyKey: String) throws -> ReservationOutcome {
    if let known = book.page.reserved[idempotencyKey] { return .reserved(known) }
    let left = shelf[sku, default: 0]
    guard quantity > 0, quantity <= left else { return .short(left: left) }
    let reservation = Reservation(id: idempotencyKey, sku: sku, quantity: quantity)
    try book.write { $0.reserved[idempotencyKey] = reservation }
    shelf[sku] = left - quantity
    return .reserved(reservation)
  }

  /// Releases the goods held under this id. Returns nil, and changes nothing, if there are none.
  @discardableResult
  package func release(_ id: Reservation.ID) throws -> Reservation? {
    guard let reservation = book.page.reserved[id] else { return nil }
    try book.write { page in
      page.reserved[id] = nil
      page.firm.remove(id)
    }
    shelf[reservation.sku, default: 0] += reservation.quantity
    return reservation
  }

  /// The lines that are reserved firmly.
  package var confirmed: Set<Reservation.ID> { book.page.firm }

  /// Reserves the held goods firmly; all of them or none.
  ///
  /// - Throws: ``Problem`` if some are no longer held.
  package func confirm(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ book.page.reserved[$0] != nil }) else {
      throw Problem("the warehouse no longer holds the goods of this order")
    }
    try book.write { $0.firm.formUnion(ids) }
  }

  /// Turns a firm reservation into a hold again.
  package func withdrawConfirmation(_ ids: [Reservation.ID]) throws {
    try book.write { $0.firm.subtract(ids) }
  }

  /// Hands reserved goods over to the courier; all of them or none.
  ///
  /// - Throws: ``Problem`` if one of them is not reserved.
  package func ship(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ book.page.reserved[$0] != nil || book.page.shipped[$0] != nil }) else {
      throw Problem("the warehouse no longer holds the goods of this order")
    }
    try book.write { page in
      for id in ids { page.shipped[id] = page.reserved.removeValue(forKey: id) ?? page.shipped[id] }
    }
  }

  /// Takes shipped goods back, reserved as before.
  package func takeBack(_ ids: [Reservation.ID]) throws {
    try book.write { page in
      for id in ids {
        if let reservation = page.shipped.removeValue(forKey: id) { page.reserved[id] = reservation }
      }
    }
  }
}
