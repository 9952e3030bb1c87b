import ActorFlow

/// The place of a record in the log.
struct LogPlace: Sendable, Hashable {
  /// The number of the segment.
  var segment: UInt32
  /// The offset of the record's content in the segment.
  var offset: UInt32
  /// The number of bytes of the content; a checksum follows them.
  var length: UInt32

  /// The number of bytes behind the content.
  static let sumBytes = 8

  /// The bytes that the record takes in its segment.
  var size: Int { Int(length) + Self.sumBytes }
}

extension Checksum {
  /// Returns the checksum of bytes that are valid only at one offset of one segment.
  ///
  /// The salt of a segment is random, so bytes of a flow that look like a part of the log are never taken for one.
  static func of(_ bytes: ArraySlice<UInt8>, at offset: Int, salt: UInt64) -> UInt64 {
    of(bytes) ^ (salt &+ UInt64(truncatingIfNeeded: offset) &* 0x9E37_79B9_7F4A_7C15)
  }
}
