import CheckoutFlow

extension AccountForm: TextPrompt {
  var label: String { "The e-mail of your account, or guest" }

  func parse(_ text: String) -> Answer {
    text.lowercased() == "guest" ? .guest : .member(email: text)
  }
}

extension PackingForm: TextPrompt {
  var label: String { "\(pieces) pieces are more than one parcel: together, or split" }

  func parse(_ text: String) throws -> Packing {
    guard let packing = Packing(rawValue: text.lowercased()) else {
      throw Problem("write together or split")
    }
    return packing
  }
}

extension BirthYearForm: TextPrompt {
  var label: String { "Your year of birth" }

  func parse(_ text: String) throws -> Int {
    guard let year = Int(text) else { throw Problem("the year of birth must be a number such as 1990") }
    return year
  }
}

extension OfferForm: TextPrompt {
  var label: String { "Would you like \(extra.title) for \(extra.price)? yes or no" }

  func parse(_ text: String) throws -> Bool {
    switch text.lowercased() {
    case "yes", "y": return true
    case "no", "n": return false
    default: throw Problem("write yes or no")
    }
  }
}
