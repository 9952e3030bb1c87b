import ActorFlow

/// The parts that the epochs of hosts have in each shard.
///
/// An epoch has the number that the first shard gave it. Each other shard has given the host an epoch of its own, the
/// part of that shard, and has a note with the part's number, for a store that another process has opened.
final class ShardEpochs: Sendable {
  /// A fence that no shard gives.
  static let none = Fence(0)
  /// The number of parts that are remembered of epochs of other processes.
  private static let mostFound = 1_024

  struct Part: Sendable {
    let fence: Fence
    /// The note in the shard; `nil` for the first shard, which has none.
    var note: StoreNote?
  }

  /// An epoch that was attached with this store.
  struct Attached: Sendable {
    let owner: String
    /// The parts by the numbers of their shards. A part is missing if the shard did not answer.
    var parts: [Int: Part]
  }

  private struct Place: Hashable, Sendable {
    let shard: Int
    let fence: Fence
  }

  private struct State: Sendable {
    var attached: [Fence: Attached] = [:]
    /// The epochs of the parts of those.
    var wholes: [Place: Fence] = [:]
    /// The parts, by their epochs, that were found in notes.
    var found: [Place: Fence] = [:]

    mutating func forget(_ epoch: Fence) {
      guard let old = attached.removeValue(forKey: epoch) else { return }
      for (number, part) in old.parts { wholes[Place(shard: number, fence: part.fence)] = nil }
    }
  }

  private let state = Lock(State())

  /// Returns the key of the note about an epoch.
  static func key(of epoch: Fence) -> String { "\(ShardPlacement.ownKeys)epoch:\(epoch)" }

  subscript(epoch: Fence) -> Attached? { state.withLock { $0.attached[epoch] } }

  /// Remembers an epoch, instead of an earlier one of its owner.
  func put(_ epoch: Fence, _ attached: Attached) {
    state.withLock { state in
      for (fence, old) in state.attached where old.owner.hasBytes(of: attached.owner) { state.forget(fence) }
      state.attached[epoch] = attached
      for (number, part) in attached.parts { state.wholes[Place(shard: number, fence: part.fence)] = epoch }
    }
  }

  /// Remembers a part of an epoch that is still attached.
  func put(_ part: Part, of epoch: Fence, in shard: Int) {
    state.withLock { state in
      guard state.attached[epoch] != nil else { return }
      state.attached[epoch]?.parts[shard] = part
      state.wholes[Place(shard: shard, fence: part.fence)] = epoch
    }
  }

  func forget(_ epoch: Fence) { state.withLock { $0.forget(epoch) } }

  /// Returns the part of an epoch of another process that was found in a note.
  func found(_ epoch: Fence, in shard: Int) -> Fence? {
    state.withLock { $0.found[Place(shard: shard, fence: epoch)] }
  }

  func noteFound(_ part: Fence, of epoch: Fence, in shard: Int) {
    state.withLock { state in
      if state.found.count >= Self.mostFound { state.found = [:] }
      state.found[Place(shard: shard, fence: epoch)] = part
    }
  }

  /// Returns a change in a shard as hosts know it; `nil` if it is for the host of another process.
  func translated(_ change: StoreChange, in shard: Int) -> StoreChange? {
    guard case .wanted(let id, let part) = change else { return change }
    return state.withLock { $0.wholes[Place(shard: shard, fence: part)] }.map { .wanted(id, under: $0) }
  }
}
