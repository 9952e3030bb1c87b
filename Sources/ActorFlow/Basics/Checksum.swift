/// A checksum that detects damaged bytes. It does not detect deliberate changes.
///
/// The bytes are added eight at a time. Each round is reversible, so damage within one group of eight is always found.
/// Any other damage goes unseen with a chance of about 1 in 2⁶⁴.
package struct Checksum {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  package static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum = Checksum()
    bytes.withUnsafeBytes { sum.add($0) }
    return sum.state
  }

  private mutating func turn(_ word: UInt64) {
    state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
    state ^= state >> 32
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      turn(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var rest: UInt64 = 0
    for offset in whole..<bytes.count { rest |= UInt64(bytes[offset]) << (8 * (offset - whole)) }
    turn(rest)
    turn(UInt64(bytes.count))
  }
}
