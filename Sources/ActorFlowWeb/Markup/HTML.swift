/// A piece of HTML whose texts are escaped by construction.
///
/// ```swift
/// let greeting: HTML = "<p title=\"\(order.title)\">Hello \(order.customer)</p>"
/// ```
///
/// The markup is a literal of your source code. A text put into it is escaped, and another piece of `HTML` is put in as it
/// is. No function makes markup of a text that is known only at run time. Interpolate into the text of elements and into
/// attribute values in quotes, and not into the content of `script` or `style`, nor into the names of tags or attributes.
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The markup.
  public let markup: String

  /// Creates a piece of a literal.
  public init(stringLiteral value: StaticString) {
    markup = value.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
  }

  /// Creates a piece of a literal with interpolations.
  public init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

  /// Creates a piece that shows a text.
  public init(text: some StringProtocol) { markup = Self.escaped(text) }

  /// Creates a piece of pieces, one after the other.
  public init(_ pieces: some Sequence<HTML>) { markup = pieces.reduce(into: "") { $0 += $1.markup } }

  /// Returns the piece if the condition holds, or else an empty one.
  static func when(_ condition: Bool, _ piece: HTML) -> HTML { condition ? piece : "" }

  /// Returns a text with every character escaped that has a meaning in HTML.
  private static func escaped(_ text: some StringProtocol) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "`": escaped += "&#96;"
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      // HTML has no place for other control characters.
      default: escaped.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
      }
    }
    return escaped
  }

  /// The parts of a literal with interpolations.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var markup = ""

    /// Creates an empty piece.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds a part of the literal, as it is.
    public mutating func appendLiteral(_ literal: StaticString) {
      markup += literal.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds a text, escaped.
    public mutating func appendInterpolation(_ text: some StringProtocol) { markup += HTML.escaped(text) }

    /// Adds a text, escaped, if there is one.
    public mutating func appendInterpolation(_ text: String?) { markup += text.map { HTML.escaped($0) } ?? "" }

    /// Adds a number.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { markup += HTML.escaped("\(number)") }

    /// Adds a piece of HTML, as it is.
    public mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

    /// Adds a piece of HTML, as it is, if there is one.
    public mutating func appendInterpolation(_ html: HTML?) { markup += html?.markup ?? "" }

    /// Adds pieces of HTML, one after the other.
    public mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { markup += piece.markup } }
  }
}
