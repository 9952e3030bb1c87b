/// A parcel the courier will fetch. Its id is the idempotency key it was booked with.
package struct Parcel: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  /// The tracking number for the customer.
  package let trackingNumber: String
}

/// Takes parcels, simulated. Serves every town but those whose postcode begins with 999.
package actor Courier {
  /// The courier's records.
  package struct Page: Codable, Sendable {
    var booked: [Parcel.ID: Parcel] = [:]
    /// The number of parcels ever booked.
    var count = 0
  }

  private var book: Book<Page>

  /// A courier with these bookings; without any by default.
  package init(book: Book<Page> = Book(Page())) {
    self.book = book
  }

  /// The parcels that will be fetched.
  package var parcels: [Parcel] { Array(book.page.booked.values) }

  /// Books a parcel. Asked twice with one key, it books one.
  ///
  /// - Throws: ``Problem`` if the courier does not serve the town, or cannot record the booking.
  package func book(to address: Address, idempotencyKey: String) throws -> Parcel {
    if let known = book.page.booked[idempotencyKey] { return known }
    guard !address.postcode.hasPrefix("999") else {
      throw Problem("no courier takes parcels to \(address.postcode) \(address.city)")
    }
    return try book.write { page in
      page.count += 1
      let parcel = Parcel(id: idempotencyKey, trackingNumber: "PKT-\(10_000 + page.count)")
      page.booked[idempotencyKey] = parcel
      return parcel
    }
  }

  /// Cancels a booking. Returns nil, and changes nothing, if there is none.
  ///
  /// - Throws: ``Problem`` if the cancellation cannot be recorded; then it stays booked.
  @discardableResult
  package func cancel(_ id: Parcel.ID) throws -> Parcel? {
    guard book.page.booked[id] != nil else { return nil }
    return try book.write { $0.booked.removeValue(forKey: id) }
  }
}
