import ActorFlow

/// The frame around everything that is stored: its kind, its format, its length, and a checksum over all of it.
///
/// The header has its own checksum, so a newer format can be told from damage. The layout is: a magic number (4 bytes),
/// the format (2), zero (2), the content's length (4), the header's checksum (8), the content, and the checksum of
/// everything before (8). The lowest byte of a number comes first.
struct Envelope {
  let magic: [UInt8]
  /// The format that is written.
  let format: UInt16
  /// The oldest format that is read.
  let oldest: UInt16
  /// The name of the content, for errors.
  let what: String

  init(magic: [UInt8], format: UInt16, oldest: UInt16? = nil, what: String) {
    (self.magic, self.format, self.oldest, self.what) = (magic, format, oldest ?? format, what)
  }

  static let headerBytes = 20
  static let overhead = headerBytes + 8

  func seal(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: content.count + Self.overhead)
    writer.raw(magic)
    writer.fixed(format)
    writer.fixed(UInt16(0))
    writer.fixed(UInt32(truncatingIfNeeded: content.count))
    writer.fixed(Checksum.of(writer.bytes[...]))
    writer.raw(content)
    writer.fixed(Checksum.of(writer.bytes[...]))
    return writer.bytes
  }

  /// Returns the content of a sealed envelope that takes up all of `bytes`.
  ///
  /// - Throws: `corrupted`, or `unsupportedFormat` if the header is undamaged and names a format that is not read.
  func open(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> ArraySlice<UInt8> {
    let length = try contentLength(bytes)
    guard bytes.count == length + Self.overhead else {
      throw damaged("it has \(bytes.count) bytes, and should have \(length + Self.overhead)")
    }
    var reader = ByteReader(bytes.suffix(8))
    guard try reader.fixed(UInt64.self) == Checksum.of(bytes.dropLast(8)) else {
      throw damaged("the checksum is wrong")
    }
    return bytes.dropFirst(Self.headerBytes).dropLast(8)
  }

  /// Returns the length of the content, as the header at the beginning of `bytes` says.
  func contentLength(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> Int {
    try header(bytes).length
  }

  /// Returns the format and the length of the content, as the header at the beginning of `bytes` says.
  func header(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> (format: UInt16, length: Int) {
    guard bytes.count >= Self.headerBytes else { throw damaged("the header is incomplete") }
    guard bytes.starts(with: magic) else { throw damaged("it does not begin with its magic number") }
    var reader = ByteReader(bytes.dropFirst(4))
    let format = try reader.fixed(UInt16.self)
    let zero = try reader.fixed(UInt16.self)
    let length = try reader.fixed(UInt32.self)
    guard try reader.fixed(UInt64.self) == Checksum.of(bytes.prefix(12)) else {
      throw damaged("the header's checksum is wrong")
    }
    guard format >= oldest, format <= self.format else {
      let read = oldest == self.format ? "\(oldest)" : "\(oldest) to \(self.format)"
      throw FlowStoreError(.unsupportedFormat, "\(what) has the format \(format); this version reads \(read)")
    }
    guard zero == 0 else { throw damaged("the header has unknown flags") }
    return (format, Int(length))
  }

  func damaged(_ why: String) -> FlowStoreError {
    FlowStoreError(.corrupted, "\(what) is damaged: \(why)")
  }
}

extension FlowSnapshot {
  /// Returns the bytes with an undamaged header that names a future format, for tests of a store.
  package static func withNewerFormat(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= Envelope.headerBytes else { return bytes }
    var writer = ByteWriter(reserving: bytes.count)
    writer.raw(bytes[..<4])
    writer.fixed(UInt16.max)
    writer.raw(bytes[6..<12])
    writer.fixed(Checksum.of(writer.bytes[...]))
    writer.raw(bytes[20...])
    return writer.bytes
  }
}
