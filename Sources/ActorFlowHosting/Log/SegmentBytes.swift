import ActorFlow

/// The bytes of a segment, in which groups are found even beside damaged ones.
struct SegmentBytes: Sendable {
  static let magic = Array("AFSG".utf8)
  static let headBytes = 16

  let bytes: [UInt8]
  let segment: UInt32
  let salt: UInt64

  /// Returns the head of a segment, for people: a store trusts its manifest.
  static func head(salt: UInt64) -> [UInt8] {
    var writer = ByteWriter(reserving: headBytes)
    writer.raw(magic)
    writer.fixed(UInt16(1))
    writer.fixed(UInt16(0))
    writer.fixed(salt)
    return writer.bytes
  }

  /// A part of a segment.
  enum Piece: Sendable {
    case group(LogGroup)
    case damaged(LogDamage)
  }

  /// Returns the groups and the damaged parts before an offset, in order.
  ///
  /// - Parameter number: The number of the group before.
  func pieces(from start: Int = headBytes, upTo end: Int, after number: UInt64) -> [Piece] {
    var pieces: [Piece] = []
    var (offset, last) = (start, number)
    let end = min(end, bytes.count)
    while offset < end {
      if let group = group(at: offset, upTo: end), group.number == last + 1 {
        pieces.append(.group(group))
        (offset, last) = (group.end, group.number)
        continue
      }
      var damage = LogDamage(start: offset, end: end, after: last, before: nil)
      for candidate in magics(in: offset..<end) {
        if candidate > offset, let group = group(at: candidate, upTo: end), group.number > last {
          (damage.end, damage.before) = (candidate, group.number)
          break
        }
        if let list = list(at: candidate, upTo: end), list.number > last { damage.lists[list.number] = list.entries }
      }
      pieces.append(.damaged(damage))
      (offset, last) = (damage.end, (damage.before ?? 1) - 1)
    }
    return pieces
  }

  /// Returns the content of a record, or `nil` if it is damaged.
  func record(at place: LogPlace) -> ArraySlice<UInt8>? {
    let start = Int(place.offset)
    guard start + place.size <= bytes.count else { return nil }
    return Self.content(bytes[start..<start + place.size], at: place, salt: salt)
  }

  /// Returns the content of a record without its checksum, or `nil` if it is damaged.
  static func content(_ record: ArraySlice<UInt8>, at place: LogPlace, salt: UInt64) -> ArraySlice<UInt8>? {
    guard record.count == place.size else { return nil }
    let content = record.dropLast(LogPlace.sumBytes)
    var reader = ByteReader(record.suffix(LogPlace.sumBytes))
    // Bytes that cannot be read are damage, which the caller reports.
    guard let sum = try? reader.fixed(UInt64.self),
      sum == Checksum.of(content, at: Int(place.offset), salt: salt)
    else { return nil }
    return content
  }

  // MARK: -

  private func group(at offset: Int, upTo end: Int) -> LogGroup? {
    guard let first = list(at: offset, upTo: end), !first.isSecond else { return nil }
    let second = offset + first.length + first.recordBytes
    guard let again = list(at: second, upTo: end), again.isSecond, again.number == first.number,
      again.entries == first.entries
    else { return nil }
    var start = offset + first.length
    var places: [LogPlace] = []
    for entry in first.entries {
      let place = LogPlace(
        segment: segment, offset: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: entry.length))
      guard start + place.size <= second, record(at: place) != nil else { return nil }
      places.append(place)
      start += place.size
    }
    guard start == second else { return nil }
    return LogGroup(
      number: first.number, offset: offset, length: second + again.length - offset, entries: first.entries,
      places: places)
  }

  private func list(at offset: Int, upTo end: Int) -> LogList? {
    guard end - offset >= LogList.headBytes + LogPlace.sumBytes, bytes[offset...].starts(with: LogList.magic) else {
      return nil
    }
    var reader = ByteReader(bytes[(offset + 4)..<(offset + LogList.headBytes)])
    guard let format = try? reader.byte(), format == LogList.format, let isSecond = try? reader.bool(),
      (try? reader.fixed(UInt16.self)) == 0, let number = try? reader.fixed(UInt64.self),
      let count = try? reader.fixed(UInt32.self), let records = try? reader.fixed(UInt32.self)
    else { return nil }
    let content = offset + LogList.headBytes
    let sum = content + Int(count)
    guard sum + LogPlace.sumBytes <= end else { return nil }
    var tail = ByteReader(bytes[sum..<sum + LogPlace.sumBytes])
    guard let found = try? tail.fixed(UInt64.self),
      found == Checksum.of(bytes[offset..<sum], at: offset, salt: salt),
      let entries = try? [LogEntry](decoding: bytes[content..<sum])
    else { return nil }
    return LogList(
      number: number, isSecond: isSecond, entries: entries, length: sum + LogPlace.sumBytes - offset,
      recordBytes: Int(records))
  }

  /// Returns the offsets at which a list may begin.
  private func magics(in range: Range<Int>) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var found: [Int] = []
      var offset = range.lowerBound
      while offset + 4 <= range.upperBound {
        if bytes[offset] == LogList.magic[0], bytes[offset + 1] == LogList.magic[1],
          bytes[offset + 2] == LogList.magic[2], bytes[offset + 3] == LogList.magic[3]
        {
          found.append(offset)
        }
        offset += 1
      }
      return found
    }
  }
}

/// A part of a segment that is no whole group.
struct LogDamage: Sendable {
  var start: Int
  var end: Int
  /// The number of the last group before the part.
  var after: UInt64
  /// The number of the first group behind the part; `nil` if none is in the segment.
  var before: UInt64?
  /// The lists that were found in the part, by their groups' numbers.
  var lists: [UInt64: [LogEntry]] = [:]
}

extension LogDamage {
  /// The meaning of a damaged part, given the number of the first group behind it, if there is one.
  enum Meaning: Sendable, Equatable {
    /// The last group was not written to its end; the numbers are those of lost groups before it.
    case torn
    /// The entries of lost groups up to the group `last`; `isComplete` is false if the list of one is lost as well.
    case lost([LogEntry], last: UInt64, isComplete: Bool, hasTornTail: Bool)
  }

  func meaning(before next: UInt64?) -> Meaning {
    let newest = lists.keys.max() ?? after
    // At the end of the log, the newest group may be torn, and any before it was whole once.
    let end = next ?? max(newest, after + 1)
    guard end > after + 1 else {
      return next == nil ? .torn : .lost([], last: after, isComplete: true, hasTornTail: false)
    }
    var entries: [LogEntry] = []
    var isComplete = true
    for number in after + 1..<end {
      if let list = lists[number] { entries += list } else { isComplete = false }
    }
    return .lost(entries, last: end - 1, isComplete: isComplete, hasTornTail: next == nil)
  }
}
