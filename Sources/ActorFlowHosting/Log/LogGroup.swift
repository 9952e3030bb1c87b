import ActorFlow

/// The records that are written together, with one sync.
///
/// On the disk a group is its list, the records in the order of the list, each with a checksum, and the list again. Each
/// list has a head of its own: a magic number (4 bytes), the format (1), whether it is the second list (1), zero (2),
/// the number of the group (8), the lengths of the list (4) and of all records (4); a checksum follows the list.
struct LogGroup: Sendable {
  let number: UInt64
  /// The offset of the group in its segment.
  let offset: Int
  let length: Int
  let entries: [LogEntry]
  /// The place of each entry's record.
  let places: [LogPlace]

  var end: Int { offset + length }
}

/// A list of a group, as it was found in a segment.
struct LogList: Sendable {
  static let magic = Array("AFGR".utf8)
  static let headBytes = 24
  static let format: UInt8 = 1

  let number: UInt64
  let isSecond: Bool
  let entries: [LogEntry]
  /// The number of bytes of the list with its head and its checksum.
  let length: Int
  /// The number of bytes of the group's records.
  let recordBytes: Int

  static func encoded(
    _ list: [UInt8], number: UInt64, isSecond: Bool, recordBytes: Int, at offset: Int, salt: UInt64
  ) -> [UInt8] {
    var writer = ByteWriter(reserving: list.count + headBytes + LogPlace.sumBytes)
    writer.raw(magic)
    writer.byte(format)
    writer.bool(isSecond)
    writer.fixed(UInt16(0))
    writer.fixed(number)
    writer.fixed(UInt32(truncatingIfNeeded: list.count))
    writer.fixed(UInt32(truncatingIfNeeded: recordBytes))
    writer.raw(list)
    writer.fixed(Checksum.of(writer.bytes[...], at: offset, salt: salt))
    return writer.bytes
  }
}

/// The records of a group that is to be written.
struct LogDraft: Sendable {
  private(set) var entries: [LogEntry] = []
  private(set) var records: [[UInt8]] = []
  private(set) var bytes = 0

  var isEmpty: Bool { entries.isEmpty }
  /// The oldest format of the manifest with which the log may have the group.
  var format: UInt16 { entries.reduce(1) { max($0, $1.format) } }

  mutating func add(_ kind: LogEntry.Kind, _ key: String, _ number: Int, _ record: [UInt8] = []) {
    entries.append(LogEntry(kind: kind, key: key, number: number, length: record.count))
    records.append(record)
    bytes += record.count + LogPlace.sumBytes
  }

  mutating func add(_ other: LogDraft) {
    entries += other.entries
    records += other.records
    bytes += other.bytes
  }

  /// Returns the bytes of the group, and what they are once they are at this offset of a segment.
  func encoded(_ number: UInt64, at offset: Int, of segment: UInt32, salt: UInt64) -> ([UInt8], LogGroup) {
    let list = entries.encoded()
    var writer = ByteWriter(reserving: bytes + 2 * list.count + 64)
    writer.raw(
      LogList.encoded(list, number: number, isSecond: false, recordBytes: bytes, at: offset, salt: salt))
    var places: [LogPlace] = []
    for record in records {
      let start = offset + writer.bytes.count
      writer.raw(record)
      writer.fixed(Checksum.of(record[...], at: start, salt: salt))
      places.append(
        LogPlace(
          segment: segment, offset: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: record.count)
        ))
    }
    let second = offset + writer.bytes.count
    writer.raw(LogList.encoded(list, number: number, isSecond: true, recordBytes: bytes, at: second, salt: salt))
    let group = LogGroup(number: number, offset: offset, length: writer.bytes.count, entries: entries, places: places)
    return (writer.bytes, group)
  }
}
