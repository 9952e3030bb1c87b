import ActorFlow

/// The end of the committed part of a flow's history, and the links that lead from there to every record.
///
/// The records are numbered from 1. Each links to the record before it, and to the record whose number is its own with
/// the lowest set bit cleared: from 13 to 12, from 12 to 8, from 8 to the beginning. So every record is found with some
/// hundred small reads at most, however long the history is, and without an index in memory.
struct HistoryEnd: Sendable, Equatable {
  /// The number of committed bytes; bytes after them were never acknowledged.
  var bytes: Int
  /// The number of bytes at the beginning that were written in format 1, whose records have no name.
  var unnamed: Int
  /// The name of the history, which all its later records repeat: the id of the commit that wrote the first of them.
  var name: CommitID?
  /// The number of records with the name.
  var count = 0
  /// The offsets of the last record with the name, and of all that are reached from it by clearing the lowest bit.
  var marks: [Int] = []

  /// The end of a history in format 1, or of an empty history.
  init(unnamed bytes: Int = 0) {
    (self.bytes, unnamed) = (bytes, bytes)
  }
}

extension HistoryEnd: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.int(&bytes)
    guard coder.format > 1 else {
      unnamed = bytes
      return
    }
    try coder.int(&unnamed)
    try coder.int(&count)
    try coder.code(&name)
    try coder.code(&marks)
    let isConsistent =
      unnamed >= 0 && bytes >= unnamed && count >= 0 && (name != nil) == (count > 0) && (count > 0 || bytes == unnamed)
      && marks.count == count.nonzeroBitCount && marks.allSatisfy { $0 >= unnamed && $0 < bytes }
    try coder.check(isConsistent, "the end of the history is inconsistent")
  }
}

extension CommitID: StoredPart {
  static var placeholder: Self { Self(.placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = CommitID(try coder.coded(bits))
  }
}
