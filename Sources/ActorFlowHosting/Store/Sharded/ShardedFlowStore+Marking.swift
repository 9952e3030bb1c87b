import ActorFlow

// The marks of the shards, which are checked before a shard is called for the first time.
extension ShardedFlowStore {
  /// Checks the marks of all shards. Those that do not answer are checked before their first call.
  func checkAll() async throws {
    var failure: (any Error)?
    for number in shards.indices {
      do { try await check(number) } catch {
        if (error as? FlowStoreError)?.code == .misplaced { throw error }
        failure = failure ?? error
      }
    }
    if let failure, !shards.indices.contains(where: isMarked) { throw failure }
  }

  /// Whether the mark of a shard was found to be right.
  func isMarked(_ number: Int) -> Bool { marked.withLock { $0.numbers.contains(number) } }

  /// Checks the mark of a shard; makes the marks of all shards if it has none.
  func check(_ number: Int) async throws {
    await marking.lock()
    defer { marking.unlock() }
    guard !isMarked(number) else { return }
    if let mark = try await mark(of: number), mark.isComplete {
      try mark.check(isOf: number, of: shards.count, in: marked.withLock { $0.set })
      marked.withLock { marked in
        marked.numbers.insert(number)
        marked.set = mark.set
      }
      return
    }
    // Another process may make marks at the same time; each conflict with it is a mark that it has made.
    for _ in 0..<(4 * shards.count) {
      guard let set = try await makeMarks() else { continue }
      marked.withLock { $0 = (Set(shards.indices), set) }
      return
    }
    throw FlowStoreError(.unavailable, "other processes change the marks of the shards again and again")
  }

  private func mark(of number: Int) async throws -> ShardMark? {
    let note: StoreNote?
    do { note = try await shards[number].note(ShardMark.key) } catch { throw notMarked(number, error) }
    return try note.map { note throws(FlowStoreError) in try ShardMark(note, of: number) }
  }

  /// Makes the marks of all shards.
  ///
  /// - Returns: The set of the shards; `nil` if another process has made a mark meanwhile.
  private func makeMarks() async throws -> CommitID? {
    var marks: [Int: ShardMark] = [:]
    var empty: [Int] = []
    var failure: (any Error)?
    var known = marked.withLock { $0.set }
    for number in shards.indices {
      do {
        if let mark = try await mark(of: number) {
          try mark.check(isOf: number, of: shards.count, in: known)
          known = mark.set
          marks[number] = mark
        } else {
          empty.append(number)
        }
      } catch {
        if (error as? FlowStoreError)?.code == .misplaced { throw error }
        failure = failure ?? error
      }
    }
    if let number = empty.first, let used = shards.indices.first(where: { marks[$0]?.isComplete == true }) {
      // Another process may have made it since.
      guard try await mark(of: number) == nil else { return nil }
      throw FlowStoreError(
        .misplaced,
        "shards[\(number)] has no mark, but shards[\(used)] was used before as one of \(shards.count); the first was "
          + "emptied or is another store: pass the right one, or restore it")
    }
    if let failure { throw failure }
    let set = known ?? CommitID()
    for number in empty {
      guard try await beginMark(ShardMark(of: set, number: number, count: shards.count)) else { return nil }
    }
    for number in shards.indices where marks[number]?.isComplete != true {
      var mark = ShardMark(of: set, number: number, count: shards.count)
      let begun = mark.note
      mark.isComplete = true
      guard try await put(mark.note, in: number, replacing: begun) else { return nil }
    }
    return set
  }

  /// Gives a shard its mark if it has no flows.
  ///
  /// - Returns: False if another process has given it one meanwhile.
  private func beginMark(_ mark: ShardMark) async throws -> Bool {
    let isUsed: Bool
    do { isUsed = try await !shards[mark.number].list(FlowQuery(), after: nil, limit: 1).flows.isEmpty } catch {
      throw notMarked(mark.number, error)
    }
    // With one shard, every flow is where it belongs.
    if isUsed, mark.count > 1 {
      guard try await self.mark(of: mark.number) == nil else { return false }
      throw FlowStoreError(
        .misplaced,
        "shards[\(mark.number)] has flows, and was not a shard before; its flows would not be found: begin with stores "
          + "without flows")
    }
    return try await put(mark.note, in: mark.number, replacing: nil)
  }

  private func put(_ note: StoreNote, in number: Int, replacing old: StoreNote?) async throws -> Bool {
    do {
      try await shards[number].setNote(note, under: ShardMark.key, replacing: old)
      return true
    } catch let error as FlowStoreError where error.code == .conflict {
      return false
    } catch { throw notMarked(number, error) }
  }

  /// Returns the error of a shard that cannot be marked. No call of a caller was begun, so its outcome is known.
  private func notMarked(_ number: Int, _ error: any Error) -> FlowStoreError {
    FlowStoreError(
      .unavailable,
      "the mark of shards[\(number)] cannot be read or made; all shards have to answer the first time that they are used",
      underlying: error)
  }
}
