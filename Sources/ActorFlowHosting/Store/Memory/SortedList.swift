/// A sorted set that is changed at any place: finding, inserting and removing move no more than one chunk of elements.
///
/// The order is that of the elements if they have one. Otherwise each call is given it, and it is the same at each call.
struct SortedList<Element: Equatable & Sendable>: Sendable {
  /// The elements in order; no chunk is empty.
  private var chunks: [[Element]] = []
  private(set) var count = 0
  private static var most: Int { 128 }

  init() {}

  /// Returns the place behind the elements that fit, which come before all others.
  private func place(behind fits: (Element) -> Bool) -> (chunk: Int, index: Int) {
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if let last = chunks[middle].last, fits(last) { low = middle + 1 } else { high = middle }
    }
    guard low < chunks.count else { return (low, 0) }
    return (low, Self.index(behind: fits, in: chunks[low]))
  }

  private static func index(behind fits: (Element) -> Bool, in chunk: [Element]) -> Int {
    var low = 0
    var high = chunk.count
    while low < high {
      let middle = (low + high) / 2
      if fits(chunk[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Inserts an element, unless an equal one is there.
  mutating func insert(_ element: Element, by precedes: (Element, Element) -> Bool) {
    guard let last = chunks.last?.last, !precedes(last, element) else { return append(element) }
    var (chunk, index) = place { precedes($0, element) }
    if chunks[chunk][index] == element { return }
    if chunks[chunk].count == Self.most {
      // Both halves are new arrays, which have no more space than they need.
      let half = Self.most / 2
      let (low, high) = (Array(chunks[chunk].prefix(half)), Array(chunks[chunk].suffix(Self.most - half)))
      chunks.replaceSubrange(chunk...chunk, with: [low, high])
      if index > half { (chunk, index) = (chunk + 1, index - half) }
    }
    chunks[chunk].insert(element, at: index)
    count += 1
  }

  /// Adds an element that comes after all others. Elements that come in order fill each chunk.
  private mutating func append(_ element: Element) {
    if let last = chunks.indices.last, chunks[last].count < Self.most {
      chunks[last].append(element)
    } else {
      chunks.append([element])
    }
    count += 1
  }

  mutating func remove(_ element: Element, by precedes: (Element, Element) -> Bool) {
    let (chunk, index) = place { precedes($0, element) }
    guard chunk < chunks.count, chunks[chunk][index] == element else { return }
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    count -= 1
  }

  var first: Element? { chunks.first?.first }

  /// Visits the elements behind those that fit, which come before all others, in order until `body` returns `false`.
  func visit(behind fits: (Element) -> Bool = { _ in false }, _ body: (Element) -> Bool) {
    var rest = elements(behind: fits)
    while let found = rest.next(), body(found) {}
  }

  /// The elements from a place on, in order.
  struct Elements: IteratorProtocol {
    fileprivate let chunks: [[Element]]
    fileprivate var place: (chunk: Int, index: Int)

    mutating func next() -> Element? {
      while place.chunk < chunks.count {
        if place.index < chunks[place.chunk].count {
          defer { place.index += 1 }
          return chunks[place.chunk][place.index]
        }
        place = (place.chunk + 1, 0)
      }
      return nil
    }
  }

  func elements(behind fits: (Element) -> Bool) -> Elements { Elements(chunks: chunks, place: place(behind: fits)) }
}

extension SortedList where Element: Comparable {
  /// Inserts an element, unless an equal one is there.
  mutating func insert(_ element: Element) { insert(element, by: <) }

  mutating func remove(_ element: Element) { remove(element, by: <) }

  func contains(_ element: Element) -> Bool {
    var rest = elements { $0 < element }
    return rest.next() == element
  }

  /// Visits the elements after `element`, or all of them, in order until `body` returns `false`.
  func visit(after element: Element?, _ body: (Element) -> Bool) {
    var rest = elements(after: element)
    while let found = rest.next(), body(found) {}
  }

  /// Visits the elements of several lists in order, as ``visit(after:_:)`` does; one that is in several of them once.
  static func visit(_ lists: [SortedList], after element: Element?, _ body: (Element) -> Bool) {
    if let only = lists.first, lists.count == 1 { return only.visit(after: element, body) }
    var rests = lists.map { $0.elements(after: element) }
    var heads = rests.indices.map { rests[$0].next() }
    while let least = heads.lazy.compactMap(\.self).min(), body(least) {
      for index in heads.indices where heads[index] == least { heads[index] = rests[index].next() }
    }
  }

  /// The elements after one, or all of them, in order.
  func elements(after element: Element?) -> Elements {
    elements { found in element.map { !($0 < found) } ?? false }
  }
}
