#if PostgreSQL
  import ActorFlowHosting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A parameter of a statement, in the server's binary form.
  struct SQLValue: Sendable {
    /// The number of the type in every server's catalog.
    let type: UInt32
    /// The bytes; `nil` for NULL.
    let bytes: [UInt8]?

    static func int(_ value: Int?) -> SQLValue { SQLValue(type: 20, bytes: value?.bigEndianBytes) }

    static func text(_ value: String?) -> SQLValue { SQLValue(type: 25, bytes: value.map(ServerText.bytes)) }

    static func blob(_ value: [UInt8]?) -> SQLValue { SQLValue(type: 17, bytes: value) }

    static func bool(_ value: Bool) -> SQLValue { SQLValue(type: 16, bytes: [value ? 1 : 0]) }

    static func time(_ time: StoredTime?) -> SQLValue { .int(time.map { Int($0.microseconds) }) }

    static func time(_ date: Date?) -> SQLValue { .time(date.map { StoredTime($0) }) }

    static func ints(_ values: [Int?]) -> SQLValue { .array(of: 20, type: 1016, values.map { $0?.bigEndianBytes }) }

    static func texts(_ values: [String?]) -> SQLValue {
      .array(of: 25, type: 1009, values.map { $0.map(ServerText.bytes) })
    }

    static func blobs(_ values: [[UInt8]?]) -> SQLValue { .array(of: 17, type: 1001, values) }

    /// A text in the server's form, whose type the server finds out.
    static func untyped(_ value: String?) -> SQLValue { SQLValue(type: 0, bytes: value.map { Array($0.utf8) }) }

    private static func array(of element: Int32, type: UInt32, _ values: [[UInt8]?]) -> SQLValue {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + values.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
      // Dimensions, whether an element may be NULL, the type of elements; then the count and the first index.
      for number in values.isEmpty ? [0, 0, element] : [1, 1, element, Int32(clamping: values.count), 1] {
        bytes += number.bigEndianBytes
      }
      for value in values {
        bytes += (value.map { Int32(clamping: $0.count) } ?? -1).bigEndianBytes
        if let value { bytes += value }
      }
      return SQLValue(type: type, bytes: bytes)
    }
  }

  // MARK: - Texts

  extension SQLValue {
    /// The name of the type.
    var typeName: String {
      switch type {
      case 16: "boolean"
      case 17: "bytea"
      case 20: "bigint"
      case 1001: "bytea[]"
      case 1009: "text[]"
      case 1016: "bigint[]"
      default: "text"
      }
    }

    /// The value as the text from which the server makes it, or `nil` for NULL.
    var literal: String? {
      guard let bytes else { return nil }
      switch type {
      case 1001: return Self.literal(of: bytes) { Self.literal(of: $0, 17) }
      case 1009: return Self.literal(of: bytes) { Self.literal(of: $0, 25) }
      case 1016: return Self.literal(of: bytes) { Self.literal(of: $0, 20) }
      default: return Self.literal(of: bytes[...], type)
      }
    }

    private static func literal(of bytes: ArraySlice<UInt8>, _ type: UInt32) -> String {
      switch type {
      case 16: bytes.first == 0 ? "false" : "true"
      case 17: "\\x" + hex(bytes)
      case 20: "\(bytes.reduce(0) { $0 << 8 | Int($1) })"
      default: String(decoding: bytes, as: UTF8.self)
      }
    }

    /// The elements of an array in braces; each is quoted, which every type accepts.
    private static func literal(of array: [UInt8], _ element: (ArraySlice<UInt8>) -> String) -> String {
      var (texts, rest) = ([String](), array.dropFirst(20))
      while !rest.isEmpty {
        let count = Int(Int32(truncatingIfNeeded: rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }))
        rest = rest.dropFirst(4)
        guard count >= 0 else {
          texts.append("NULL")
          continue
        }
        let text = element(rest.prefix(count))
        let (quote, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let quoted = text.utf8.flatMap { $0 == quote || $0 == escape ? [escape, $0] : [$0] }
        texts.append(String(decoding: [quote] + quoted + [quote], as: UTF8.self))
        rest = rest.dropFirst(count)
      }
      return "{" + texts.joined(separator: ",") + "}"
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of a text of hexadecimal digits.
    static func bytes(ofHex text: String) -> [UInt8] {
      var (bytes, high) = ([UInt8](), UInt8?.none)
      for digit in text.utf8 {
        let value = digit < 58 ? digit &- 48 : digit &- 87
        if let first = high.take() { bytes.append(first << 4 | value & 15) } else { high = value & 15 }
      }
      return bytes
    }
  }

  extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
  }

  /// A text as the server keeps it: no text of PostgreSQL contains U+0000.
  ///
  /// U+0000 is written as U+0001 U+0001, and U+0001 as U+0001 U+0002, which keeps the order of bytes. All other texts,
  /// which are nearly all, stay as they are.
  enum ServerText {
    static func bytes(_ text: String) -> [UInt8] {
      let bytes = Array(text.utf8)
      guard bytes.contains(where: { $0 <= 1 }) else { return bytes }
      return bytes.flatMap { $0 <= 1 ? [1, $0 + 1] : [$0] }
    }

    /// - Parameter text: The text as the server has it.
    static func text(_ text: String) -> String {
      var text = text
      return text.withUTF8 { Self.text(UnsafeRawBufferPointer($0)) }
    }

    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
      guard bytes.contains(1) else { return String(decoding: bytes, as: UTF8.self) }
      var text: [UInt8] = []
      var rest = bytes.makeIterator()
      while let byte = rest.next() {
        text.append(byte == 1 ? (rest.next() ?? 1) &- 1 : byte)
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
#endif
