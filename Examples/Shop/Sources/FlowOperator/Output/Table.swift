/// Rows with aligned columns, under a line of headings.
struct Table {
  private let headings: [String]
  private var rows: [[String]] = []

  init(_ headings: String...) { self.headings = headings }

  init(_ headings: [String]) { self.headings = headings }

  var isEmpty: Bool { rows.isEmpty }

  /// Adds a row. A value that is missing is a dash.
  mutating func add(_ values: String?...) {
    rows.append(values.map { value in value.map { $0.visible.onOneLine } ?? "-" })
  }

  /// The lines, without spaces at their ends, and first that of the headings.
  var lines: [String] {
    let all = [headings] + rows
    let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      var line = ""
      for (text, width) in zip(row, widths) { line += text + String(repeating: " ", count: width - text.count + 2) }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

extension Console {
  /// Prints a table, unless it has no rows.
  ///
  /// - Parameter isFirst: Whether it is the first page of its list, which has the headings.
  func print(_ table: Table, isFirst: Bool = true) throws {
    guard !table.isEmpty else { return }
    for line in table.lines.dropFirst(isFirst ? 0 : 1) { try print(line) }
  }
}
