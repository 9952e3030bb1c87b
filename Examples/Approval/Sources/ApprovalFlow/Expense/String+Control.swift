extension String {
  /// Whether a terminal, or a file of lines, would do something else with it than show it.
  var holdsControlCharacters: Bool {
    unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
  }
}
