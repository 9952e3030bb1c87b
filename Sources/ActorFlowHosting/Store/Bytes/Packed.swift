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

extension Packed {
  /// Writes the bytes as they are.
  func write(to writer: inout ByteWriter) { writer.blob(bytes) }

  /// Reads what ``write(to:)`` wrote; throws if it is no part. Returns the part as well, which was read for that.
  static func read(from reader: inout ByteReader) throws(FlowStoreError) -> (packed: Self, part: Part) {
    let bytes = try reader.blob()
    var inner = ByteReader(bytes)
    let part = try inner.coded(Part.placeholder)
    try inner.end()
    return (Self(bytes: bytes), part)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }
}
