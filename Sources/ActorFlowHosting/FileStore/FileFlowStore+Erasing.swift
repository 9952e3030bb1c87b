public import ActorFlow

extension FileFlowStore {
  /// Removes all bytes of a deleted flow from the disk, and returns when they are gone.
  ///
  /// A deletion leaves the bytes in the log until its segments are rewritten, which may be never. This function rewrites
  /// the segments that have the flow, and removes the snapshot of the index. It also removes the bytes that damage or a crash left beside the log, because
  /// nothing says whose they are, and the flow's files of an earlier version. Other writes wait meanwhile.
  ///
  /// If the function throws, some of the bytes may be left: call it again.
  ///
  /// - Throws: ``FlowStoreError``; `conflict` if the flow is not deleted, `unavailable` if the disk fails.
  public func erase(_ id: FlowID) async throws {
    try await work { store throws(FlowStoreError) in
      try await store.onWriter { store throws(FlowStoreError) in try store.eraseNow(id) }
    }
  }

  private func eraseNow(_ id: FlowID) throws(FlowStoreError) {
    let isStored = state.withLock { state in state.log[id] != nil || state.log.damage(of: id) != nil }
    if isStored {
      throw FlowStoreError(.conflict, "the flow \(id.shown) is stored; delete it before its bytes are erased")
    }
    _ = try changeFiles { files, lock throws(FlowStoreError) in try files.roll(lock) }
    do {
      try files.withLock { files throws(DiskError) in try files.dropSnapshot() }
      for segment in files.withLock({ $0.sealed }) where try has(id, in: segment) {
        try compact(segment, erasing: id)
      }
      let aside = "\(files.withLock { $0.directory })/\(Self.asideDirectory)"
      if try disk.exists(aside) {
        for name in try disk.names(in: aside) { try disk.remove("\(aside)/\(name)") }
        try disk.syncDirectory(aside)
      }
      state.withLock { $0.tornTails = [] }
      try OldStore(root: root, disk: disk).remove(id)
    } catch {
      throw error as? FlowStoreError
        ?? FlowStoreError(.unavailable, "the flow \(id.shown) is not erased", underlying: error)
    }
  }

  /// Whether a segment may have bytes of a flow. A damaged one may.
  private func has(_ id: FlowID, in segment: Manifest.Segment) throws -> Bool {
    let bytes = try files.withLock { files in try files.bytes(of: segment) }
    return bytes.pieces(upTo: segment.length, after: UInt64(max(1, segment.firstGroup)) - 1).contains { piece in
      switch piece {
      case .damaged: true
      case .group(let group): group.entries.contains { $0.concerns(id) }
      }
    }
  }
}
