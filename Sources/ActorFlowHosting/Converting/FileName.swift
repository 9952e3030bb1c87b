import ActorFlow

/// The names of a flow's files as earlier versions made them from its id.
enum FileName {
  static let flow = ".flow"
  static let history = ".history"
  /// A history whose flow is being created or deleted; without the flow's file it belongs to no flow.
  static let pending = ".pending"
  static let temporary = ".new"
  /// The directories that the files are spread over.
  static let directories = (0..<16).map { String($0, radix: 16) }

  /// The longest escaped id; some file systems do not allow longer names with an ending.
  private static let longest = 200
  /// The beginning of names that do not contain the id; no escaped id has it.
  private static let hashed = "~"

  /// Returns the directory and the name of a flow's files, without an ending.
  ///
  /// Different ids have different names. The names of very long ids are hashes; `turn` tells equal hashes apart.
  static func stem(of id: FlowID, turn: Int = 0) -> String {
    let text = Array(id.description.utf8)
    let sum = Checksum.of(text[...])
    let directory = directories[Int(sum % UInt64(directories.count))]
    let escaped = text.reduce(into: "") { $0 += isPlain($1) ? String(UnicodeScalar($1)) : "%" + hex($1) }
    if escaped.utf8.count <= longest { return "\(directory)/\(escaped.isEmpty ? "%" : escaped)" }
    let second = Checksum.of((text + [0xFF])[...])
    return "\(directory)/\(hashed)\(String(sum, radix: 16))-\(String(second, radix: 16))-\(turn)"
  }

  /// Whether the name of a flow's files is a hash, which does not contain the id.
  static func isHashed(_ stem: String) -> Bool { stem.utf8.contains(UInt8(ascii: "~")) }

  /// The id that a name contains, if it contains one.
  static func id(ofStem name: Substring) -> FlowID? {
    guard !name.hasPrefix(hashed) else { return nil }
    if name == "%" { return "" }
    var bytes: [UInt8] = []
    var rest = name.utf8
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%") {
        guard let byte = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(byte)
      } else {
        bytes.append(first)
      }
    }
    return String(validating: bytes, as: UTF8.self).map { FlowID($0) }
  }

  /// Whether a file may be the flow's by its name; the file may be named after another spelling of an equal id.
  static func isSame(_ stem: String, _ id: FlowID) -> Bool {
    let name = stem.drop { $0 != "/" }.dropFirst()
    return isHashed(stem) ? stem.hasPrefix(Self.stem(of: id).dropLast()) : self.id(ofStem: name) == id
  }

  /// Whether a byte is not escaped: small letters, digits, `-` and `_`.
  ///
  /// Capitals are escaped, because some file systems do not distinguish them from small letters.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
