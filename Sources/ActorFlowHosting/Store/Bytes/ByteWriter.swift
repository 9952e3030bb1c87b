/// Writes values one after another, for a ``ByteReader`` that reads them in the same order.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  /// The format that is written: unless it is set, the newest of whichever part is written.
  package var format: UInt8 = .max
  /// The numbers by which large values are named; `nil` to write all values themselves.
  var numbering: ValueNumbering?

  package init(reserving capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// Writes seven bits a byte, the lowest first.
  package mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number so that small ones of either sign are short.
  package mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  package mutating func int(_ value: Int) {
    signed(Int64(value))
  }

  package mutating func bool(_ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  package mutating func byte(_ value: UInt8) {
    bytes.append(value)
  }

  package mutating func string(_ value: String) {
    let utf8 = value.utf8
    unsigned(UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  package mutating func blob(_ value: [UInt8]) {
    unsigned(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes a number of a fixed size, the lowest byte first.
  package mutating func fixed<Number: FixedWidthInteger & UnsignedInteger>(_ value: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Writes bytes as they are, without their count.
  package mutating func raw(_ value: some Sequence<UInt8>) {
    bytes.append(contentsOf: value)
  }
}
