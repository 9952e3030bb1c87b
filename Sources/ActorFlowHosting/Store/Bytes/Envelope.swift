import ActorFlow

/// The frame around everything that is written down: what it is, in which format, how long, and a sum over all of it.
///
/// The header has a sum of its own, so a newer format is told from damage. Layout: a magic of four bytes, the format
/// (2 bytes), two bytes of zero, the content's length (4), the header's sum (8), the content, the sum over
/// everything before (8); numbers have their lowest byte first.
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

  /// The content of a sealed envelope that is all of `bytes`.
  ///
  /// - Throws: `corrupted`, or `unsupportedFormat` if the header is sound and names another format.
  func open(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> ArraySlice<UInt8> {
    let length = try contentLength(bytes)
    guard bytes.count == length + Self.overhead else {
      throw damaged("it has \(bytes.count) bytes, and should have \(length + Self.overhead)")
    }
    var reader = ByteReader(bytes.suffix(8))
    guard try reader.fixed(UInt64.self) == Checksum.of(bytes.dropLast(8)) else { throw damaged("the sum is wrong") }
    return bytes.dropFirst(Self.headerBytes).dropLast(8)
  }

  /// The length of the content, as the header says; `bytes` begins with the header.
  func contentLength(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> Int {
    try header(bytes).length
  }

  /// The format and the length of the content; `bytes` begins with the header.
  func header(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> (format: UInt16, length: Int) {
    guard bytes.count >= Self.headerBytes else { throw damaged("the header is not whole") }
    guard bytes.starts(with: magic) else { throw damaged("it begins with other bytes") }
    var reader = ByteReader(bytes.dropFirst(4))
    let format = try reader.fixed(UInt16.self)
    let zero = try reader.fixed(UInt16.self)
    let length = try reader.fixed(UInt32.self)
    guard try reader.fixed(UInt64.self) == Checksum.of(bytes.prefix(12)) else {
      throw damaged("the header's sum is wrong")
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
  /// The bytes with a sound header that names a format of the future: what a test of a store stores.
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
