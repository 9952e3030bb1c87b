import ActorFlow

/// Flows in the order of their latest changes.
///
/// A store makes it when changes are read for the first time, and keeps it up to date from then on.
struct ChangeOrder: Sendable {
  /// A flow with the number of its latest change. Several flows may have changed at once.
  struct Place: Comparable, Sendable {
    let number: UInt64
    let flow: TextKey

    static func < (left: Place, right: Place) -> Bool {
      left.number == right.number ? left.flow < right.flow : left.number < right.number
    }
  }

  private var places = SortedList<Place>()
  private var numbers: [TextKey: UInt64] = [:]

  /// The order of these flows.
  init(_ flows: some Sequence<(id: FlowID, number: UInt64)>) {
    for place in flows.map({ Place(number: $0.number, flow: TextKey($0.id.description)) }).sorted() {
      places.insert(place)
      numbers[place.flow] = place.number
    }
  }

  /// Notes a change; its number is that of the latest change of any flow, or a later one.
  mutating func put(_ id: FlowID, _ number: UInt64) {
    remove(id)
    let place = Place(number: number, flow: TextKey(id.description))
    places.insert(place)
    numbers[place.flow] = number
  }

  mutating func remove(_ id: FlowID) {
    let flow = TextKey(id.description)
    if let old = numbers.removeValue(forKey: flow) { places.remove(Place(number: old, flow: flow)) }
  }

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - cursor: The cursor after which the page begins; `nil` for the beginning.
  ///   - last: The number of the latest change of any flow, also of one that was deleted since.
  ///   - summary: A closure that returns a flow as lists have it, or `nil` if it cannot be read.
  /// - Throws: ``FlowStoreError`` with the code `notFound` if the cursor is not from this store.
  func page(
    of query: FlowQuery, after cursor: String?, last: UInt64, limit: Int, _ summary: (FlowID) -> FlowSummary?
  ) throws(FlowStoreError) -> ChangePage {
    let start = try cursor.map { (text) throws(FlowStoreError) in try Place(cursor: text, last: last) }
    var page = ChangePage(changes: [], cursor: Place.end(last).cursor)
    if let start, start > .end(last) { page.cursor = start.cursor }
    places.visit(after: start) { place in
      guard let flow = summary(FlowID(place.flow.text)), query.matches(flow) else { return true }
      page.changes.append(FlowChange(flow: flow, cursor: place.cursor))
      guard page.changes.count >= max(1, limit) else { return true }
      page.cursor = place.cursor
      return false
    }
    return page
  }

  /// The cursor behind all changes.
  static func end(_ last: UInt64) -> String { Place.end(last).cursor }
}

extension ChangeOrder.Place {
  /// The place behind all changes up to a number, before those of the next one.
  fileprivate static func end(_ number: UInt64) -> Self { Self(number: number + 1, flow: TextKey("")) }

  fileprivate var cursor: String { StoreCursor([String(number), flow.text]).description }

  fileprivate init(cursor: String, last: UInt64) throws(FlowStoreError) {
    let parts = try StoreCursor(cursor, parts: 2).parts
    guard let number = UInt64(parts[0]) else { throw StoreCursor.malformed }
    self.init(number: number, flow: TextKey(parts[1]))
    guard self <= .end(last) else { throw StoreCursor.isAhead }
  }
}
