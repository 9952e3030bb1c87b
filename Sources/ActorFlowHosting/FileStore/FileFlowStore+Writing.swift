import ActorFlow

/// What is done on the disk's threads, one thing at a time for one flow.
extension FileFlowStore {
  /// A commit, encoded.
  struct Write: Sendable {
    var flow: StoredFlow
    let commit: CommitID
    let snapshot: [UInt8]
    /// The entries that the history gains.
    let history: [HistoryEntry]
  }

  /// What is stored, and where.
  struct Found {
    let file: FlowFile
    let path: String
  }

  func path(_ stem: String) -> String { "\(root)/\(Self.flowsDirectory)/\(stem)" }

  func directory(of stem: String) -> String {
    path(String(stem.prefix { $0 != "/" }))
  }

  /// Where a flow's files are; nil if there are none.
  func stem(of id: FlowID) -> String? {
    state.withLock { state in
      if let stem = state.stems[id] { return stem }
      // An unreadable file with a name that does not tell its id may be this one's.
      let stem = FileName.stem(of: id)
      return state.unreadable[stem] == nil ? nil : stem
    }
  }

  func read(_ id: FlowID) throws(FlowStoreError) -> Found? {
    guard let stem = stem(of: id) else { return nil }
    let path = path(stem)
    let bytes: [UInt8]?
    do {
      bytes = try disk.read(path + FileName.flow)
    } catch {
      throw FlowStoreError(.unavailable, "the flow \(id) cannot be read", underlying: error)
    }
    guard let bytes else {
      if try isGone(stem, of: id) { return nil }
      throw missing(stem)
    }
    let file = try FlowFile(decoding: bytes)
    guard file.flow.id == id else {
      throw FlowStoreError(.corrupted, "the file of the flow \(id) has the flow \(file.flow.id): \(path)")
    }
    takeUp(file.flow, stem)
    return Found(file: file, path: path)
  }

  /// Lists a flow whose file could not be read when the store was opened, and now can.
  private func takeUp(_ flow: StoredFlow, _ stem: String) {
    let wasUnreadable = state.withLock { state in
      guard state.unreadable.removeValue(forKey: stem) != nil else { return false }
      state.stems[flow.id] = stem
      if FileName.isHashed(stem) { state.hashed[stem] = flow.id }
      return true
    }
    if wasUnreadable { index.withLock { $0.put(flow) } }
  }

  func perform(_ write: Write, expecting revision: Revision) throws(FlowStoreError) -> StoredFlow {
    let id = write.flow.id
    let found = try read(id)
    if let found, found.file.commit == write.commit {
      // The write was done. If its name may not be on the disk yet, it is written once more before it is acknowledged.
      if state.withLock({ $0.unsynced.contains(id) }) {
        try put(found.file, snapshot: found.file.flow.snapshot.encoded(), stem: stem(for: id), of: id)
      }
      return found.file.flow
    }
    try checkRevision(found?.file.flow.revision ?? .none, expecting: revision, of: id)
    try checkLock()
    let stem = stem(for: id)
    var file = FlowFile(flow: write.flow, commit: write.commit, history: found?.file.history ?? HistoryEnd())
    if found == nil { try checkFree(stem, for: id) } else { try syncName(of: id, stem) }
    if !write.history.isEmpty {
      let record = HistoryFile.record(write.history, of: write.flow.revision, by: write.commit, at: file.history)
      try append(record.bytes, at: file.history, isFirst: found == nil, stem, id)
      file.history = record.end
    }
    try put(file, snapshot: write.snapshot, stem: stem, of: id)
    return write.flow
  }

  /// Writes a flow's file. The index follows what a load finds, also where the system leaves open what is on the disk.
  private func put(_ file: FlowFile, snapshot: [UInt8], stem: String, of id: FlowID) throws(FlowStoreError) {
    let path = path(stem)
    // A name of this opener: should another process have the directory by now, it has removed this file, or the check
    // finds it.
    let new = "\(path).\(mark)\(FileName.temporary)"
    do {
      try disk.write(file.encoded(snapshot), to: new)
      if file.flow.revision == .none.next { try syncPending(stem) }
      try checkLock()
      try disk.rename(new, to: path + FileName.flow)
    } catch {
      try? disk.remove(new)
      if file.flow.revision == .none.next { dropPending(stem, of: id) }
      throw error as? FlowStoreError ?? unavailable(id, error)
    }
    // From here on the flow is what the new file says, for who reads now; lists show it when it lasts, or may.
    let failure = failureOfSyncing(stem)
    state.withLock { state in
      state.stems[id] = stem
      if failure == nil { state.unsynced.remove(id) } else { state.unsynced.insert(id) }
    }
    index.withLock { $0.put(file.flow) }
    if failure == nil { settlePending(stem) }
    if let failure {
      throw FlowStoreError(
        .outcomeUnknown, "the flow \(id) is written, but may not last: commit it again", underlying: failure)
    }
  }

  /// Returns when the flow's last rename is on the disk: what is written next may be there only with it.
  private func syncName(of id: FlowID, _ stem: String) throws(FlowStoreError) {
    guard state.withLock({ $0.unsynced.contains(id) }) else { return }
    if let failure = failureOfSyncing(stem) { throw unavailable(id, failure) }
    state.withLock { _ = $0.unsynced.remove(id) }
  }

  /// Throws unless this store still has the directory's lock.
  private func checkLock() throws(FlowStoreError) {
    try state.withLock({ $0.lock })?.check()
  }

  private func failureOfSyncing(_ stem: String) -> DiskError? {
    do {
      try disk.syncDirectory(directory(of: stem))
      return nil
    } catch {
      return error
    }
  }

  func remove(_ id: FlowID, expecting revision: Revision) throws(FlowStoreError) {
    guard let found = try read(id) else { throw FlowStoreError(.notFound, "there is no flow \(id)") }
    try checkRevision(found.file.flow.revision, expecting: revision, of: id)
    let stem = stem(for: id)
    do {
      try checkLock()
      try setHistoryAside(stem, found.file.history, of: id)
      try checkLock()
      try disk.remove(found.path + FileName.flow)
    } catch {
      throw error as? FlowStoreError ?? unavailable(id, error)
    }
    let failure = failureOfSyncing(stem)
    state.withLock { state in
      state.stems[id] = nil
      state.hashed[stem] = nil
      state.unsynced.remove(id)
      state.pending.remove(stem)
    }
    index.withLock { $0.remove(id) }
    if let failure {
      throw FlowStoreError(
        .outcomeUnknown, "the flow \(id) is deleted, but may come back after a crash", underlying: failure)
    }
    // Not before the flow is gone for certain: should it come back, its history is there. Else the next opening removes it.
    try? disk.remove(found.path + FileName.pending)
  }

  /// Where the files of a flow are, or are to be.
  private func stem(for id: FlowID) -> String {
    if let stem = stem(of: id) { return stem }
    return state.withLock { state in
      var turn = 0
      while true {
        let stem = FileName.stem(of: id, turn: turn)
        guard FileName.isHashed(stem) else { return stem }
        // Equal names of two ids are next to impossible, and would be the loss of a flow.
        if state.unreadable[stem] == nil, state.hashed[stem] == nil || state.hashed[stem] == id {
          state.hashed[stem] = id
          return stem
        }
        turn += 1
      }
    }
  }

  func unavailable(_ id: FlowID, _ error: any Error) -> FlowStoreError {
    FlowStoreError(.unavailable, "the flow \(id) is not written", underlying: error)
  }
}
