import ActorFlow

/// The cursor of a page as text: the parts of the last key, each after its length, for authors of stores.
///
/// A part may be any text. For the next page, compare keys with the parts by bytes.
public struct StoreCursor: Hashable, Sendable, CustomStringConvertible {
  /// The parts of the key.
  public let parts: [String]

  /// Creates the cursor of a key.
  public init(_ parts: [String]) {
    self.parts = parts
  }

  /// Reads what ``description`` wrote.
  ///
  /// - Parameters:
  ///   - text: The text that a caller passed as the cursor.
  ///   - count: The number of parts that a key of the list has.
  /// - Throws: ``FlowStoreError`` with the code `notFound` for any other text.
  public init(_ text: String, parts count: Int) throws(FlowStoreError) {
    var rest = Substring(text).utf8
    var parts: [String] = []
    while !rest.isEmpty {
      guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
        let length = Int(Substring(rest[..<colon])), length >= 0,
        case let tail = rest[rest.index(after: colon)...], length <= tail.count,
        let part = String(tail.prefix(length))
      else { throw Self.malformed }
      parts.append(part)
      rest = tail.dropFirst(length)
    }
    guard parts.count == count else { throw Self.malformed }
    self.parts = parts
  }

  /// The text of the cursor.
  public var description: String {
    parts.map { "\($0.utf8.count):\($0)" }.joined()
  }

  /// Returns the part of a key that stands for a question: the text of its id with a second `~` in the place of the secret
  /// digits, or the whole text if it has none.
  ///
  /// A cursor passes through the hands of people who may list questions, but may not answer them, so it must not have the
  /// digits. Compare the part with the texts of questions by bytes: it is greater than that of its own question, and less
  /// than that of each later one of the flow.
  ///
  /// - Parameter question: The text of the id, as in ``OpenTask/question``.
  public static func part(of question: String) -> String {
    guard Question.ID(question)?.token != nil, let mark = question.utf8.lastIndex(of: UInt8(ascii: "~")) else {
      return question
    }
    return String(question[...mark]) + "~"
  }

  /// Whether two cursors have the same bytes.
  public static func == (left: StoreCursor, right: StoreCursor) -> Bool {
    left.parts.count == right.parts.count && zip(left.parts, right.parts).allSatisfy { $0.hasBytes(of: $1) }
  }

  /// Hashes the bytes of the parts.
  public func hash(into hasher: inout Hasher) {
    for part in parts { hasher.combine(TextKey(part)) }
  }

  package static var malformed: FlowStoreError {
    FlowStoreError(.notFound, "the cursor is not from this store; use the cursor of a page")
  }

  /// The error for a cursor of changes that the store has not made yet.
  package static var isAhead: FlowStoreError {
    FlowStoreError(
      .notFound,
      "the cursor is ahead of the store, which was restored from a backup or is another one; read all changes anew")
  }
}
