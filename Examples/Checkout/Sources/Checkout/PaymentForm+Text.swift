import CheckoutFlow

extension PaymentForm: TextPrompt {
  var heading: [String] {
    if let refusal { return ["The payment was declined: \(refusal). Try another card, or go back."] }
    return ["", "Your order:"] + order.summary.map { "  \($0)" }
  }

  var label: String { "Card number, expiry MM/YY and security code, to pay \(order.total)" }

  /// Keeps the number's last four digits, if it is there at all.
  func shown(_ text: String) -> String {
    guard let card = try? parse(text), card.number.count >= 12 else { return "(not shown)" }
    return "•••• \(card.ending) \(card.expiry) •••"
  }

  func parse(_ text: String) throws -> Card {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, let code = words.last, let expiry = Month(parsing: words[words.count - 2]) else {
      throw Refusal("write the card number, the expiry as MM/YY and the security code, with blanks between")
    }
    let number = words.dropLast(2).joined().filter { $0 != "-" }
    return Card(number: number, expiry: expiry, securityCode: String(code))
  }
}

extension Order {
  /// What is paid for, line by line.
  var summary: [String] {
    basket.lines.map { "\($0.quantity) × \($0.product.name) (\($0.product.sku))  \($0.price)" } + [
      "delivery, \(delivery.method)  \(delivery.price)",
      "total  \(total)",
      "to \(contact.name), \(address.street), \(address.postcode) \(address.city), \(address.country.name)",
    ]
  }
}

extension Receipt {
  /// The receipt as it is printed.
  var text: String {
    (["", "RECEIPT"] + order.summary.map { "  \($0)" } + [
      "  paid with the card ending in \(payment.cardEnding)",
      "  " + (parcel.map { "parcel \($0.trackingNumber)" } ?? "ready for you in our shop"),
      "  a copy goes to \(order.contact.email)",
    ]).joined(separator: "\n")
  }
}
