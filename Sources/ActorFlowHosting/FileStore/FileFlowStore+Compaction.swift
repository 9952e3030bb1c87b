import ActorFlow

/// Rewriting segments, on the thread that writes.
extension FileFlowStore {
  /// The number of bytes that are copied in one group.
  private static let copyBytes = 256 << 10

  func compactIfUseful() {
    let (sealed, group) = files.withLock { ($0.sealed, $0.nextGroup) }
    guard state.withLock({ $0.compactsFrom <= group }) else { return }
    let live = state.withLock { $0.log.live }
    let uses = sealed.map {
      CompactionRule.Use(number: $0.number, bytes: $0.length, live: live[UInt32($0.number)] ?? 0)
    }
    guard let number = CompactionRule.next(uses, limit: segmentBytes),
      let segment = sealed.first(where: { $0.number == number })
    else { return }
    // If it fails, the segment stays as it is, and a later write tries again: not the next one, as the disk may be full.
    if (try? compact(segment)) == nil { state.withLock { $0.compactsFrom = group + 256 } }
  }

  /// Copies what is needed of a sealed segment to the end of the log, and removes the segment.
  ///
  /// - Parameter erased: A flow of which nothing is copied, not even that it was deleted.
  func compact(_ segment: Manifest.Segment, erasing erased: FlowID? = nil) throws(FlowStoreError) {
    let bytes: SegmentBytes
    do { bytes = try files.withLock { files throws(DiskError) in try files.bytes(of: segment) } } catch {
      throw FlowStoreError(.unavailable, "a segment cannot be read", underlying: error)
    }
    let others = files.withLock { $0.manifest.segments.filter { $0.number != segment.number } }
    let older = { (group: UInt64) in others.contains { UInt64($0.firstGroup) < group } }
    var draft = LogDraft()
    var isDamaged = false
    for piece in bytes.pieces(upTo: segment.length, after: UInt64(max(1, segment.firstGroup)) - 1) {
      switch piece {
      case .damaged(let damage):
        isDamaged = true
        state.withLock { draft.copyDeletions(of: damage, $0.log, older: older) }
      case .group(let group):
        state.withLock { draft.copy(group, $0.log, bytes, erasing: erased, older: older) }
        if draft.bytes > Self.copyBytes { try appendCopies(&draft) }
      }
    }
    try appendCopies(&draft)
    if isDamaged || bytes.bytes.count < segment.length {
      // If only the lists of a group are damaged, its records are still where the state has them.
      state.withLock { draft.rescue(UInt32(segment.number), $0.log, bytes) }
      try addDeletions(to: &draft, of: others, erasing: erased)
      try appendCopies(&draft)
      loseRest(of: segment, bytes)
      try setAside(bytes.bytes[...], "damaged-\(segment.number)")
      state.withLock { draft.addLosses(of: $0.log) }
      try appendCopies(&draft)
    }
    try changeFiles { files, lock throws(FlowStoreError) in try files.drop(segment.number, lock) }
  }

  /// Adds the deletion of all that other segments have and the state does not: a damaged list may have named it.
  private func addDeletions(
    to draft: inout LogDraft, of segments: [Manifest.Segment], erasing erased: FlowID?
  ) throws(FlowStoreError) {
    var ids: Set<FlowID> = []
    var notes: Set<TextKey> = []
    for segment in segments {
      let bytes: SegmentBytes
      do { bytes = try files.withLock { files throws(DiskError) in try files.bytes(of: segment) } } catch {
        throw FlowStoreError(.unavailable, "a segment cannot be read", underlying: error)
      }
      let end = segment.length == 0 ? bytes.bytes.count : segment.length
      for case .group(let group) in bytes.pieces(upTo: end, after: UInt64(max(1, segment.firstGroup)) - 1) {
        for entry in group.entries where entry.kind == .flow { ids.insert(FlowID(entry.key)) }
        for entry in group.entries where entry.kind == .note { notes.insert(TextKey(entry.key)) }
      }
    }
    let number = files.withLock { $0.nextGroup }
    state.withLock { state in
      for id in ids where id != erased && state.log.flow(id) == nil && state.log.lost[id] == nil {
        draft.add(.deletion, id.description, Int(clamping: number))
      }
      for key in notes.map(\.text) where state.log.notePlaces[key] == nil && state.log.lostNotes[key] == nil {
        draft.add(.noNote, key, 0)
      }
    }
  }

  private func appendCopies(_ draft: inout LogDraft) throws(FlowStoreError) {
    guard !draft.isEmpty else { return }
    let copies = draft
    draft = LogDraft()
    let group = try appendCopies(copies)
    try state.withLock { state throws(FlowStoreError) in try state.log.adopt(copies, group) }
  }

  /// Notes damage that was not there when the store was opened: what the segment has and cannot be copied.
  private func loseRest(of segment: Manifest.Segment, _ bytes: SegmentBytes) {
    let number = UInt32(segment.number)
    let error = LogOpening.damaged(Manifest.segmentName(segment.number))
    change { state, index in
      for id in state.log.loseRest(of: number, error) { index.remove(id) }
    }
  }

  /// Writes bytes that belong to no group into a file beside the log, where nothing reads or removes them.
  func setAside(_ bytes: ArraySlice<UInt8>, _ name: String) throws(FlowStoreError) {
    let directory = files.withLock { $0.directory }
    try Self.setAside(bytes, name, directory, disk)
  }

  static func setAside(
    _ bytes: ArraySlice<UInt8>, _ name: String, _ directory: String, _ disk: Disk
  ) throws(FlowStoreError) {
    guard !bytes.isEmpty else { return }
    do {
      let aside = "\(directory)/\(asideDirectory)"
      if try disk.makeDirectory(aside) { try disk.syncDirectory(directory) }
      try disk.write(Array(bytes), to: "\(aside)/\(name)")
      try disk.syncDirectory(aside)
    } catch {
      throw FlowStoreError(.unavailable, "damaged bytes cannot be set aside", underlying: error)
    }
  }
}

extension LogDraft {
  /// Adds the whole records that the state still has in a segment, without the help of any list.
  fileprivate mutating func rescue(_ segment: UInt32, _ state: LogState, _ bytes: SegmentBytes) {
    func content(_ place: LogPlace?) -> [UInt8]? {
      guard let place, place.segment == segment else { return nil }
      return bytes.record(at: place).map { Array($0) }
    }
    for (id, flow) in state.flows {
      let key = id.description
      for span in flow.spans {
        if let content = content(span.place) { add(.history, key, span.revision, content) }
      }
      for (number, value) in flow.values {
        if let content = content(value.place) { add(.value, key, number, content) }
      }
      guard let content = content(flow.place) else { continue }
      add(.flow, key, flow.revision.number, content)
      if let loss = state.lost[id] { addLoss(.lostFlow, key, loss) }
    }
    for (key, place) in state.notePlaces where state.lostNotes[key] == nil {
      if let content = content(place) { add(.note, key, 0, content) }
    }
  }

  /// Adds the deletions that the lists of damaged groups name, so that what older segments have does not come back.
  fileprivate mutating func copyDeletions(of damage: LogDamage, _ state: LogState, older: (UInt64) -> Bool) {
    let nowhere = LogPlace(segment: 0, offset: 0, length: 0)
    for entry in damage.lists.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      guard entry.kind == .deletion || entry.kind == .noNote || entry.kind == .accepted else { continue }
      if state.needs(entry, at: nowhere, older: older) { add(entry.kind, entry.key, entry.number) }
    }
  }
}

extension LogState {
  /// Adopts copies that are on the disk.
  mutating func adopt(_ draft: LogDraft, _ group: LogGroup) throws(FlowStoreError) {
    for ((entry, record), place) in zip(zip(draft.entries, draft.records), group.places) {
      switch entry.kind {
      case .flow:
        let id = FlowID(entry.key)
        let (loss, lostHistory) = (lost[id], lostHistories[id])
        try apply(entry, at: place, in: group.number, record[...])
        // A copy of an older commit does not make a damaged flow whole.
        if let loss {
          lose(id, loss)
          setLostHistory(of: id, lostHistory)
        }
      case .history, .value, .note: try apply(entry, at: place, in: group.number, record[...])
      // The state has the others already.
      case .deletion, .noNote, .lostFlow, .lostHistory, .lostGroup, .lostNote, .lostName, .accepted: break
      }
    }
  }

  /// Marks all that is still in a segment as lost; returns the flows.
  mutating func loseRest(of segment: UInt32, _ error: FlowStoreError) -> [FlowID] {
    var found: [FlowID] = []
    for (id, flow) in flows {
      let isHere = flow.place?.segment == segment || flow.values.values.contains { $0.place.segment == segment }
      if isHere, lost[id] == nil {
        lose(id, Loss(error: error, group: flow.group))
        found.append(id)
      }
      if flow.spans.contains(where: { $0.place.segment == segment }), lostHistories[id] == nil {
        loseHistory(of: id, Loss(error: error, group: flow.group))
      }
    }
    for (key, place) in notePlaces where place.segment == segment {
      loseNote(key, Loss(error: error, group: 0))
    }
    return found
  }
}
