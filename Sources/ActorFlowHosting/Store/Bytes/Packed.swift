/// A part as bytes, for what is kept in memory of each of very many flows.
///
/// The bytes take a fraction of the part's own arrays, dictionaries and texts; each use reads them again.
struct Packed<Part: StoredPart & Sendable>: Sendable {
  private let bytes: [UInt8]

  init(_ part: Part) {
    var (writer, part) = (ByteWriter(reserving: 128), part)
    writer.code(&part)
    // A copy has no more space than it needs.
    bytes = writer.bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// The part.
  var part: Part {
    var reader = ByteReader(bytes)
    // Only bytes that were written from a part, or have been read as one, come to be here.
    return (try? reader.coded(Part.placeholder)) ?? .placeholder
  }
}

extension Packed: StoredPart {
  static var placeholder: Self { Self(.placeholder) }

  /// Codes the bytes as they are; a reader throws if they are no part.
  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var bytes = bytes
    try coder.blob(&bytes)
    var isWhole = true
    do {
      var reader = ByteReader(bytes)
      _ = try reader.coded(Part.placeholder)
      try reader.end()
    } catch { isWhole = false }
    try coder.check(isWhole, "a part of a row cannot be read")
    self = Self(bytes: bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }
}
