/// The decision which segment is rewritten next, so that what is superseded gives its space back.
enum CompactionRule {
  /// A sealed segment, with the bytes that are still needed.
  struct Use: Sendable, Equatable {
    var number: Int
    var bytes: Int
    var live: Int
  }

  /// The number of small segments that may stand beside each other.
  static let smallSegments = 8

  /// Returns the number of the segment to rewrite, or `nil` if rewriting gains too little.
  ///
  /// A segment of which less than half is needed gives back more than it costs. Small segments, which each opening
  /// leaves behind, are put together once there are many.
  static func next(_ sealed: [Use], limit: Int) -> Int? {
    let worst = sealed.min { $0.live * max(1, $1.bytes) < $1.live * max(1, $0.bytes) }
    if let worst, worst.live * 2 < worst.bytes { return worst.number }
    let small = sealed.filter { $0.bytes < limit / 8 }
    return small.count > smallSegments ? small.first?.number : nil
  }
}
