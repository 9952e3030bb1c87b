import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of a flow's record: its last commit. The id and the revision are in the list of the group. The values
/// have records of their own; here their bytes are empty.
struct FlowRecord: Sendable {
  var commit: CommitID
  var changedAt: Date
  var snapshot: FlowSnapshot

  static func encoded(_ commit: CommitID, _ changedAt: Date, snapshot: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: snapshot.count + 32)
    _ = writer.coded(commit)
    _ = writer.coded(changedAt)
    writer.raw(snapshot)
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(FlowStoreError) {
    var reader = ByteReader(bytes)
    commit = try reader.coded(CommitID.placeholder)
    changedAt = try reader.coded(Date.placeholder)
    snapshot = try FlowSnapshot.withoutValues(try reader.slice(reader.remaining)).snapshot
  }

  /// Reads the id of the commit and the numbers of the values only.
  static func head(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> (commit: CommitID, values: Set<Int>) {
    var reader = ByteReader(bytes)
    let commit = try reader.coded(CommitID.placeholder)
    _ = try reader.coded(Date.placeholder)
    return (commit, Set(try FlowSnapshot.valueNumbers(try reader.slice(reader.remaining))))
  }
}

/// The content of a record of a flow's history: the number of the first entry, and the entries.
enum HistoryRecord {
  /// The number in place of the first entry's in a record that has the whole history: it takes the place of all records of
  /// earlier revisions.
  static let whole = 0

  /// - Parameter first: The number of the first entry, or ``whole``; `nil` to take it from the entries.
  static func encoded(_ entries: [HistoryEntry], from first: Int? = nil) -> [UInt8] {
    var writer = ByteWriter(reserving: entries.count * 64 + 8)
    writer.int(first ?? entries.first?.sequence ?? 0)
    _ = writer.coded(entries)
    return writer.bytes
  }

  static func first(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> Int {
    var reader = ByteReader(bytes)
    return try reader.int()
  }

  static func entries(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> [HistoryEntry] {
    var reader = ByteReader(bytes)
    _ = try reader.int()
    let entries = try reader.coded([HistoryEntry].placeholder)
    try reader.end()
    return entries
  }
}

/// The content of a note's record.
enum NoteRecord {
  static func encoded(_ note: StoreNote) -> [UInt8] {
    var writer = ByteWriter(reserving: note.bytes.count + 16)
    var until = note.until
    writer.optional(&until)
    writer.raw(note.bytes)
    return writer.bytes
  }

  static func note(_ bytes: ArraySlice<UInt8>) throws(FlowStoreError) -> StoreNote {
    var reader = ByteReader(bytes)
    let until = try reader.coded(Date?.none)
    return StoreNote(Array(try reader.slice(reader.remaining)), until: until)
  }
}
