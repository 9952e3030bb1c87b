/// What came in from the person.
enum Input: Sendable {
  /// A line, without its end.
  case line(String)
  /// There is nothing more to come.
  case end
  /// The person wants out: Ctrl-C.
  case interrupt
}

/// Where answers come from.
///
/// The terminal waits for the flow and for the person at once, so a line is asked for and delivered later; an interrupt
/// may be delivered unasked.
protocol InputSource {
  /// Whether the screen must repeat what was read, because nobody sees it typed.
  var isSilent: Bool { get }

  /// Says where to deliver. Called once, before the first line is asked for.
  mutating func start(_ deliver: @escaping @Sendable (Input) -> Void)

  /// Asks for one line more.
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
