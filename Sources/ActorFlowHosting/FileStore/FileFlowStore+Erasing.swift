public import ActorFlow

extension FileFlowStore {
  /// Removes the bytes of a flow that are not needed any more from the disk, and returns when they are gone: all bytes of a
  /// deleted flow, and those of the earlier revisions of one that is stored.
  ///
  /// A write or a deletion leaves the earlier bytes in the log until its segments are rewritten, which may be never. This
  /// function rewrites the segments that have the flow, and removes the snapshot of the index. It also removes the bytes
  /// that damage or a crash left beside the log, because nothing says whose they are, and the flow's files of an earlier
  /// version. Other writes wait meanwhile.
  ///
  /// Call it after ``HostedFlow/redact(keeping:naming:reason:by:)``, or after the deletion of a flow, to remove what a person
  /// said from the disk. Of a flow that is stored and was not redacted, all that its state and its history have stays.
  ///
  /// If the function throws, some of the bytes may be left: call it again.
  ///
  /// - Throws: ``FlowStoreError``; that of the damage if the flow is damaged, `unavailable` if the disk fails.
  public func erase(_ id: FlowID) async throws {
    try await work { store throws(FlowStoreError) in
      try await store.onWriter { store throws(FlowStoreError) in try store.eraseNow(id) }
    }
  }

  private func eraseNow(_ id: FlowID) throws(FlowStoreError) {
    // The bytes of a damaged flow are what an operator may restore it from.
    let (isStored, damage) = state.withLock { state in (state.log[id] != nil, state.log.damage(of: id)) }
    if let damage { throw damage }
    _ = try changeFiles { files, lock throws(FlowStoreError) in try files.roll(lock) }
    do {
      try files.withLock { files throws(DiskError) in try files.dropSnapshot() }
      for segment in files.withLock({ $0.sealed }) where try has(id, in: segment) {
        try compact(segment, erasing: isStored ? nil : id)
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
