import CheckoutFlow

extension PaymentForm: TextPrompt {
  var heading: [String] {
    if let declined {
      let number = bill.tries + 1
      return [declined.text, "Try another card (\(number) of \(Bill.tryLimit)), or go back."]
    }
    return ["", "Your order:"] + order.summary.map { "  \($0)" }
  }

  var label: String { "Card number, expiry MM/YY and security code, to pay \(order.total)" }

  /// Shows the number's last four digits, if it is there at all.
  func shown(_ text: String) -> String {
    guard let card = try? parse(text), card.number.count >= 12 else { return "(not shown)" }
    return "•••• \(card.ending) \(card.expiry) •••"
  }

  func parse(_ text: String) throws -> Card {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, let code = words.last, let expiry = Month(parsing: words[words.count - 2]) else {
      throw Problem("write the card number, the expiry as MM/YY and the security code, with blanks between")
    }
    let number = words.dropLast(2).joined().filter { $0 != "-" }
    return Card(number: number, expiry: expiry, securityCode: String(code))
  }
}

extension CancelPaymentForm: TextPrompt {
  var heading: [String] { ["Your bank is asked to approve the card ending in \(cardEnding)."] }
  var label: String { "Write cancel to try another card" }

  func parse(_ text: String) throws -> Cancellation {
    guard let cancellation = Cancellation(rawValue: text.lowercased()) else {
      throw Problem("write cancel, or wait")
    }
    return cancellation
  }
}

extension MethodForm: TextPrompt {
  var heading: [String] {
    bill.declined.suffix(1).map(\.text) + ["That was the last try with a card."]
      + LaterMethod.allCases.map { "  \($0.rawValue)  \($0.title)" }
  }

  var label: String {
    "Another way to pay \(bill.order.total): " + LaterMethod.allCases.map(\.rawValue).joined(separator: " or ")
  }

  func parse(_ text: String) throws -> LaterMethod {
    guard let method = LaterMethod(rawValue: text.lowercased()) else {
      throw Problem("write " + LaterMethod.allCases.map(\.rawValue).joined(separator: " or ") + ", or abandon")
    }
    return method
  }
}

extension DeclinedCard {
  /// The card and the reason in a line.
  var text: String { "The card ending in \(ending) was declined: \(reason)." }
}

extension Order {
  /// The items of the order, line by line.
  var summary: [String] {
    var lines = basket.lines.map { "\($0.quantity) × \($0.product.name) (\($0.product.sku))  \($0.price)" }
    lines += extras.map { "\($0.title)  \($0.price)" }
    if discount > .zero { lines.append("member's discount  \(Money.zero - discount)") }
    return lines + [
      "delivery, \(delivery.method)\(packing == .split ? ", in several parcels" : "")  \(delivery.price)",
      "total  \(total)",
      "to \(contact.name), \(address.street), \(address.postcode) \(address.city), \(address.country.name)",
    ]
  }
}

extension Receipt {
  /// The receipt as it is printed.
  var text: String {
    (["", "RECEIPT"] + order.summary.map { "  \($0)" } + [
      "  " + paid,
      "  " + (parcel.map { "parcel \($0.trackingNumber)" } ?? "ready for you in our shop"),
      "  a copy goes to \(order.contact.email)",
    ]).joined(separator: "\n")
  }

  private var paid: String {
    switch settlement {
    case .card(let payment): "paid with the card ending in \(payment.cardEnding)"
    case .later(let method): "to be paid: \(method.title)"
    }
  }
}
