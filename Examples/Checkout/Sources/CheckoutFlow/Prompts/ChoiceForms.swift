import ActorFlow

/// Asks for the country.
package struct CountryForm: Prompt, Codable {
  package typealias Answer = Country

  package init() {}
}

/// Asks for the delivery method.
package struct DeliveryForm: Prompt, Codable {
  package typealias Answer = DeliveryMethod

  /// The available methods.
  package let options: [DeliveryOption]

  /// Accepts an available method.
  package func validate(_ answer: DeliveryMethod) throws { _ = try option(for: answer) }

  /// The chosen method with its price.
  func option(for method: DeliveryMethod) throws -> DeliveryOption {
    guard let option = options.first(where: { $0.method == method }) else {
      throw Problem("\(method) is not on offer for this address")
    }
    return option
  }
}
