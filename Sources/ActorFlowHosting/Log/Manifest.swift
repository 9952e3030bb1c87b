import ActorFlow

/// The segments that make up the log, in order. The manifest is the one file that is replaced, by a rename.
///
/// Its content is written twice, so that damage to one copy loses nothing.
struct Manifest: Sendable, Equatable {
  static let name = "manifest"
  /// The format that a new log has. With format 1, a log has no values apart and no accepted losses.
  static let newest: UInt16 = 2

  private static func envelope(_ format: UInt16 = newest) -> Envelope {
    Envelope(magic: Array("AFMF".utf8), format: format, oldest: 1, what: "the manifest of the log")
  }

  struct Segment: Sendable, Equatable {
    var number: Int
    /// A random number that makes the checksums of the segment valid in it only.
    var salt: UInt64
    /// The number of the first group.
    var firstGroup: Int
    /// The number of the last group; 0 while the segment is written to.
    var lastGroup: Int
    /// The number of valid bytes; 0 while the segment is written to, which only the last one is.
    var length: Int
  }

  var segments: [Segment] = []
  /// The number of the next segment, which no segment had before.
  var nextSegment = 1
  /// The format; a version that cannot read a record of the log refuses the log instead of taking it for damaged.
  var format = newest

  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: segments.count * 24 + 16)
    var copy = self
    copy.code(with: &writer)
    let sealed = Self.envelope(format).seal(writer.bytes)
    return sealed + sealed
  }

  init() {}

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    do { try self.init(copy: bytes.prefix(bytes.count / 2)) } catch {
      // A newer format is no damage.
      if error.code == .unsupportedFormat { throw error }
      do { try self.init(copy: bytes.suffix(bytes.count / 2)) } catch let second {
        if second.code == .unsupportedFormat { throw second }
        throw error
      }
    }
  }

  private init(copy: ArraySlice<UInt8>) throws(FlowStoreError) {
    format = try Self.envelope().header(copy).format
    var reader = ByteReader(try Self.envelope().open(copy))
    try code(with: &reader)
    try reader.end()
  }

  private mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&segments)
    try coder.code(&nextSegment)
  }

  static func segmentName(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits + ".segment"
  }
}

extension Manifest.Segment: StoredPart {
  static var placeholder: Self { Self(number: 0, salt: 0, firstGroup: 0, lastGroup: 0, length: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&number)
    try coder.fixed(&salt)
    try coder.code(&firstGroup)
    try coder.code(&lastGroup)
    try coder.code(&length)
    try coder.check(number > 0 && number <= UInt32.max, "a segment has an impossible number")
  }
}
