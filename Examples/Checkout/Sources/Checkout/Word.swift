/// The words that are commands at every question.
enum Word: String {
  case back, abandon, help

  /// The command a line is, whatever its case.
  init?(_ text: String) {
    self.init(rawValue: text.lowercased())
  }

  /// What a newcomer needs to know.
  static func help(example: String) -> String {
    """
      SKU QUANTITY  put a product into the basket, for example: \(example)
      list          show the products, 20 at a time: list 2, list 3 …
      search WORD   show the products with WORD in their name
      done          that is all: go on to contact and delivery
      back          return to the previous question
      abandon       stop, and undo everything
      help          show this again
    Enter alone keeps what stands in [brackets]. To pay, try 4242 4242 4242 4242 12/49 123.
    """
  }
}
