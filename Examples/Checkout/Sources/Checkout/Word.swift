/// The commands that can be typed at every question.
enum Word {
  case back(Int?), abandon, help, whereAmI, confirm(String)

  /// The command a line is, whatever its case.
  init?(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    switch (words.first?.lowercased(), words.count) {
    case ("back", 1): self = .back(nil)
    case ("back", 2):
      guard let number = Int(words[1]) else { return nil }
      self = .back(number)
    case ("abandon", 1): self = .abandon
    case ("help", 1): self = .help
    case ("where", 1): self = .whereAmI
    case ("confirm", 1): self = .confirm("by hand")
    case ("confirm", 2): self = .confirm(words[1])
    default: return nil
    }
  }

  /// The help for a new user.
  static func help(example: String) -> String {
    """
      add SKU QUANTITY       put a product into the basket, for example: add \(example)
      remove SKU             take it out again
      quantity SKU NUMBER    have so many of it
      undo                   take back the last change of the basket
      currency CODE          show prices in USD, GBP or EUR
      list                   show the products, 20 at a time: list 2, list 3 …
      search WORD            show the products with WORD in their name
      checkout               that is all: go on to contact and delivery
      back                   return to the previous question
      where                  draw the flow, with the place where you are
      confirm KEY            confirm the payment, in the provider's place
      abandon                stop, and undo everything
      help                   show this again
    A word of its name will do for a SKU, if no other product has it. Prices may change while you type: what you have
    typed is not lost (Ctrl-R shows it again).
    Enter alone keeps what stands in [brackets]. To pay, try 4242 4242 4242 4242 12/49 123.
    """
  }
}
