/// What came in while a question was waiting.
enum Input: Sendable {
  /// A line, without its end.
  case line(String)
  /// There is nothing more to come.
  case end
  /// The person wants out: Ctrl-C.
  case interrupt
}

/// Where answers come from.
protocol InputSource {
  /// Whether the screen must repeat what was read, because nobody sees it typed.
  var isSilent: Bool { get }

  /// Waits for the next line.
  mutating func next() async -> Input
}

/// Answers from a file, one a line.
struct AnswersFile: InputSource {
  private var rest: ArraySlice<Substring>

  /// The answers in this text.
  init(_ text: String) {
    rest = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }[...]
    if rest.last?.isEmpty == true { rest.removeLast() }
  }

  let isSilent = true

  mutating func next() async -> Input {
    rest.popFirst().map { .line(String($0)) } ?? .end
  }
}
