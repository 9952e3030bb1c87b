/// Places for the shapes of a diagram: rows from the top to the bottom, each shape below all that lead to it.
///
/// Whole numbers of pixels, so that the same diagram gives the same text on every machine.
struct DiagramLayout {
  struct Box {
    /// The center.
    var x = 0
    var y = 0
    var width: Int
    var height: Int

    var left: Int { x - width / 2 }
    var right: Int { x + width / 2 }
    var top: Int { y - height / 2 }
    var bottom: Int { y + height / 2 }
  }

  private(set) var boxes: [Box]
  private(set) var rows: [Int]
  private(set) var width = 0
  private(set) var height = 0

  static let lineHeight = 16
  /// The width of a character, about: the text is in the middle, so that it need not be exact.
  static let characterWidth = 8
  private static let gap = (x: 40, y: 56)
  private static let margin = 24

  init(_ diagram: Diagram) {
    boxes = diagram.shapes.map { shape in
      let lines = shape.lines
      let longest = lines.map(\.count).max() ?? 0
      return Box(
        width: max(48, longest * Self.characterWidth + 24), height: lines.count * Self.lineHeight + 20)
    }
    rows = Array(repeating: 0, count: boxes.count)
    // Arrows that do not lead back go from a shape to a later one, so one pass sets every row.
    for arrow in diagram.arrows.filter({ !$0.isReturn && $0.from < $0.to }).sorted(by: { $0.to < $1.to }) {
      rows[arrow.to] = max(rows[arrow.to], rows[arrow.from] + 1)
    }
    place(side: Self.sideWidth(of: diagram, rows))
  }

  /// Returns the width of the margins, in which the arrows run that pass over rows or lead back.
  private static func sideWidth(of diagram: Diagram, _ rows: [Int]) -> Int {
    let labels = diagram.arrows.filter { $0.isReturn || rows[$0.to] - rows[$0.from] > 1 }.map(\.label.count)
    return labels.max().map { margin + 24 + $0 * characterWidth } ?? margin
  }

  private mutating func place(side: Int) {
    var members: [[Int]] = Array(repeating: [], count: (rows.max() ?? 0) + 1)
    for (shape, row) in rows.enumerated() { members[row].append(shape) }
    let widths = members.map { row in
      row.reduce(0) { $0 + boxes[$1].width } + max(0, row.count - 1) * Self.gap.x
    }
    let inner = widths.max() ?? 0
    width = inner + 2 * side
    var top = Self.margin
    for (row, shapes) in members.enumerated() {
      let tallest = shapes.map { boxes[$0].height }.max() ?? 0
      var left = side + (inner - widths[row]) / 2
      for shape in shapes {
        boxes[shape].x = left + boxes[shape].width / 2
        boxes[shape].y = top + tallest / 2
        left += boxes[shape].width + Self.gap.x
      }
      top += tallest + Self.gap.y
    }
    height = top - Self.gap.y + Self.margin
  }

  /// Returns the left and the right edge of all shapes in these rows.
  func edges(of range: ClosedRange<Int>) -> (left: Int, right: Int) {
    var (left, right) = (Int.max, 0)
    for (shape, row) in rows.enumerated() where range.contains(row) {
      (left, right) = (min(left, boxes[shape].left), max(right, boxes[shape].right))
    }
    return left > right ? (0, width) : (left, right)
  }
}

extension Diagram.Shape {
  /// The lines of text in the shape.
  var lines: [Substring] {
    ([label] + notes).flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
  }
}
