import ActorFlow
import Dispatch

/// The thread that writes: it forms a group of all writes that wait, and acknowledges them after one sync.
extension FileFlowStore {
  /// The greatest number of bytes of a group of several writes.
  private static let groupBytes = 4 << 20

  typealias Outcome = Result<WriteQueue.Ending, FlowStoreError>

  /// Writes changes as one group, together with those that wait at the same time; returns when they are on the disk.
  ///
  /// The writes are done even if the task is cancelled.
  ///
  /// - Returns: The outcome of each change.
  func write(_ changes: [LogChange]) async -> [Outcome] {
    guard !changes.isEmpty else { return [] }
    return await withCheckedContinuation { (done: CheckedContinuation<[Outcome], Never>) in
      let outcomes = Lock((missing: changes.count, found: [Outcome?](repeating: nil, count: changes.count)))
      submit(
        changes.enumerated().map { index, change in
          WriteQueue.Member(change: change) { outcome in
            let all = outcomes.withLock { outcomes -> [Outcome]? in
              outcomes.found[index] = outcome
              outcomes.missing -= 1
              return outcomes.missing == 0 ? outcomes.found.compactMap { $0 } : nil
            }
            if let all { done.resume(returning: all) }
          }
        })
    }
  }

  private func submit(_ members: [WriteQueue.Member]) {
    let (replies, begins) = state.withLock { state in
      (members.compactMap { state.queue.submit($0, state.log) }, state.queue.begins())
    }
    if begins { writer.async { self.drain() } }
    for reply in replies { reply.deliver() }
  }

  /// Does work on the thread that writes, between two groups.
  func onWriter<Value: Sendable>(
    _ body: @escaping @Sendable (FileFlowStore) throws(FlowStoreError) -> Value
  ) async throws(FlowStoreError) -> Value {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, FlowStoreError>, Never>) in
      writer.async {
        done.resume(returning: Result { () throws(FlowStoreError) in try body(self) })
      }
    }
    return try result.get()
  }

  /// Changes what is stored and its index at once, for readers of either.
  ///
  /// A caller that has read a flow finds it in a list no older, and the other way round. This is the only place that
  /// holds both locks; the index comes first.
  func change<Value>(_ body: (inout State, inout FlowIndex) -> Value) -> Value {
    index.withLock { index in
      state.withLock { state in body(&state, &index) }
    }
  }

  private func drain() {
    let isApart = files.withLock { $0.lacksReserve }
    guard let members = state.withLock({ $0.queue.next(upTo: Self.groupBytes, apart: isApart) }) else { return }
    let replies: [WriteQueue.Reply]
    var ended = members
    let result: Result<WriteQueue.Ending, FlowStoreError>
    let shortage = shortage(for: members)
    do throws(FlowStoreError) {
      if let shortage { throw shortage }
      let group = try append { number in
        var draft = LogDraft()
        for member in members { member.change.add(to: &draft, number) }
        return draft
      }
      let now = clock.now
      replies = change { state, index in
        state.adopt(members.map(\.change), group)
        for member in members { index.adopt(member.change) }
        state.log.sweepNotes(at: now)
        return state.queue.finish(true, state.log)
      }
      result = .success(.written)
    } catch {
      // Those that may use the reserve come again without the others.
      var repeated: [WriteQueue.Member] = []
      if shortage != nil || error.isOfFullDisk && releasesReserve() {
        repeated = members.filter(\.change.mayUseReserve)
        ended.removeAll(where: \.change.mayUseReserve)
      }
      replies = state.withLock { $0.queue.finish(false, $0.log, repeating: repeated) }
      result = .failure(error.isOfFullDisk ? fullDisk(error) : error)
    }
    for member in ended { member.done(result) }
    for reply in replies { reply.deliver() }
    compactIfUseful()
    if files.withLock({ $0.isSnapshotDue }) { saveIndex() }
    // The next group is another job, so that other work on this thread comes between two groups.
    writer.async { self.drain() }
  }

  /// The reason why these writes cannot be tried, if there is one: while the reserve is gone, only those that may use it
  /// are written.
  private func shortage(for members: [WriteQueue.Member]) -> FlowStoreError? {
    if members.allSatisfy(\.change.mayUseReserve) { return nil }
    do { try files.withLock { files throws(DiskError) in try files.holdReserve() } } catch {
      return FlowStoreError(.unavailable, "there is no reserve", underlying: error)
    }
    return nil
  }

  /// Gives the reserve back to the disk; returns whether there was one.
  private func releasesReserve() -> Bool {
    files.withLock { files in
      defer { files.releaseReserve() }
      return files.hasReserve
    }
  }

  private func fullDisk(_ error: FlowStoreError) -> FlowStoreError {
    FlowStoreError(
      .unavailable,
      """
      the disk of \(root) is full: free space, or delete ended flows. Until then, only what leaves a step or a flow and \
      what deletes a flow is written
      """, underlying: error.underlying)
  }

  /// Writes a group of copies, which will make room; the reserve is used if the disk is full.
  func appendCopies(_ copies: LogDraft) throws(FlowStoreError) -> LogGroup {
    do { return try append { _ in copies } } catch {
      guard error.isOfFullDisk, releasesReserve() else { throw error }
    }
    return try append { _ in copies }
  }

  /// Writes a group, and updates the files that are read.
  func append(_ draft: (UInt64) -> LogDraft) throws(FlowStoreError) -> LogGroup {
    try changeFiles { files, lock throws(FlowStoreError) in try files.append(draft(files.nextGroup), lock) }
  }

  /// Writes a snapshot of the index, so that the next opening need not read the log.
  ///
  /// Nothing depends on it: if it fails, the next opening reads more.
  func saveIndex() {
    // Only this thread adds to the log, so both are of the same moment.
    let log = state.withLock { $0.log }
    let flows = index.withLock { $0 }
    _ = try? changeFiles { files, lock throws(FlowStoreError) in try? files.save(log, flows, lock) }
  }

  func changeFiles<Value: Sendable>(
    _ body: (inout LogFiles, DirectoryLock?) throws(FlowStoreError) -> Value
  ) throws(FlowStoreError) -> Value {
    let lock = state.withLock { $0.lock }
    // Only this thread has the lock of the files for long.
    let (result, readable) = files.withLock { files in
      let version = files.version
      let result = Result { () throws(FlowStoreError) in try body(&files, lock) }
      return (result, files.version == version ? nil : files.readable)
    }
    if let readable { state.withLock { $0.segments = readable } }
    return try result.get()
  }
}

extension FileFlowStore.State {
  /// Adopts the changes of a group that is on the disk.
  fileprivate mutating func adopt(_ changes: [LogChange], _ group: LogGroup) {
    var places = group.places[...]
    for change in changes {
      switch change {
      case .commit(let commit, _):
        let id = commit.flow.id
        if !commit.history.isEmpty, let place = places.popFirst() {
          log.add(
            LogState.Span(
              place: place, revision: commit.flow.revision.number, first: commit.first, group: group.number), to: id)
        }
        for value in commit.values {
          guard let place = places.popFirst() else { break }
          log.add(LogState.Value(place: place, group: group.number), value.number, to: id)
        }
        if let place = places.popFirst() {
          log.put(
            id, commit.flow.revision, by: commit.commit, naming: commit.flow.snapshot.valueNumbers, at: place,
            in: group.number)
        }
      case .delete(let id, _), .giveUp(let id):
        _ = places.popFirst()
        log.delete(id, before: group.number)
      case .note(let key, let note, _):
        let place = places.popFirst()
        log.set(note.flatMap { note in place.map { LogState.Note(note: note, place: $0) } }, under: key)
      }
    }
  }
}

extension FlowIndex {
  fileprivate mutating func adopt(_ change: LogChange) {
    switch change {
    case .commit(let commit, _): put(commit.flow)
    case .delete(let id, _), .giveUp(let id): remove(id)
    case .note: break
    }
  }
}

extension LogFiles {
  /// The open segments, with what is needed to read them.
  var readable: [UInt32: FileFlowStore.Segment] {
    manifest.segments.reduce(into: [:]) { found, segment in
      let number = UInt32(segment.number)
      if let file = segments[number] { found[number] = FileFlowStore.Segment(file: file, salt: segment.salt) }
    }
  }
}
