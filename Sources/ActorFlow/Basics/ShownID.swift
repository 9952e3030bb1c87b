// Ids as errors and logs show them. An id comes from outside: a line break in it could forge a line of a log.
extension String {
  /// The text with control characters and line separators as Swift literals write them, so that it stays on one line.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.breaksLine) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.breaksLine {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var breaksLine: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Such a mark can turn the text around it. Joiners, which emojis have, cannot.
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}

extension FlowID {
  /// The id for errors and logs, without control characters.
  package var shown: String { description.onOneLine }
}

extension StepID {
  /// The id for errors and logs, without control characters.
  package var shown: String { path.onOneLine }
}
