/// The reason for a refused input or request: one sentence, for the person who can change it.
package struct Problem: Error, Sendable, CustomStringConvertible {
  /// The mistake and the remedy, in one sentence without a full stop.
  package let sentence: String

  /// A problem with its sentence.
  package init(_ sentence: String) {
    self.sentence = sentence
  }

  /// The sentence.
  package var description: String { sentence }
}

/// Text as it may be shown inside a sentence: in quotation marks, cut when long, without control characters.
package func quoted(_ text: some StringProtocol) -> String {
  let printable = String(text.prefix(41).filter { !String($0).holdsControlCharacters })
  return printable.count > 40 ? "“\(printable.prefix(40))…”" : "“\(printable)”"
}

extension StringProtocol {
  /// The text without the blanks around it.
  package var trimmed: String {
    var rest = self[...]
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest.drop(while: \.isWhitespace))
  }

  /// Whether a terminal would interpret it instead of showing it.
  package var holdsControlCharacters: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.generalCategory == .format }
  }
}
