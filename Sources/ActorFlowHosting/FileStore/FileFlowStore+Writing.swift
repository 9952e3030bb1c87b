import ActorFlow

/// The work that is done on the threads of the ``DiskQueue``, one job at a time for each flow.
extension FileFlowStore {
  /// A commit with its encoded snapshot.
  struct Write: Sendable {
    var flow: StoredFlow
    let commit: CommitID
    let snapshot: [UInt8]
    /// The entries that the commit appends to the history.
    let history: [HistoryEntry]
  }

  /// A stored flow and the path of its files.
  struct Found {
    let file: FlowFile
    let path: String
  }

  func path(_ stem: String) -> String { "\(root)/\(Self.flowsDirectory)/\(stem)" }

  func directory(of stem: String) -> String {
    path(String(stem.prefix { $0 != "/" }))
  }

  /// The path of a flow's files below the directory of flows; `nil` if there are none.
  func stem(of id: FlowID) -> String? {
    state.withLock { state in
      if let stem = state.stems[id] { return stem }
      // An unreadable file whose name does not contain an id may be this flow's.
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
      throw FlowStoreError(.corrupted, "the file of the flow \(id) contains the flow \(file.flow.id): \(path)")
    }
    takeUp(file.flow, stem)
    return Found(file: file, path: path)
  }

  /// Lists a flow whose file could not be read when the store was opened but can be read now.
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
      // The write was done. If its rename may not be on the disk yet, write again before acknowledging it.
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

  /// Writes a flow's file and updates the index to what a load finds, even if the outcome on the disk is not certain.
  private func put(_ file: FlowFile, snapshot: [UInt8], stem: String, of id: FlowID) throws(FlowStoreError) {
    let path = path(stem)
    // The name has this opener's mark. If another process has opened the directory meanwhile, it has removed this file,
    // or the check below finds its lock.
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
    // From here on a load reads the new file. Lists show the flow even if the sync fails and the file may be lost.
    let failure = failureOfSyncing(stem)
    state.withLock { state in
      state.stems[id] = stem
      if failure == nil { state.unsynced.remove(id) } else { state.unsynced.insert(id) }
    }
    index.withLock { $0.put(file.flow) }
    if failure == nil { settlePending(stem) }
    if let failure {
      throw FlowStoreError(
        .outcomeUnknown, "the flow \(id) was written, but a crash may lose it: commit it again", underlying: failure)
    }
  }

  /// Returns when the flow's last rename is on the disk, as the next write must not reach the disk without it.
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
    // Only when the removal is certain to be on the disk: a flow that comes back after a crash needs its history. If
    // this fails, the next opening removes the file.
    try? disk.remove(found.path + FileName.pending)
  }

  /// The path of a flow's files, which may be new, below the directory of flows.
  private func stem(for id: FlowID) -> String {
    if let stem = stem(of: id) { return stem }
    return state.withLock { state in
      var turn = 0
      while true {
        let stem = FileName.stem(of: id, turn: turn)
        guard FileName.isHashed(stem) else { return stem }
        // Two ids with equal hashes are next to impossible, but one flow would replace the other.
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
