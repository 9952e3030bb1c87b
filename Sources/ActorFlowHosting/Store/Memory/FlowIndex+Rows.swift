// Lists of an index have rows of its table, in the order of their names.

extension SortedList<FlowIndex.Row> {
  mutating func insert(_ row: Element, of rows: FlowIndex.Rows) { insert(row) { rows.precedes($0, $1) } }

  mutating func remove(_ row: Element, of rows: FlowIndex.Rows) { remove(row) { rows.precedes($0, $1) } }
}

extension SortedList<FlowIndex.TimedRow> {
  mutating func insert(_ timed: Element, of rows: FlowIndex.Rows) {
    insert(timed) { $0.time == $1.time ? rows.precedes($0.row, $1.row) : $0.time < $1.time }
  }

  mutating func remove(_ timed: Element, of rows: FlowIndex.Rows) {
    remove(timed) { $0.time == $1.time ? rows.precedes($0.row, $1.row) : $0.time < $1.time }
  }
}

extension Dictionary where Value == SortedList<FlowIndex.Row> {
  mutating func insert(_ row: FlowIndex.Row, of rows: FlowIndex.Rows, under key: Key) {
    self[key, default: SortedList()].insert(row, of: rows)
  }

  mutating func remove(_ row: FlowIndex.Row, of rows: FlowIndex.Rows, under key: Key) {
    self[key]?.remove(row, of: rows)
    if self[key]?.count == 0 { self[key] = nil }
  }
}
