/// A parcel the courier will fetch. Its id is the idempotency key it was booked with.
package struct Parcel: Hashable, Sendable, Codable, Identifiable {
  package let id: String
  /// What the customer can follow the parcel with.
  package let trackingNumber: String
}

/// Takes parcels, simulated. Serves every town but those whose postcode begins with 999.
package actor Courier {
  private var booked: [Parcel.ID: Parcel] = [:]
  private var count = 0

  /// A courier without bookings.
  package init() {}

  /// The parcels that will be fetched.
  package var parcels: [Parcel] { Array(booked.values) }

  /// Books a parcel. Asked twice with one key, it books one.
  ///
  /// - Throws: ``Refusal`` if the courier does not go there.
  package func book(to address: Address, idempotencyKey: String) throws -> Parcel {
    if let known = booked[idempotencyKey] { return known }
    guard !address.postcode.hasPrefix("999") else {
      throw Refusal("no courier takes parcels to \(address.postcode) \(address.city)")
    }
    count += 1
    let parcel = Parcel(id: idempotencyKey, trackingNumber: "PKT-\(10_000 + count)")
    booked[idempotencyKey] = parcel
    return parcel
  }

  /// Cancels a booking. Returns nil, and changes nothing, if there is none.
  @discardableResult
  package func cancel(_ id: Parcel.ID) -> Parcel? {
    booked.removeValue(forKey: id)
  }
}
