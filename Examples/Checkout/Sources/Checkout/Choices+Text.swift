import CheckoutFlow

extension CountryForm: TextPrompt {
  var label: String { "Country (\(Country.allCases.map(\.rawValue).joined(separator: ", ")))" }

  func parse(_ text: String) throws -> Country {
    let country = Country.allCases.first {
      $0.rawValue == text.uppercased() || $0.name.lowercased() == text.lowercased()
    }
    guard let country else {
      throw Problem(
        "we do not deliver to \(quoted(text)), only to " + Country.allCases.map(\.name).joined(separator: ", "))
    }
    return country
  }
}

extension DeliveryForm: TextPrompt {
  var heading: [String] {
    ["", "How shall it come?"]
      + options.enumerated().map { "  \($0 + 1)  \($1.method.title): \($1.price == .zero ? "free" : "\($1.price)")" }
  }

  var label: String { "Delivery, 1 to \(options.count)" }

  func parse(_ text: String) throws -> DeliveryMethod {
    if let method = DeliveryMethod(rawValue: text.lowercased()) { return method }
    guard let number = Int(text), (1...options.count).contains(number) else {
      throw Problem(
        "choose a number from 1 to \(options.count), or write "
          + options.map(\.method.rawValue).joined(separator: " or "))
    }
    return options[number - 1].method
  }
}
