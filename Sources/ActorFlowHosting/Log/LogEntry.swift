import ActorFlow

/// An entry of a group's list: the flow or the note that a record of the group concerns.
struct LogEntry: Sendable, Equatable {
  enum Kind: UInt8, Sendable, CaseIterable {
    /// The record has a flow's snapshot; the number is its revision.
    case flow = 1
    /// The record has entries of a flow's history; the number is the revision of the last commit that added any.
    case history
    /// The flow is deleted, with all that groups before the number say of it.
    case deletion
    /// The record has a note.
    case note
    /// The note is removed.
    case noNote
    /// The flow was in a damaged group; the record has the reason.
    case lostFlow
    /// A part of the flow's history was in a damaged group; the record has the reason.
    case lostHistory
    /// A damaged group may have concerned any flow; the record has the reason.
    case lostGroup
    /// The note was in a damaged group; the record has the reason.
    case lostNote
    /// A flow of an earlier version's file was damaged; the key is the name of the file, which does not tell the id.
    case lostName
    /// The record has a value of a flow; the number is that of the value.
    case value
    /// The losses by groups before the number are accepted, but for the flows that a damaged group names.
    case accepted
  }

  var kind: Kind
  /// The flow's id, or the note's key.
  var key: String
  /// A revision, or the number of a group.
  var number: Int
  /// The number of bytes of the record's content.
  var length: Int

  /// The oldest format of the manifest with which the log may have the entry.
  var format: UInt16 { kind == .value || kind == .accepted ? 2 : 1 }

  /// Whether the entry concerns this flow.
  func concerns(_ id: FlowID) -> Bool {
    switch kind {
    case .flow, .history, .value, .deletion, .lostFlow, .lostHistory: FlowID(key) == id
    case .note, .noNote, .lostNote, .lostGroup, .lostName, .accepted: false
    }
  }
}

extension [LogEntry] {
  /// Returns the bytes of a list. A key that repeats the one before is left out.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: count * 24)
    var last: String?
    for entry in self {
      let repeats = last.map { $0.hasBytes(of: entry.key) } ?? false
      writer.byte(entry.kind.rawValue | (repeats ? 0x80 : 0))
      if !repeats { writer.string(entry.key) }
      writer.unsigned(UInt64(clamping: entry.number))
      writer.unsigned(UInt64(clamping: entry.length))
      last = entry.key
    }
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(FlowStoreError) {
    self = []
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      let tag = try reader.byte()
      guard let kind = LogEntry.Kind(rawValue: tag & 0x7F) else {
        throw FlowStoreError(.unsupportedFormat, "the log has an entry of the kind \(tag & 0x7F)")
      }
      let key = tag & 0x80 == 0 ? try reader.string() : last?.key ?? ""
      guard let number = Int(exactly: try reader.unsigned()), let length = Int(exactly: try reader.unsigned()),
        length <= UInt32.max
      else { throw reader.malformed("a number is too large") }
      append(LogEntry(kind: kind, key: key, number: number, length: length))
    }
  }
}
