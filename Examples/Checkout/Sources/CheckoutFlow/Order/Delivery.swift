/// The delivery methods.
package enum DeliveryMethod: String, Sendable, Codable, CaseIterable {
  case standard, express, pickup

  /// The customer's text.
  package var title: String {
    switch self {
    case .standard: "standard, 2 to 4 days"
    case .express: "express, next working day"
    case .pickup: "pickup in our shop"
    }
  }
}

/// A delivery method with its price for one order.
package struct DeliveryOption: Sendable, Hashable, Codable {
  /// The method.
  package let method: DeliveryMethod
  /// The price.
  package let price: Money

  /// The methods for goods of this value to this country.
  ///
  /// At home standard delivery is free from €60 on, and the customer may fetch the parcel.
  package static func options(for goods: Money, to country: Country) -> [DeliveryOption] {
    guard country == .home else {
      return [
        DeliveryOption(method: .standard, price: Money(cents: 990)),
        DeliveryOption(method: .express, price: Money(cents: 2490)),
      ]
    }
    let isFree = goods >= Money(cents: 6000)
    return [
      DeliveryOption(method: .standard, price: isFree ? .zero : Money(cents: 490)),
      DeliveryOption(method: .express, price: Money(cents: 1290)),
      DeliveryOption(method: .pickup, price: .zero),
    ]
  }
}
