import ActorFlow

/// Flows in the order of their latest changes.
///
/// A store makes it when changes are read for the first time, and keeps it up to date from then on.
struct ChangeOrder: Sendable {
  /// A flow with the number of its latest change. Several flows may have changed at once.
  struct Place: Comparable, Sendable {
    let number: UInt64
    /// `nil` for the place behind all flows with this number.
    let flow: TextKey?

    static func < (left: Place, right: Place) -> Bool {
      guard left.number == right.number else { return left.number < right.number }
      guard let first = left.flow else { return false }
      return right.flow.map { first < $0 } ?? true
    }
  }

  private var places = SortedList<Place>()
  private var numbers: [TextKey: UInt64] = [:]

  /// The order of these flows.
  init(_ flows: some Sequence<(id: FlowID, number: UInt64)>) {
    for place in flows.map({ Place(number: $0.number, flow: TextKey($0.id.description)) }).sorted() {
      places.insert(place)
      if let flow = place.flow { numbers[flow] = place.number }
    }
  }

  /// Notes a change; its number is that of the latest change of any flow, or a later one.
  mutating func put(_ id: FlowID, _ number: UInt64) {
    remove(id)
    let flow = TextKey(id.description)
    places.insert(Place(number: number, flow: flow))
    numbers[flow] = number
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
    var page = ChangePage(changes: [], cursor: Self.end(last))
    places.visit(after: start) { place in
      guard let name = place.flow, let flow = summary(FlowID(name.text)), query.matches(flow) else { return true }
      page.changes.append(FlowChange(flow: flow, cursor: place.cursor))
      guard page.changes.count >= max(1, limit) else { return true }
      page.cursor = place.cursor
      return false
    }
    return page
  }

  /// The cursor behind all changes.
  static func end(_ last: UInt64) -> String { Place(number: last, flow: nil).cursor }
}

extension ChangeOrder.Place {
  /// The number and the flow's id behind a mark, or nothing there for the place behind all flows of the number.
  fileprivate var cursor: String { StoreCursor([String(number), flow.map { "=" + $0.text } ?? ""]).description }

  fileprivate init(cursor: String, last: UInt64) throws(FlowStoreError) {
    let parts = try StoreCursor(cursor, parts: 2).parts
    guard let number = UInt64(parts[0]), parts[1].isEmpty || parts[1].utf8.first == UInt8(ascii: "=") else {
      throw StoreCursor.malformed
    }
    self.init(number: number, flow: parts[1].isEmpty ? nil : TextKey(String(Substring(parts[1].utf8.dropFirst()))))
    guard number <= last else { throw StoreCursor.isAhead }
  }
}
