import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The parts of an epoch in each shard.
extension ShardedFlowStore {
  /// The time for which a note about a part stays after the part's beat is overdue.
  static var noteTime: TimeInterval { 86_400 }

  /// Returns the number that an epoch has in a shard; `nil` if it has no part there, or has ended.
  func part(of epoch: Fence, in number: Int) async throws -> Fence? {
    if number == 0 { return epoch }
    if let attached = epochs[epoch] { return attached.parts[number]?.fence }
    if let found = epochs.found(epoch, in: number) { return found }
    guard let note = try await shard(number).note(ShardEpochs.key(of: epoch)),
      let part = Int(String(decoding: note.bytes, as: UTF8.self))
    else { return nil }
    epochs.noteFound(Fence(part), of: epoch, in: number)
    return Fence(part)
  }

  /// Returns an epoch as a shard knows it; `nil` if this store could not attach the host there yet.
  ///
  /// For an epoch that is not known, returns a part that the shard refuses.
  func part(of epoch: Epoch, in number: Int) async throws -> Epoch? {
    let part = try await part(of: epoch.fence, in: number)
    if part == nil, epochs[epoch.fence] != nil { return nil }
    return Epoch(owner: epoch.owner, fence: part ?? ShardEpochs.none, until: epoch.until)
  }
}

extension ShardedFlowStore where Shard: LeasingFlowStore {
  /// Attaches a host to a shard as a part of an epoch that the first shard gave. A repetition has no other effect than a
  /// beat.
  func attachPart(
    of epoch: Fence, owner: String, for time: Duration, in number: Int
  ) async throws -> (part: ShardEpochs.Part, until: Date) {
    let shard = try await shard(number)
    let attempt = CommitID(RandomBits(high: 0, low: UInt64(bitPattern: Int64(epoch.number))))
    let part = try await shard.attach(owner: owner, for: time, as: attempt, after: nil)
    let note = Self.note(of: part)
    try await put(note, under: ShardEpochs.key(of: epoch), in: shard)
    return (ShardEpochs.Part(fence: part.fence, note: note), part.until)
  }

  private static func note(of part: Epoch) -> StoreNote {
    StoreNote(Array("\(part.fence)".utf8), until: part.until.addingTimeInterval(noteTime)).stored
  }

  private func put(_ note: StoreNote, under key: String, in shard: Shard) async throws {
    var old: StoreNote?
    while true {
      do { return try await shard.setNote(note, under: key, replacing: old) } catch let error as FlowStoreError
        where error.code == .conflict
      {
        let found = try await shard.note(key)
        guard found != old else { throw error }
        old = found
      }
    }
  }

  /// Makes the note about a part stay longer, once most of its time is over. Without the note, only processes that have
  /// not attached the host take its epoch for one that has ended.
  func renewNote(of part: Epoch, as whole: Fence, in number: Int) async {
    guard let old = epochs[whole]?.parts[number]?.note, let end = old.until,
      end < part.until.addingTimeInterval(Self.noteTime / 2)
    else { return }
    let note = Self.note(of: part)
    // The next beat tries it again.
    guard (try? await shards[number].setNote(note, under: ShardEpochs.key(of: whole), replacing: old)) != nil else {
      return
    }
    epochs.put(ShardEpochs.Part(fence: part.fence, note: note), of: whole, in: number)
  }

  /// Ends the parts of an epoch, and throws the first error after all were tried.
  func detachParts(of epoch: Epoch) async throws {
    let attached = epochs[epoch.fence]
    let results = await onEach(shards.indices) { shard, number in
      guard let part = try await self.part(of: epoch, in: number) else { return }
      try await shard.detach(part)
      if let note = attached?.parts[number]?.note {
        // Without this the note goes when its time is over.
        try? await shard.setNote(nil, under: ShardEpochs.key(of: epoch.fence), replacing: note)
      }
    }
    for (_, result) in results { try result.get() }
    epochs.forget(epoch.fence)
  }

  /// Returns the values of the shards that have answered, and notes the errors of the others.
  ///
  /// - Throws: The error of a shard that refused the call, such as `fenced`; any error if no shard has answered.
  func answered<Value: Sendable>(
    _ results: [(number: Int, result: Result<Value, any Error>)]
  ) throws -> [(number: Int, value: Value)] {
    var answers: [(number: Int, value: Value)] = []
    var (refusal, failure): ((any Error)?, (any Error)?) = (nil, nil)
    for (number, result) in results {
      switch result {
      case .success(let value):
        answers.append((number, value))
        failing.withLock { $0[number] = nil }
      case .failure(let error):
        if Self.isRefusal(error) {
          refusal = refusal ?? error
        } else {
          failure = failure ?? error
          failing.withLock { $0[number] = error }
        }
      }
    }
    if let refusal { throw refusal }
    if answers.isEmpty, let failure { throw failure }
    return answers
  }

  /// Whether a shard has answered with an error that its caller must get.
  static func isRefusal(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    switch (error as? FlowStoreError)?.code {
    case .fenced, .leased, .notFound, .misplaced: return true
    default: return false
    }
  }

  /// Returns the error of a shard to which a host is not attached.
  func notAttached(_ number: Int) -> FlowStoreError {
    FlowStoreError(
      .unavailable, "shards[\(number)] did not answer when the host attached; it is attached there with a later beat")
  }
}
