import ActorFlow

/// The reading of the log when it is opened: all groups in order, with damage told from an end that a crash cut.
struct LogOpening: Sendable {
  private(set) var state = LogState()
  private(set) var index = FlowIndex()
  /// The bytes at the end that belong to no whole group.
  private(set) var tornTail: ArraySlice<UInt8> = []
  /// The last group, which may not be on the disk although it is read: the process may have died before its sync.
  private(set) var last: LogGroup?
  /// The length of the last segment without the last group and the torn tail.
  private(set) var soundLength = SegmentBytes.headBytes
  /// The number of the last group of the segments so far.
  private(set) var lastNumber: UInt64 = 0
  /// Whether a group or a record was damaged, other than an end that a crash cut.
  private(set) var foundDamage = false
  /// Whether the state began with a snapshot, and only what is behind it was read.
  var beganWithSnapshot = false
  /// The number of bytes that were read.
  private(set) var readBytes = 0

  init() {}

  /// Begins with what a snapshot covers.
  init(_ snapshot: LogSnapshot) {
    (state, index, lastNumber) = (snapshot.state, snapshot.index, snapshot.lastGroup)
  }

  /// Applies a segment. One that was written to may have been cut by a crash; that can be the last one only.
  ///
  /// - Parameter covered: The part of the segment that was applied before.
  mutating func apply(_ segment: Manifest.Segment, _ bytes: SegmentBytes, after covered: Manifest.Segment? = nil) {
    let before = covered.map { UInt64(clamping: $0.lastGroup) } ?? UInt64(max(1, segment.firstGroup)) - 1
    let end = segment.length == 0 ? bytes.bytes.count : segment.length
    let next: UInt64? = segment.length == 0 ? nil : UInt64(segment.lastGroup) + 1
    let start = covered?.length ?? SegmentBytes.headBytes
    var pieces = bytes.pieces(from: start, upTo: end, after: before)
    lastNumber = before
    readBytes += max(0, bytes.bytes.count - start)
    (last, soundLength) = (nil, start)
    if let next {
      // A sealed segment that is too short has lost its end.
      let found: UInt64 =
        switch pieces.last {
        case .group(let group): group.number
        case .damaged: next - 1
        case nil: before
        }
      if found + 1 < next {
        pieces.append(.damaged(LogDamage(start: bytes.bytes.count, end: end, after: found, before: next)))
      }
    }
    for piece in pieces {
      switch piece {
      case .group(let group): apply(group, bytes)
      case .damaged(let damage): apply(damage, before: damage.before ?? next, bytes)
      }
    }
    if let next { (last, lastNumber) = (nil, next - 1) }
  }

  private mutating func apply(_ group: LogGroup, _ bytes: SegmentBytes) {
    (last, lastNumber) = (group, group.number)
    soundLength = group.offset
    for (entry, place) in zip(group.entries, group.places) {
      guard let content = bytes.record(at: place) else { continue }
      do {
        try state.apply(entry, at: place, in: group.number, content)
        switch entry.kind {
        case .flow:
          let record = try FlowRecord(decoding: content)
          index.put(
            StoredFlow(
              id: FlowID(entry.key), revision: Revision(entry.number), snapshot: record.snapshot,
              changedAt: record.changedAt))
        case .deletion where state[FlowID(entry.key)] == nil: index.remove(FlowID(entry.key))
        default: break
        }
      } catch {
        foundDamage = true
        state.lose(entry, in: group.number, error)
      }
    }
  }

  private mutating func apply(_ damage: LogDamage, before next: UInt64?, _ bytes: SegmentBytes) {
    let tail = bytes.bytes[min(damage.start, bytes.bytes.count)..<min(damage.end, bytes.bytes.count)]
    switch damage.meaning(before: next) {
    case .torn: tornTail = tail
    case .lost(let entries, let number, let isComplete, let hasTornTail):
      foundDamage = true
      let place = "\(Manifest.segmentName(Int(bytes.segment))) from byte \(damage.start) to \(damage.end)"
      let error = Self.damaged(place)
      if !isComplete {
        state.loseGroup(
          LogState.Loss(
            error: Self.damaged(place, remedy: "accept the loss with `acceptLosses()`"), group: number, isOfGroup: true)
        )
      }
      for entry in entries {
        state.lose(entry, in: number, error)
        if entry.kind == .deletion, state[FlowID(entry.key)] == nil { index.remove(FlowID(entry.key)) }
      }
      lastNumber = number
      (last, soundLength) = (nil, damage.end)
      // The damaged groups stay where they are; the end behind them cannot be told from them.
      if hasTornTail { tornTail = tail }
    }
  }

  /// Adopts the copies of the last group in a new segment.
  mutating func adopt(_ draft: LogDraft, _ group: LogGroup) throws(FlowStoreError) {
    try state.adopt(draft, group)
  }

  /// Completes the state after the last segment.
  ///
  /// - Parameter segments: The segments that are left, if some that a snapshot covers are gone.
  mutating func finish(within segments: Set<UInt32>? = nil) {
    state.settle()
    if let segments { for id in state.dropAll(outside: segments) { index.remove(id) } }
    state.loseMissingValues()
    for id in state.lost.keys { index.remove(id) }
  }

  static func damaged(
    _ place: String, remedy: String = "give up the flow with `giveUp(_:)`"
  ) -> FlowStoreError {
    FlowStoreError(
      .corrupted,
      """
      the log is damaged in \(place), and with it what was written last: restore the directory from a backup, or \
      \(remedy)
      """)
  }
}

extension LogDraft {
  /// Adds what is needed of a group to a later one, without what concerns an erased flow.
  mutating func copy(
    _ group: LogGroup, _ state: LogState, _ bytes: SegmentBytes, erasing erased: FlowID? = nil,
    older: (UInt64) -> Bool
  ) {
    for (entry, place) in zip(group.entries, group.places) {
      if let erased, entry.concerns(erased) { continue }
      guard state.needs(entry, at: place, older: older), let content = bytes.record(at: place) else { continue }
      add(entry.kind, entry.key, entry.number, Array(content))
      // An older commit of a damaged flow is copied, too, and must not pass for its last one.
      if entry.kind == .flow, let loss = state.lost[FlowID(entry.key)] { addLoss(.lostFlow, entry.key, loss) }
    }
  }

  mutating func addLoss(_ kind: LogEntry.Kind, _ key: String, _ error: FlowStoreError) {
    add(kind, key, 0, LogState.lossRecord(error))
  }

  mutating func addLoss(_ kind: LogEntry.Kind, _ key: String, _ loss: LogState.Loss) {
    add(kind, key, 0, LogState.lossRecord(loss.error, isOfGroup: loss.isOfGroup))
  }

  /// Adds all that is known to be lost, so that it outlives the damaged bytes.
  mutating func addLosses(of state: LogState) {
    if let loss = state.lostGroup { addLoss(.lostGroup, "", loss) }
    for (id, loss) in state.lost { addLoss(.lostFlow, id.description, loss) }
    for (id, loss) in state.lostHistories { addLoss(.lostHistory, id.description, loss) }
    for (key, loss) in state.lostNotes { addLoss(.lostNote, key, loss) }
    for (stem, error) in state.lostNames { addLoss(.lostName, stem, error) }
  }
}
