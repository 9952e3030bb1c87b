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
/// The stock is simulated: it is what the catalogue says, without what the warehouse's book says is held back or gone.
package actor Warehouse {
  /// What the warehouse writes down.
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

  /// A warehouse that holds what the catalogue says, without what its book says is not there.
  package init(_ catalogue: Catalogue, book: Book<Page> = Book(Page())) {
    var shelf = Dictionary(catalogue.products.map { ($0.sku, $0.stock) }, uniquingKeysWith: { first, _ in first })
    for reservation in [book.page.reserved, book.page.shipped].flatMap(\.values) {
      // The catalogue may have been written anew since.
      shelf[reservation.sku] = max(0, shelf[reservation.sku, default: 0] - reservation.quantity)
    }
    self.shelf = shelf
    self.book = book
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
  package var reservations: [Reservation] { Array(book.page.reserved.values) }

  /// Holds something back. Asked twice with one key, it does so once.
  ///
  /// - Throws: ``Refusal`` if that cannot be written down, as everything here that changes what is held back.
  package func reserve(_ quantity: Int, of sku: SKU, idempotencyKey: String) throws -> ReservationOutcome {
    if let known = book.page.reserved[idempotencyKey] { return .reserved(known) }
    let left = shelf[sku, default: 0]
    guard quantity > 0, quantity <= left else { return .short(left: left) }
    let reservation = Reservation(id: idempotencyKey, sku: sku, quantity: quantity)
    try book.write { $0.reserved[idempotencyKey] = reservation }
    shelf[sku] = left - quantity
    return .reserved(reservation)
  }

  /// Puts back what was held back under this id. Returns nil, and changes nothing, if there is no such thing.
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

  /// The lines that are reserved for good.
  package var confirmed: Set<Reservation.ID> { book.page.firm }

  /// Reserves for good what was held back; all of it or nothing.
  ///
  /// - Throws: ``Refusal`` if something of it is no longer held back.
  package func confirm(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ book.page.reserved[$0] != nil }) else {
      throw Refusal("the warehouse no longer holds the goods of this order")
    }
    try book.write { $0.firm.formUnion(ids) }
  }

  /// Holds back, and no more, what was reserved for good.
  package func withdrawConfirmation(_ ids: [Reservation.ID]) throws {
    try book.write { $0.firm.subtract(ids) }
  }

  /// Hands reserved goods over to the courier; all of them or none.
  ///
  /// - Throws: ``Refusal`` if one of them is not reserved.
  package func ship(_ ids: [Reservation.ID]) throws {
    guard ids.allSatisfy({ book.page.reserved[$0] != nil || book.page.shipped[$0] != nil }) else {
      throw Refusal("the warehouse no longer holds the goods of this order")
    }
    try book.write { page in
      for id in ids { page.shipped[id] = page.reserved.removeValue(forKey: id) ?? page.shipped[id] }
    }
  }

  /// Takes shipped goods back in, reserved as before.
  package func takeBack(_ ids: [Reservation.ID]) throws {
    try book.write { page in
      for id in ids {
        if let reservation = page.shipped.removeValue(forKey: id) { page.reserved[id] = reservation }
      }
    }
  }
}
