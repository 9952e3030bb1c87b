import ActorFlow

/// The history files, and the combinations of files that a crash can leave behind.
///
/// | files | meaning |
/// |---|---|
/// | flow, history | a flow |
/// | flow, pending history | a new flow, or one whose deletion has begun; the history is given its lasting name again |
/// | pending history | a flow that was never created, or was deleted; the next opening removes the file |
/// | history | a flow whose file is lost: the flow is corrupted, and its history is not removed |
/// | history without a complete record | a creation that a crash cut short; the next opening removes the file |
///
/// So a history gets its lasting name only when the flow's file is certain to be on the disk. Before the flow's file is
/// removed, the history loses that name again, and that is certain to be on the disk as well.
extension FileFlowStore {
  // MARK: - Reading

  func history(of id: FlowID, after sequence: Int, limit: Int) throws(FlowStoreError) -> [HistoryEntry] {
    guard let found = try read(id), found.file.history.bytes > 0, let stem = stem(of: id) else { return [] }
    let path = historyPath(stem)
    do {
      guard let file = try disk.openFile(path) else { throw FlowStoreError(.corrupted, "the file is missing") }
      var reader = try HistoryReader(file, disk, upTo: found.file.history)
      return try reader.entries(after: sequence, limit: max(1, limit), upTo: found.file.flow.revision)
    } catch {
      throw unusable(path, of: id, error)
    }
  }

  /// The path of a flow's history, with its present name.
  private func historyPath(_ stem: String) -> String {
    let isPending = state.withLock { $0.pending.contains(stem) }
    return path(stem) + (isPending ? FileName.pending : FileName.history)
  }

  private func unusable(_ path: String, of id: FlowID, _ error: any Error) -> FlowStoreError {
    if let error = error as? FlowStoreError {
      return FlowStoreError(error.code, "the history of the flow \(id) cannot be used: \(error.message) (\(path))")
    }
    return FlowStoreError(.unavailable, "the history of the flow \(id) cannot be used", underlying: error)
  }

  // MARK: - Writing

  /// Appends a record after the committed part; the record of a flow's first commit goes into a new pending history.
  func append(
    _ record: [UInt8], at end: HistoryEnd, isFirst: Bool, _ stem: String, _ id: FlowID
  ) throws(FlowStoreError) {
    do {
      if isFirst {
        try disk.write(record, to: path(stem) + FileName.pending)
        state.withLock { _ = $0.pending.insert(stem) }
        return
      }
      let path = historyPath(stem)
      try checkOwn(path, end, id)
      let isNew = try disk.append(record, to: path, at: end.bytes)
      if isNew { try disk.syncDirectory(directory(of: stem)) }
    } catch {
      throw error as? FlowStoreError ?? unavailable(id, error)
    }
  }

  /// Throws `corrupted` if the file has the history of another flow, which must not be cut or written to.
  ///
  /// A damaged history does not stop its flow.
  private func checkOwn(_ path: String, _ end: HistoryEnd, _ id: FlowID) throws {
    guard end.count > 0, let file = try disk.openFile(path) else { return }
    let bytes = try disk.read(HistoryFile.headBytes, at: end.unnamed, of: file)
    guard let head = try? HistoryFile.head(bytes[...], at: end.unnamed), head.name != end.name else { return }
    throw unusable(path, of: id, HistoryFile.foreign)
  }

  /// Throws `corrupted` if a new flow would replace files that the store did not find when it was opened.
  func checkFree(_ stem: String, for id: FlowID) throws(FlowStoreError) {
    do {
      for ending in [FileName.flow, FileName.history] where try disk.exists(path(stem) + ending) {
        throw FlowStoreError(
          .corrupted,
          "\(path(stem))\(ending) was created while the store was open: reopen the store to load the flow \(id)")
      }
    } catch {
      throw error as? FlowStoreError ?? unavailable(id, error)
    }
  }

  // MARK: - Pending histories

  /// Returns when the names of a new flow's pending history and temporary file are on the disk.
  func syncPending(_ stem: String) throws(DiskError) {
    guard state.withLock({ $0.pending.contains(stem) }) else { return }
    try disk.syncDirectory(directory(of: stem))
  }

  /// Removes the pending history of a flow whose creation failed.
  ///
  /// A file that stays is overwritten, or removed when the store is opened.
  func dropPending(_ stem: String, of id: FlowID) {
    let isOrphan = state.withLock { state in
      state.stems[id] == nil && state.pending.remove(stem) != nil
    }
    if isOrphan { try? disk.remove(path(stem) + FileName.pending) }
  }

  /// Gives a pending history its lasting name; if that fails, the history is pending until the flow's next commit.
  func settlePending(_ stem: String) {
    guard state.withLock({ $0.pending.contains(stem) }) else { return }
    guard (try? disk.rename(path(stem) + FileName.pending, to: path(stem) + FileName.history)) != nil else { return }
    state.withLock { _ = $0.pending.remove(stem) }
  }

  /// Makes a flow's history pending, and syncs that, before the flow is removed.
  func setHistoryAside(_ stem: String, _ end: HistoryEnd, of id: FlowID) throws {
    let path = path(stem)
    if !state.withLock({ $0.pending.contains(stem) }) {
      guard try disk.exists(path + FileName.history) else { return }
      try checkOwn(path + FileName.history, end, id)
      try disk.rename(path + FileName.history, to: path + FileName.pending)
      state.withLock { _ = $0.pending.insert(stem) }
    }
    try disk.syncDirectory(directory(of: stem))
  }

  // MARK: - Lost flows

  /// Returns whether a flow that was lost when the store was opened has no history any more; if so, forgets the flow.
  func isGone(_ stem: String, of id: FlowID) throws(FlowStoreError) -> Bool {
    guard state.withLock({ $0.unreadable[stem] != nil }) else { return false }
    do {
      guard try !disk.exists(path(stem) + FileName.history) else { return false }
    } catch {
      throw unavailable(id, error)
    }
    state.withLock { state in
      state.unreadable[stem] = nil
      state.stems[id] = nil
    }
    return true
  }

  /// The error for a flow whose file is missing while its history is there.
  static func missing(_ stem: String, in flows: String) -> FlowStoreError {
    let path = "\(flows)/\(stem)"
    return FlowStoreError(
      .corrupted,
      """
      the flow's file \(path)\(FileName.flow) is missing, and nothing is written in its place: restore it from a \
      backup, or, to give up the flow, remove \(path)\(FileName.history) and reopen the store
      """)
  }

  func missing(_ stem: String) -> FlowStoreError { Self.missing(stem, in: "\(root)/\(Self.flowsDirectory)") }
}
