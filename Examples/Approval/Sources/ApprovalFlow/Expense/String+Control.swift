extension String {
  /// Whether a terminal or a line-based file would interpret it instead of showing it.
  var holdsControlCharacters: Bool {
    unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
  }
}
