import ActorFlow
import Dispatch

/// Reading on other threads than the one that writes: places are looked up, and read from open segments.
extension FileFlowStore {
  /// A segment that is read.
  struct Segment: Sendable {
    let file: DiskFile
    let salt: UInt64
  }

  /// A record that is to be read.
  fileprivate struct Found: Sendable {
    let place: LogPlace
    let segment: Segment
  }

  /// - Parameter accepting: Whether a flow is read although a damaged group may have had a later commit of it.
  func readFlow(_ id: FlowID, accepting: Bool = false) throws(FlowStoreError) -> StoredFlow? {
    let found = try state.withLock { state throws(FlowStoreError) -> (Revision, Found, [Int: Found])? in
      if let error = state.log.damage(of: id), !accepting || state.log.lost[id]?.isOfGroup != true { throw error }
      guard let flow = state.log[id], let place = flow.place else { return nil }
      var values: [Int: Found] = [:]
      for (number, value) in flow.values { values[number] = try state.find(value.place) }
      return (flow.revision, try state.find(place), values)
    }
    guard let found else { return nil }
    do {
      var record = try FlowRecord(decoding: try read(found.1))
      try record.snapshot.fillValues { number throws(FlowStoreError) in
        guard let value = found.2[number] else { return nil }
        return Array(try read(value))
      }
      return StoredFlow(id: id, revision: found.0, snapshot: record.snapshot, changedAt: record.changedAt)
    } catch let error where error.code != .unavailable {
      lose(id, at: found.1.place, error)
      throw error
    }
  }

  /// Notes that a flow cannot be read, so that nothing is written over it.
  private func lose(_ id: FlowID, at place: LogPlace, _ error: FlowStoreError) {
    let isLost = change { state, index in
      guard state.log[id]?.place == place else { return false }
      state.log.lose(id, LogState.Loss(error: error, group: state.log[id]?.group ?? 0))
      index.remove(id)
      return true
    }
    guard isLost else { return }
    // The next opening has to find the damage, too. If the snapshot stays, reading the flow finds the damage again.
    writer.async { _ = try? self.changeFiles { files, _ throws(FlowStoreError) in try? files.dropSnapshot() } }
  }

  func readHistory(of id: FlowID, after sequence: Int, limit: Int) throws(FlowStoreError) -> [HistoryEntry] {
    let limit = max(1, limit)
    var found: [HistoryEntry] = []
    var loss: LogState.Loss?
    var (revision, last) = (-1, sequence)
    while found.count < limit {
      let next = try state.withLock { state throws(FlowStoreError) -> [(revision: Int, found: Found)] in
        if let error = state.log.damage(of: id) { throw error }
        guard let flow = state.log[id] else { return [] }
        loss = state.log.lostHistories[id]
        // The last part that begins at or before the first entry, and those behind it.
        var start = flow.firstSpan { $0.revision > revision }
        if revision < 0 { start = max(0, flow.firstSpan { $0.first > sequence } - 1) }
        return try flow.spans[start...].prefix(64).map { (span) throws(FlowStoreError) in
          (span.revision, try state.find(span.place))
        }
      }
      guard !next.isEmpty else {
        // The lost part may be the end, so a caller that has read all that is left is not told that it has all.
        if let loss, found.isEmpty { throw gap(in: id, "after the entry \(last)", loss.error) }
        break
      }
      for part in next where found.count < limit {
        revision = part.revision
        let entries: [HistoryEntry]
        do { entries = try HistoryRecord.entries(try read(part.found)) } catch  where error.code == .unavailable {
          throw FlowStoreError(error.code, "the history of the flow \(id.shown): \(error.message)", underlying: error)
        } catch {
          loseHistory(of: id, at: part.found.place, error)
          guard found.isEmpty else { return found }
          throw gap(in: id, "after the entry \(last)", error)
        }
        for entry in entries where entry.sequence > last && found.count < limit {
          // The entries before the gap are a page of their own, and so are those behind it.
          if let loss, entry.sequence > last + 1 {
            guard found.isEmpty else { return found }
            throw gap(in: id, "from the entry \(last + 1) to \(entry.sequence - 1)", loss.error)
          }
          found.append(entry)
          last = entry.sequence
        }
        last = max(last, entries.last?.sequence ?? last)
      }
    }
    return found
  }

  private func gap(in id: FlowID, _ place: String, _ error: FlowStoreError) -> FlowStoreError {
    FlowStoreError(
      error.code == .unsupportedFormat ? .unsupportedFormat : .corrupted,
      """
      the history of the flow \(id.shown) is damaged \(place): restore the directory from a backup, or accept the gap with \
      `acceptLosses()`
      """, underlying: error)
  }

  /// Notes that a part of a flow's history cannot be read.
  private func loseHistory(of id: FlowID, at place: LogPlace, _ error: FlowStoreError) {
    let isLost = state.withLock { state in
      guard let flow = state.log[id], state.log.lostHistories[id] == nil,
        flow.spans.contains(where: { $0.place == place })
      else {
        return false
      }
      state.log.loseHistory(of: id, LogState.Loss(error: error, group: flow.group))
      return true
    }
    guard isLost else { return }
    // As for a flow that is lost.
    writer.async { _ = try? self.changeFiles { files, _ throws(FlowStoreError) in try? files.dropSnapshot() } }
  }

  /// The parts of a flow's history that cannot be read although the disk can.
  func unreadableSpans(of id: FlowID) throws(FlowStoreError) -> Set<LogPlace> {
    let spans = try state.withLock { state throws(FlowStoreError) in
      try (state.log[id]?.spans ?? []).map { span throws(FlowStoreError) in try state.find(span.place) }
    }
    var unreadable: Set<LogPlace> = []
    for span in spans {
      do { _ = try HistoryRecord.entries(try read(span)) } catch {
        if error.code == .unavailable { throw error }
        unreadable.insert(span.place)
      }
    }
    return unreadable
  }

  private func read(_ found: Found) throws(FlowStoreError) -> ArraySlice<UInt8> {
    let bytes: [UInt8]
    do {
      bytes = try disk.read(found.place.size, at: Int(found.place.offset), of: found.segment.file)
    } catch {
      throw FlowStoreError(.unavailable, "the log cannot be read", underlying: error)
    }
    guard let content = SegmentBytes.content(bytes[...], at: found.place, salt: found.segment.salt) else {
      let name = Manifest.segmentName(Int(found.place.segment))
      throw LogOpening.damaged("\(name) from byte \(found.place.offset)")
    }
    return content
  }
}

extension FileFlowStore.State {
  fileprivate func find(_ place: LogPlace) throws(FlowStoreError) -> FileFlowStore.Found {
    guard let segment = segments[place.segment] else {
      throw LogOpening.damaged("\(Manifest.segmentName(Int(place.segment))), which is missing")
    }
    return FileFlowStore.Found(place: place, segment: segment)
  }
}
