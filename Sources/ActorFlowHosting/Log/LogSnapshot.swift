import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state and the index of the log at one moment, in a file beside the log.
///
/// The snapshot saves reading the log when the store is opened, and is never needed: if it is missing or damaged, or
/// does not fit the manifest, the whole log is read. A log with damage has none, so damage that was found is found again.
struct LogSnapshot: Sendable {
  static let name = "index"
  /// The format changes with the coding of any part of a row.
  private static let envelope = Envelope(magic: Array("AFIX".utf8), format: 3, what: "the index of the log")

  /// The segments that the snapshot covers, each as far as it was written; the last group is that of the snapshot.
  var segments: [Manifest.Segment] = []
  var state = LogState()
  var index = FlowIndex()

  /// The number of the last group that the snapshot covers.
  var lastGroup: UInt64 { UInt64(clamping: segments.last?.lastGroup ?? 0) }

  /// The bytes of the snapshot; `nil` if the log has damage, or if the state and the index have different flows.
  func encoded() -> [UInt8]? {
    guard !state.hasDamage, index.count == state.count else { return nil }
    var writer = ByteWriter(reserving: 1 << 16)
    var segments = segments
    writer.code(&segments)
    writer.int(index.count)
    var isWhole = true
    index.visit { id, write in
      writer.string(id.description)
      isWhole = state.write(id, to: &writer) && isWhole
      write(&writer)
    }
    writer.int(state.notePlaces.count)
    for (key, place) in state.notePlaces {
      guard let note = state.notes[key] else { return nil }
      var row = LogNoteRow(key: key, place: place, record: NoteRecord.encoded(note))
      row.code(with: &writer)
    }
    // A length has 32 bits in an envelope.
    guard isWhole, writer.bytes.count < UInt32.max else { return nil }
    return Self.envelope.seal(writer.bytes)
  }

  init(segments: [Manifest.Segment], state: LogState, index: FlowIndex) {
    (self.segments, self.state, self.index) = (segments, state, index)
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(try Self.envelope.open(bytes[...]))
    try reader.code(&segments)
    let count = try reader.int()
    // A flow takes more than a byte, so that a wrong count takes no more space than the bytes do.
    let space = min(max(0, count), reader.remaining / 32)
    state.reserve(space)
    index.reserve(space)
    for _ in 0..<max(0, count) {
      let id = FlowID(try reader.string())
      try state.restore(id, from: &reader)
      try index.put(from: &reader, of: id)
    }
    for _ in 0..<max(0, try reader.int()) {
      let row = try reader.coded(LogNoteRow.placeholder)
      state.set(LogState.Note(note: try NoteRecord.note(row.record[...]), place: row.place), under: row.key)
    }
    try reader.end()
  }

  /// The number of bytes of each segment of the manifest that need not be read; `nil` if the snapshot does not fit.
  ///
  /// A segment that was rewritten since is missing in the manifest: what is needed of it is behind the snapshot.
  func covered(by manifest: Manifest) -> [Int: Manifest.Segment]? {
    let known = Dictionary(segments.map { ($0.number, $0) }) { first, _ in first }
    // A manifest that was restored from a backup may be older than the snapshot.
    guard let newest = segments.map(\.number).max(), manifest.nextSegment > newest else { return nil }
    for segment in manifest.segments {
      guard let covered = known[segment.number] else {
        guard UInt64(clamping: segment.firstGroup) > lastGroup else { return nil }
        continue
      }
      guard covered.salt == segment.salt, covered.firstGroup == segment.firstGroup,
        segment.length == 0 || segment.length >= covered.length,
        segment.length == 0 || segment.lastGroup >= covered.lastGroup
      else { return nil }
    }
    return known
  }
}

extension LogState.Flow: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    revision = Revision(try coder.coded(revision.number))
    try coder.code(&commit)
    try coder.short(&group)
    try coder.code(&place)
    try coder.code(&spans)
    var values = values.sorted { $0.key < $1.key }.map { LogValueRow(number: $0.key, value: $0.value) }
    try coder.code(&values)
    self.values = Dictionary(values.map { ($0.number, $0.value) }) { first, _ in first }
    // Most flows have the values that they name, and no others.
    var isComplete = named == Set(self.values.keys)
    try coder.code(&isComplete)
    named = isComplete ? Set(self.values.keys) : Set(try coder.coded(named.sorted()))
  }
}

/// A value of a flow: its number and place.
private struct LogValueRow: StoredPart {
  var number: Int
  var value: LogState.Value

  static var placeholder: LogValueRow {
    LogValueRow(number: 0, value: LogState.Value(place: .placeholder, group: 0))
  }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&number)
    try coder.code(&value.place)
    try coder.short(&value.group)
  }
}

/// A note in the snapshot, with its record.
private struct LogNoteRow: StoredPart {
  var key: String
  var place: LogPlace
  var record: [UInt8]

  static var placeholder: LogNoteRow { LogNoteRow(key: "", place: .placeholder, record: []) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&key)
    try coder.code(&place)
    try coder.blob(&record)
  }
}

extension LogPlace: StoredPart {
  static var placeholder: LogPlace { LogPlace(segment: 0, offset: 0, length: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.short(&segment)
    try coder.short(&offset)
    try coder.short(&length)
  }
}

extension LogState.Span: StoredPart {
  static var placeholder: Self { Self(place: .placeholder, revision: 0, first: 0, group: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&place)
    try coder.code(&revision)
    try coder.int(&first)
    try coder.short(&group)
  }
}

extension LogState {
  /// Whether anything is known to be lost.
  var hasDamage: Bool {
    lostGroup != nil || !lost.isEmpty || !lostHistories.isEmpty || !lostNotes.isEmpty || !lostNames.isEmpty
  }

  /// Removes what is only in segments that are gone: it was deleted after the snapshot. Returns the removed flows.
  mutating func dropAll(outside segments: Set<UInt32>) -> [FlowID] {
    var dropped: [FlowID] = []
    for (id, flow) in flows {
      if let place = flow.place, segments.contains(place.segment) {
        dropSpans(of: id) { !segments.contains($0.place.segment) }
        dropValues(of: id) { !segments.contains($0.place.segment) }
      } else {
        dropped.append(id)
      }
    }
    for id in dropped { delete(id, before: .max) }
    for (key, place) in notePlaces where !segments.contains(place.segment) { set(nil, under: key) }
    return dropped
  }
}
