/// Reads a JSON text (RFC 8259, UTF-8) into nodes that know their line and column.
///
/// The reader is made for untrusted texts: it checks the limits before it stores anything, bounds the recursion, and
/// reports a key that occurs twice in an object. Reading stops at the first syntax error.
struct JSONReader {
  let bytes: [UInt8]
  private let limits: FlowDocument.Limits
  var next = 0
  private var line = 1
  private var lineStart = 0
  /// The number of bytes in the line so far that continue a scalar, and so do not count as columns.
  var continuations = 0
  private var nodes = 0
  var path: [JSONPath.Part] = []
  var mistakes: Mistakes

  /// Reads a whole text and adds the mistakes to `mistakes`; returns `nil` if the text cannot be read.
  static func read(_ bytes: some Collection<UInt8>, _ limits: FlowDocument.Limits, _ mistakes: inout Mistakes)
    -> JSONNode?
  {
    guard bytes.count <= limits.bytes else {
      mistakes.add(
        .tooLarge, at: .root, "the document has \(bytes.count) bytes; at most \(limits.bytes) are read",
        TextPlace(line: 1, column: 1))
      return nil
    }
    var reader = JSONReader(bytes: Array(bytes), limits: limits, mistakes: mistakes)
    let root = try? reader.text()
    mistakes = reader.mistakes
    return root
  }

  private init(bytes: [UInt8], limits: FlowDocument.Limits, mistakes: Mistakes) {
    self.bytes = bytes
    self.limits = limits
    self.mistakes = mistakes
  }

  /// Ends the reading after a mistake, which is already reported.
  struct Stop: Error {}

  mutating func stop(
    _ message: String, _ code: FlowDocumentError.Mistake.Code = .malformed, at place: TextPlace? = nil
  ) -> Stop {
    mistakes.add(code, at: JSONPath(path), message, place ?? self.place)
    return Stop()
  }

  var place: TextPlace { TextPlace(line: line, column: next - lineStart - continuations + 1) }

  var byte: UInt8? { next < bytes.count ? bytes[next] : nil }
}

// MARK: - Values

extension JSONReader {
  private mutating func text() throws(Stop) -> JSONNode {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      next = 3
      lineStart = 3
    }
    skipSpace()
    let root = try value()
    skipSpace()
    guard byte == nil else { throw stop("there is \(found) after the end of the document") }
    return root
  }

  // The functions that recurse with the nesting are short, because their frames have to fit a small stack.

  private mutating func value() throws(Stop) -> JSONNode {
    try count()
    let place = place
    switch byte {
    case UInt8(ascii: "{"): return JSONNode(value: .object(try object()), place: place)
    case UInt8(ascii: "["): return JSONNode(value: .array(try array()), place: place)
    default: return JSONNode(value: try scalar(), place: place)
    }
  }

  private mutating func count() throws(Stop) {
    nodes += 1
    guard nodes <= limits.nodes else {
      throw stop("the document has more than \(limits.nodes) values", .tooLarge)
    }
  }

  /// Reads a value that contains no other.
  private mutating func scalar() throws(Stop) -> JSONNode.Value {
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return try number()
    default: throw stop("expected a value, found \(found)")
    }
  }

  private mutating func object() throws(Stop) -> [JSONNode.Member] {
    try enter()
    var members: [JSONNode.Member] = []
    var keys: Set<String> = []
    if byte == UInt8(ascii: "}") {
      next += 1
      return members
    }
    while true {
      let (key, place) = try key(&keys)
      members.append(JSONNode.Member(key: key, place: place, node: try value()))
      path.removeLast()
      guard try goesOn(until: UInt8(ascii: "}"), "}") else { return members }
    }
  }

  /// Reads a key up to its value, and adds it to the path.
  private mutating func key(_ keys: inout Set<String>) throws(Stop) -> (String, TextPlace) {
    let place = place
    guard byte == UInt8(ascii: "\"") else { throw stop("expected a key in quotes, found \(found)") }
    let key = try string()
    skipSpace()
    path.append(.key(key))
    if !keys.insert(key).inserted {
      mistakes.add(.duplicateKey, at: JSONPath(path), "the key \(key.quoted) occurs twice in this object", place)
    }
    guard byte == UInt8(ascii: ":") else { throw stop("expected ':' after a key, found \(found)") }
    next += 1
    skipSpace()
    return (key, place)
  }

  private mutating func array() throws(Stop) -> [JSONNode] {
    try enter()
    var elements: [JSONNode] = []
    if byte == UInt8(ascii: "]") {
      next += 1
      return elements
    }
    while true {
      path.append(.index(elements.count))
      elements.append(try value())
      path.removeLast()
      guard try goesOn(until: UInt8(ascii: "]"), "]") else { return elements }
    }
  }

  private mutating func enter() throws(Stop) {
    // The path has a part for each level around this one.
    guard path.count < limits.depth else {
      throw stop("arrays and objects are nested in more than \(limits.depth) levels", .tooLarge)
    }
    next += 1
    skipSpace()
  }

  /// Reads past the separator behind an element, and returns whether another element follows.
  private mutating func goesOn(until end: UInt8, _ name: String) throws(Stop) -> Bool {
    skipSpace()
    switch byte {
    case end:
      next += 1
      return false
    case UInt8(ascii: ","):
      next += 1
      skipSpace()
      return true
    default: throw stop("expected ',' or '\(name)', found \(found)")
    }
  }

  private mutating func word(_ word: String, _ value: JSONNode.Value) throws(Stop) -> JSONNode.Value {
    for expected in word.utf8 {
      guard byte == expected else { throw stop("expected '\(word)', found \(found)") }
      next += 1
    }
    return value
  }
}

// MARK: - Space and messages

extension JSONReader {
  private mutating func skipSpace() {
    while next < bytes.count {
      switch bytes[next] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): next += 1
      case UInt8(ascii: "\n"):
        next += 1
        line += 1
        lineStart = next
        continuations = 0
      default: return
      }
    }
  }

  /// The byte at which the reader is, in words.
  var found: String {
    guard let byte else { return "the end of the document" }
    guard byte > 0x20, byte < 0x7F else { return "the byte 0x" + String(byte, radix: 16) }
    return "'\(Unicode.Scalar(byte))'"
  }
}
