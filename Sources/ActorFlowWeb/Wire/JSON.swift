/// A JSON value to be written. Members keep their order.
indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])
  /// JSON that was encoded before.
  case encoded([UInt8])

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }

  static func texts(_ texts: some Sequence<String>) -> JSON { .array(texts.map { .text($0) }) }

  /// An object without the members that are `nil`.
  static func members(_ members: [(String, JSON?)]) -> JSON {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += Array("null".utf8)
    case .bool(let value): bytes += Array((value ? "true" : "false").utf8)
    case .int(let value): bytes += Array("\(value)".utf8)
    case .text(let text): Self.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.0, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .encoded(let json): bytes += json
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
