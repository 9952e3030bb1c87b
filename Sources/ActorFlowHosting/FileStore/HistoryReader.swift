import ActorFlow

/// A reader of a flow's history that reads no more of the file than it needs: links to the first entry, then records.
struct HistoryReader {
  /// The number of bytes that are read at once.
  private static let block = 16 << 10

  private let file: DiskFile
  private let disk: Disk
  private let end: HistoryEnd
  /// The bytes that were read but not used yet; `offset` says where they begin.
  private var buffer: ArraySlice<UInt8> = []
  private var offset = 0

  /// Begins to read a file, up to the end of the committed part.
  init(_ file: DiskFile, _ disk: Disk, upTo end: HistoryEnd) throws {
    (self.file, self.disk, self.end) = (file, disk, end)
    guard try disk.size(of: file) >= end.bytes else { throw Self.tooShort }
  }

  /// Returns the entries after `sequence`, oldest first.
  mutating func entries(after sequence: Int, limit: Int, upTo revision: Revision) throws -> [HistoryEntry] {
    move(to: try start(after: sequence))
    var last = Revision.none
    var found: [HistoryEntry] = []
    while offset < end.bytes && found.count < limit {
      let start = offset
      let record = try HistoryFile.entries(try nextRecord(), at: start, of: end)
      guard record.revision > last, record.revision <= revision else {
        throw HistoryFile.envelope.damaged("the revision of a record is out of order")
      }
      last = record.revision
      for entry in record.entries where entry.sequence > sequence && found.count < limit { found.append(entry) }
    }
    return found
  }

  // MARK: - Finding the first entry

  /// Returns the offset of a record that is at or shortly before the first entry after `sequence`.
  private func start(after sequence: Int) throws -> Int {
    guard sequence > 0 else { return 0 }
    var candidate = end.marks.first
    // The earliest record that is known to begin after `sequence`.
    var limit: HistoryFile.Head?
    while let offset = candidate {
      let head = try head(at: offset)
      if head.first <= sequence {
        guard let previous = limit?.links.previous, previous > offset else { return offset }
        candidate = previous
      } else {
        limit = head
        candidate = head.links.skip ?? head.links.previous
      }
    }
    // Start at the beginning: records of format 1 have no links.
    return 0
  }

  private func head(at offset: Int) throws -> HistoryFile.Head {
    let bytes = try disk.read(min(HistoryFile.headBytes, end.bytes - offset), at: offset, of: file)
    guard let head = try HistoryFile.head(bytes[...], at: offset), head.name == end.name else {
      throw HistoryFile.foreign
    }
    guard head.links.previous ?? end.unnamed >= end.unnamed, head.links.skip ?? end.unnamed >= end.unnamed else {
      throw HistoryFile.envelope.damaged("a record links outside its history")
    }
    return head
  }

  // MARK: - Record by record

  private mutating func move(to offset: Int) {
    (self.offset, buffer) = (offset, [])
  }

  private mutating func nextRecord() throws -> ArraySlice<UInt8> {
    try fill(Envelope.headerBytes)
    let length = try HistoryFile.envelope.contentLength(buffer) + Envelope.overhead
    try fill(length)
    defer {
      buffer = buffer.dropFirst(length)
      offset += length
    }
    return buffer.prefix(length)
  }

  /// Reads on until the buffer has at least this number of bytes.
  private mutating func fill(_ count: Int) throws {
    guard count > buffer.count else { return }
    guard count <= end.bytes - offset else { throw HistoryFile.envelope.damaged("a record is incomplete") }
    let wanted = min(max(count - buffer.count, Self.block), end.bytes - offset - buffer.count)
    let bytes = try disk.read(wanted, at: offset + buffer.count, of: file)
    guard bytes.count == wanted else { throw Self.tooShort }
    buffer = buffer.isEmpty ? bytes[...] : ArraySlice(Array(buffer) + bytes)
  }

  private static var tooShort: FlowStoreError {
    HistoryFile.envelope.damaged("it is shorter than the flow's file says")
  }
}
