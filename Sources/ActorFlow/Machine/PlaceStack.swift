/// The private stack of places, as a value: cheap to copy, constant cost to push and pop at any depth.
///
/// The newest places stand in an array; whenever it is full it becomes a chunk in a linked list. So no push ever moves
/// more than one chunk, and freeing a million places is a loop (see ``VisitNode``).
package struct PlaceStack: Sendable {
  private final class Chunk: Sendable {
    let below: Chunk?
    let places: ContiguousArray<Place>

    init(_ places: ContiguousArray<Place>, below: Chunk?) {
      self.places = places
      self.below = below
    }
  }

  /// Small enough that a chunk comes from the allocator's fast path.
  private static let chunkSize = 8

  private var newest: ContiguousArray<Place> = []
  private var older: Chunk?
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// A copy of the top place. Where only a part is wanted, ``readTop(_:)`` copies less.
  package var top: Place? { readTop { $0 } }

  /// Looks at the top place where it stands; nil if there is none.
  @inline(__always)
  package func readTop<Result>(_ look: (borrowing Place) -> Result) -> Result? {
    if !newest.isEmpty { return look(newest[newest.count - 1]) }
    guard let older else { return nil }
    return look(older.places[older.places.count - 1])
  }

  package mutating func push(_ place: Place) {
    if newest.count == Self.chunkSize {
      older = Chunk(newest, below: older)
      newest = []
    }
    if newest.isEmpty { newest.reserveCapacity(Self.chunkSize) }
    newest.append(place)
    count += 1
  }

  package mutating func pop() -> Place? {
    unfold()
    guard let place = newest.popLast() else { return nil }
    count -= 1
    return place
  }

  /// Changes the top place; nil if there is none.
  package mutating func withTop<Result>(_ change: (inout Place) -> Result) -> Result? {
    unfold()
    guard !newest.isEmpty else { return nil }
    return change(&newest[newest.count - 1])
  }

  /// The depth of the nearest place below the top for which `decide` does not return nil, and what it returned.
  package func search<Result>(belowTop decide: (Place) -> Result?) -> (depth: Int, Result)? {
    var depth = count - 1
    var (chunk, next) = (newest, older)
    var isTop = true
    while true {
      for place in chunk.reversed() {
        if !isTop, let result = decide(place) { return (depth, result) }
        isTop = false
        depth -= 1
      }
      guard let older = next else { return nil }
      (chunk, next) = (older.places, older.below)
    }
  }

  /// Brings the topmost chunk back when the array has run empty.
  private mutating func unfold() {
    guard newest.isEmpty, let chunk = older else { return }
    newest = chunk.places
    older = chunk.below
  }
}
