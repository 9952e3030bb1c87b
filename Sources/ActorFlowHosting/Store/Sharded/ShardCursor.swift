import ActorFlow

/// The places of a merged list in the lists of all shards, as the cursor of a page.
///
/// A cursor has one cursor of each shard, so it grows with their number and not with the list.
struct ShardCursor: Sendable, Equatable {
  /// A place in the list of one shard.
  enum Place: Sendable, Equatable {
    case start
    case after(String)
    /// Behind the last page.
    case end

    /// The cursor of the shard.
    var cursor: String? {
      if case .after(let cursor) = self { cursor } else { nil }
    }
  }

  /// The list that the cursor is of: cursors of other lists may look the same, such as those in front of all flows.
  let list: String
  var places: [Place]

  init(_ list: String, _ places: [Place]) { (self.list, self.places) = (list, places) }

  /// Reads what ``description`` wrote; without a text, the start of the list.
  ///
  /// - Throws: ``FlowStoreError`` with the code `notFound` if the text is the cursor of another list, or none.
  init(_ list: String, _ text: String?, of count: Int) throws(FlowStoreError) {
    guard let text else {
      self.init(list, [Place](repeating: .start, count: count))
      return
    }
    let parts = try StoreCursor(text, parts: count + 1).parts
    guard parts[0] == list else { throw StoreCursor.malformed }
    var places: [Place] = []
    for part in parts.dropFirst() {
      switch part.utf8.first {
      case UInt8(ascii: "<") where part.utf8.count == 1: places.append(.start)
      case UInt8(ascii: ">") where part.utf8.count == 1: places.append(.end)
      case UInt8(ascii: "="): places.append(.after(String(Substring(part.utf8.dropFirst()))))
      default: throw StoreCursor.malformed
      }
    }
    self.init(list, places)
  }

  var description: String {
    let parts = places.map { place in
      switch place {
      case .start: "<"
      case .after(let cursor): "=" + cursor
      case .end: ">"
      }
    }
    return StoreCursor([list] + parts).description
  }

  var isAtEnd: Bool { places.allSatisfy { $0 == .end } }
}
