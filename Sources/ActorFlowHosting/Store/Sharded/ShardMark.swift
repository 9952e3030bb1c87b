import ActorFlow

/// The mark of a shard: which one it is, of how many, and of which set.
///
/// Marks are made in two steps, so that a shard that was emptied or replaced is told from one that has never been used.
/// First each shard gets a mark that is not complete. When all have one, each mark is made complete. So beside a complete
/// mark there is no shard without a mark.
struct ShardMark: Sendable, Equatable {
  static let key = ShardPlacement.ownKeys + "mark"
  private static let format = "1"

  /// The set, by a number that was drawn when it was first used.
  let set: CommitID
  let number: Int
  let count: Int
  var isComplete: Bool

  init(of set: CommitID, number: Int, count: Int, isComplete: Bool = false) {
    (self.set, self.number, self.count, self.isComplete) = (set, number, count, isComplete)
  }

  var note: StoreNote {
    StoreNote(Array("\(Self.format) \(set) \(number) \(count) \(isComplete ? "complete" : "begun")".utf8))
  }

  /// Reads the mark of a shard.
  ///
  /// - Throws: ``FlowStoreError`` with the code `unsupportedFormat` for a note that this version does not know.
  init(_ note: StoreNote, of number: Int) throws(FlowStoreError) {
    let parts = String(decoding: note.bytes, as: UTF8.self).split(separator: " ")
    guard parts.count == 5, parts[0] == Self.format, let set = CommitID(String(parts[1])), let own = Int(parts[2]),
      let count = Int(parts[3]), parts[4] == "complete" || parts[4] == "begun"
    else {
      throw FlowStoreError(
        .unsupportedFormat, "the mark of shards[\(number)] was written by a newer version of this module; use that")
    }
    self.init(of: set, number: own, count: count, isComplete: parts[4] == "complete")
  }

  /// Checks that this is the mark of shard `number` of `count`, in this set if it is known.
  ///
  /// - Throws: ``FlowStoreError`` with the code `misplaced`.
  func check(isOf number: Int, of count: Int, in set: CommitID?) throws(FlowStoreError) {
    guard self.count == count else {
      throw FlowStoreError(
        .misplaced,
        "shards[\(number)] was marked as one of \(self.count) shards, and \(count) were passed; pass as many as the "
          + "first time, because their number decides where each flow is")
    }
    guard self.number == number else {
      throw FlowStoreError(
        .misplaced,
        "shards[\(number)] was marked as shards[\(self.number)]; pass each shard once, in the order that they had the "
          + "first time")
    }
    guard set == nil || self.set == set else {
      throw FlowStoreError(
        .misplaced, "shards[\(number)] belongs to another set of shards than the others; do not mix shards of two sets")
    }
  }
}
