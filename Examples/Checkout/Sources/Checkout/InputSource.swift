/// Input from the person.
enum Input: Sendable {
  /// A line, without its end.
  case line(String)
  /// The end of the input.
  case end
  /// An interrupt: Ctrl-C.
  case interrupt
}

/// A source of answers.
///
/// The terminal waits for the flow and for the person at once, so a line is requested and delivered later; an interrupt
/// may be delivered unrequested.
protocol InputSource {
  /// Whether the screen must repeat the input, because it is not shown while typed.
  var isSilent: Bool { get }

  /// Sets the receiver. Called once, before the first line is requested.
  mutating func start(_ deliver: @escaping @Sendable (Input) -> Void)

  /// Requests one more line.
  mutating func askForLine()
}

/// Answers from a file, one a line.
struct AnswersFile: InputSource {
  private var rest: ArraySlice<Substring>
  private var deliver: @Sendable (Input) -> Void = { _ in }

  /// The answers in this text.
  init(_ text: String) {
    rest = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }[...]
    if rest.last?.isEmpty == true { rest.removeLast() }
  }

  let isSilent = true

  mutating func start(_ deliver: @escaping @Sendable (Input) -> Void) {
    self.deliver = deliver
  }

  mutating func askForLine() {
    deliver(rest.popFirst().map { .line(String($0)) } ?? .end)
  }
}
