import ActorFlow

/// Asks for the country.
package struct CountryForm: Prompt, Codable {
  package typealias Answer = Country

  package init() {}
}

/// Asks how the parcel goes.
package struct DeliveryForm: Prompt, Codable {
  package typealias Answer = DeliveryMethod

  /// What can be chosen.
  package let options: [DeliveryOption]

  /// Lets through what is on offer.
  package func validate(_ answer: DeliveryMethod) throws { _ = try option(for: answer) }

  /// The chosen way with its price.
  func option(for method: DeliveryMethod) throws -> DeliveryOption {
    guard let option = options.first(where: { $0.method == method }) else {
      throw Refusal("\(method) is not on offer for this address")
    }
    return option
  }
}
