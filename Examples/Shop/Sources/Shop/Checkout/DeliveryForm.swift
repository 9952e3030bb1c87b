import ActorFlow

/// Asks for the way of delivery.
struct DeliveryForm: Prompt, Codable {
  typealias Answer = Delivery
  let cart: Cart

  func validate(_ delivery: Delivery) throws {
    guard delivery.shipping != .pickup else { return }
    for (field, text) in [("street", delivery.street), ("city", delivery.city)] {
      guard let text, text.count >= 2 else { throw Refusal.invalid("A parcel needs an address.", field: field) }
      guard text.count <= 100 else { throw Refusal.invalid("An address has at most 100 characters.", field: field) }
    }
  }
}
