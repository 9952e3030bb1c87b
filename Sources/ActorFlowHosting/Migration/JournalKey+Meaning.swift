import ActorFlow

// The texts by which moves name the keys of a journal.
extension JournalKey {
  /// Whether a move means this key by a text: a name, which means every number, or a name with a number.
  ///
  /// The name of a prompt's type is meant with or without its module.
  func isMeant(by text: String) -> Bool {
    name.isMeant(by: text) || text.hasSuffix(" #\(number)") && name.isMeant(by: String(text.dropLast(numberText.count)))
  }

  private var numberText: String { " #\(number)" }
}

extension JournalKey.Name {
  fileprivate func isMeant(by text: String) -> Bool {
    guard !text.hasBytes(of: self.text) else { return true }
    guard case .type(let name, _) = self else { return false }
    return name.hasSuffix(".\(text)") || text.hasSuffix(".\(name)")
  }
}
