import ActorFlow

/// The content of a flow's history file: a record for each commit that added entries.
///
/// In format 2 a record begins with the name of its history, its links, and the number of its first entry. Format 1 has
/// none of them.
enum HistoryFile {
  static let envelope = Envelope(magic: Array("AFHI".utf8), format: 2, oldest: 1, what: "the history")

  /// Whether a file begins with a whole record, or with damage. A crash may leave less of a flow that never began.
  static func hasRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= Envelope.headerBytes else { return false }
    guard let length = try? envelope.contentLength(bytes[...]) else { return true }
    return bytes.count >= length + Envelope.overhead
  }

  /// Reads the beginning of a record in format 2, and returns the name of its history.
  private static func name(_ reader: inout ByteReader, at offset: Int) throws(FlowStoreError) -> CommitID {
    let name = try reader.coded(CommitID.placeholder)
    // The distances to the records that it links to; 0 means no link.
    let distances = (previous: try reader.int(), skip: try reader.int())
    _ = try reader.int()
    guard (0...offset).contains(distances.previous), (0...offset).contains(distances.skip),
      distances.skip == 0 || distances.skip >= distances.previous, distances.previous > 0 || distances.skip == 0
    else { throw reader.malformed("a record has an invalid link") }
    return name
  }

  /// Returns the entries of a record and the revision of its commit.
  static func entries(
    _ bytes: ArraySlice<UInt8>, at offset: Int, of end: HistoryEnd
  ) throws(FlowStoreError) -> (revision: Revision, entries: [HistoryEntry]) {
    var reader = ByteReader(try envelope.open(bytes))
    let isNamed = try envelope.header(bytes).format > 1
    guard isNamed == (offset >= end.unnamed) else { throw foreign }
    if isNamed {
      guard try name(&reader, at: offset) == end.name else { throw foreign }
    }
    let revision = Revision(try reader.int())
    let entries = try reader.coded([HistoryEntry].placeholder)
    try reader.end()
    return (revision, entries)
  }

  /// The error for a record of another flow's history.
  static var foreign: FlowStoreError {
    FlowStoreError(.corrupted, "it belongs to another flow, or to an earlier one with this id: restore the right file")
  }
}

extension HistoryEntry: StoredPart {
  static var placeholder: Self { Self(sequence: 0, at: .placeholder, what: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.int(&sequence)
    try coder.code(&at)
    try coder.code(&what)
    try coder.code(&step)
    try coder.code(&by)
    try coder.code(&detail)
  }
}
