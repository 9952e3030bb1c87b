import ActorFlow

/// The rule that says in which shard a flow or a note is. It must never change: stored flows would not be found.
struct ShardPlacement: Sendable {
  /// The greatest number of shards.
  static let most = 256
  /// The beginning of the keys of the notes that shards have for themselves.
  static let ownKeys = "shard:"

  /// The number of shards.
  let count: Int

  /// Returns the number of the shard that has a flow.
  func shard(of id: FlowID) -> Int { shard(of: id.description) }

  private func shard(of text: String) -> Int { Int(Self.hash(text) % UInt64(count)) }

  /// Returns the hash of an id.
  static func hash(_ text: String) -> UInt64 {
    let words = SHA256.hash(Array(text.utf8))
    return UInt64(words[0]) << 32 | UInt64(words[1])
  }

  /// Returns the number of the shard that has a note. The note of a deleted flow is where the flow was, so that a start
  /// needs one shard only.
  func shard(ofNote key: String) -> Int { FlowHost.deletedFlow(ofNote: key).map(shard(of:)) ?? 0 }

  /// Returns the key of a note within its shard. The notes of shards that are sharded stores themselves, and so have
  /// the same keys, are told apart.
  static func key(ofNote key: String) -> String {
    key.utf8.starts(with: ownKeys.utf8) ? "\(ownKeys)=\(key)" : key
  }

  /// Returns the shares of the shards when they do `limit` of something together, beginning with the first of them.
  static func shares(of limit: Int, among numbers: [Int]) -> [(number: Int, share: Int)] {
    numbers.enumerated().map { place, number in
      (number, limit / numbers.count + (place < limit % numbers.count ? 1 : 0))
    }
  }
}
