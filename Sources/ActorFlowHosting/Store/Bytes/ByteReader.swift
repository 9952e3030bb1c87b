/// A reader of the bytes that a ``ByteWriter`` wrote.
///
/// The reader never reads past the bytes, never traps, and never reserves more than they could fill.
package struct ByteReader: Sendable {
  /// The format of the bytes; the newest unless it is set.
  package var format: UInt8 = .max
  /// The values that the bytes name by their numbers.
  package var values: [Int: [UInt8]] = [:]
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  package init(_ bytes: [UInt8]) {
    self.init(bytes[...])
  }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    next = bytes.startIndex
  }

  /// The number of bytes that were not read yet.
  package var remaining: Int { bytes.endIndex - next }

  /// Throws unless all bytes were read.
  package func end() throws(FlowStoreError) {
    guard remaining == 0 else { throw malformed("\(remaining) bytes too many") }
  }

  package mutating func byte() throws(FlowStoreError) -> UInt8 {
    guard next < bytes.endIndex else { throw malformed("it ends too early") }
    defer { next += 1 }
    return bytes[next]
  }

  package mutating func unsigned() throws(FlowStoreError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw malformed("a number is too large") }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw malformed("a number is too long")
  }

  package mutating func signed() throws(FlowStoreError) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  package mutating func int() throws(FlowStoreError) -> Int {
    guard let value = Int(exactly: try signed()) else { throw malformed("a number is too large") }
    return value
  }

  package mutating func bool() throws(FlowStoreError) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    case let other: throw malformed("\(other) is neither true nor false")
    }
  }

  /// Reads the count of elements that take at least a byte each.
  package mutating func count() throws(FlowStoreError) -> Int {
    guard let count = Int(exactly: try unsigned()), count <= remaining else {
      throw malformed("a length exceeds the remaining bytes")
    }
    return count
  }

  package mutating func slice(_ count: Int) throws(FlowStoreError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw malformed("it ends too early") }
    defer { next += count }
    return bytes[next..<next + count]
  }

  package mutating func string() throws(FlowStoreError) -> String {
    let length = try count()
    guard let text = String(validating: try slice(length), as: UTF8.self) else {
      throw malformed("a text is not UTF-8")
    }
    return text
  }

  package mutating func blob() throws(FlowStoreError) -> [UInt8] {
    let length = try count()
    return Array(try slice(length))
  }

  /// Reads a number of a fixed size, the lowest byte first.
  package mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(FlowStoreError) -> Number {
    var value: Number = 0
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) { value |= Number(try byte()) << shift }
    return value
  }

  package func malformed(_ what: String) -> FlowStoreError {
    FlowStoreError(.corrupted, "at byte \(next - bytes.startIndex): \(what)")
  }
}
