/// Finds a member of a JSON object without decoding its value.
///
/// The text has to be valid JSON, which a decoder has checked before. For any other text the result is any part of it.
struct JSONMember {
  private let bytes: [UInt8]
  private var index = 0

  /// Returns the value of a member of the outermost object, as it is written; `nil` if there is none.
  static func value(of name: String, in bytes: [UInt8]) -> [UInt8]? {
    var reader = JSONMember(bytes: bytes)
    return reader.member(name)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func member(_ name: String) -> [UInt8]? {
    skip { $0 != UInt8(ascii: "{") }
    step()
    while byte != nil {
      skip { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "}") }
      guard byte == UInt8(ascii: "\"") else { return nil }
      let key = string()
      skip { $0 != UInt8(ascii: ":") }
      step()
      skip { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      let start = index
      value()
      if key.elementsEqual(name.utf8) { return Array(bytes[start..<index]) }
    }
    return nil
  }

  /// Passes over a byte, and never beyond the end.
  private mutating func step() { index = min(index + 1, bytes.count) }

  private mutating func skip(_ condition: (UInt8) -> Bool) {
    while let byte, condition(byte) { index += 1 }
  }

  /// Passes over a string and returns what is between its quotes.
  private mutating func string() -> ArraySlice<UInt8> {
    let start = min(index + 1, bytes.count)
    index = start
    while let byte, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
    let end = min(index, bytes.count)
    index = min(end + 1, bytes.count)
    return bytes[start..<max(start, end)]
  }

  /// Passes over a value.
  private mutating func value() {
    var depth = 0
    while let byte {
      switch byte {
      case UInt8(ascii: "\""): _ = string()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return }
        depth -= 1
        index += 1
      case UInt8(ascii: ","):
        guard depth > 0 else { return }
        index += 1
      default: index += 1
      }
    }
  }
}
