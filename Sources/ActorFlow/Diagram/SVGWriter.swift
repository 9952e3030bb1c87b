/// Writes a diagram as SVG, in a layout of its own. The picture has no styles and no scripts, so that it may stand on a
/// page that allows neither.
enum SVGWriter {
  static func text(of diagram: Diagram) -> String {
    let layout = DiagramLayout(diagram)
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(layout.width) \(layout.height)" width="\(layout.width)" \
      height="\(layout.height)" role="img" font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">
      """,
      """
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
      orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
      """,
    ]
    for item in diagram.items { frames(item, diagram, layout, &lines) }
    lines += diagram.arrows.map { line(of: $0, layout) }
    for (number, shape) in diagram.shapes.enumerated() { lines += self.lines(of: shape, layout.boxes[number]) }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }
}

// MARK: - Shapes

extension SVGWriter {
  private static func lines(of shape: Diagram.Shape, _ box: DiagramLayout.Box) -> [String] {
    let isBar = shape.kind == .fork || shape.kind == .join
    let fill = shape.isCurrent ? "#ffd966" : shape.isVisited ? "#cfe2f3" : isBar ? "#333" : "#fff"
    let isLight = shape.isCurrent || shape.isVisited || !isBar
    let style =
      "fill=\"\(fill)\" stroke=\"#333\" stroke-width=\"\(shape.isCurrent ? 3 : 1)\""
      + (shape.isWaiting ? " stroke-dasharray=\"4\"" : "")
    return ["<g>", outline(of: shape.kind, box, style)]
      + words(shape.lines, box.x, box.y, isLight ? "#000" : "#fff") + ["</g>"]
  }

  private static func outline(of kind: Diagram.Shape.Kind, _ box: DiagramLayout.Box, _ style: String) -> String {
    switch kind {
    case .start, .end:
      return "<rect x=\"\(box.left)\" y=\"\(box.top)\" width=\"\(box.width)\" height=\"\(box.height)\" "
        + "rx=\"\(box.height / 2)\" \(style)/>"
    case .choice:
      let points = [(box.x, box.top), (box.right, box.y), (box.x, box.bottom), (box.left, box.y)]
      return "<polygon points=\"\(points.map { "\($0),\($1)" }.joined(separator: " "))\" \(style)/>"
    case .step, .fork, .join:
      return "<rect x=\"\(box.left)\" y=\"\(box.top)\" width=\"\(box.width)\" height=\"\(box.height)\" "
        + "rx=\"\(kind == .step ? 6 : 0)\" \(style)/>"
    }
  }

  /// Returns lines of text around a point.
  private static func words(_ lines: [Substring], _ x: Int, _ y: Int, _ color: String) -> [String] {
    let first = y - (lines.count - 1) * DiagramLayout.lineHeight / 2 + 4
    return lines.enumerated().map { number, line in
      "<text x=\"\(x)\" y=\"\(first + number * DiagramLayout.lineHeight)\" fill=\"\(color)\">\(escaped(line))</text>"
    }
  }
}

// MARK: - Arrows

extension SVGWriter {
  private static func line(of arrow: Diagram.Arrow, _ layout: DiagramLayout) -> String {
    let (from, to) = (layout.boxes[arrow.from], layout.boxes[arrow.to])
    let (upper, lower) = (layout.rows[arrow.from], layout.rows[arrow.to])
    let stroke = "fill=\"none\" stroke=\"#333\" marker-end=\"url(#arrow)\""
    if arrow.isReturn {
      let side = layout.edges(of: min(upper, lower)...max(upper, lower)).right + 20
      let path = "M\(from.right) \(from.y)C\(side + 20) \(from.y) \(side + 20) \(to.y) \(to.right) \(to.y)"
      return "<path d=\"\(path)\" \(stroke) stroke-dasharray=\"4\"/>" + label(arrow, side, (from.y + to.y) / 2)
    }
    guard lower - upper > 1 else {
      return "<path d=\"M\(from.x) \(from.bottom)L\(to.x) \(to.top)\" \(stroke)/>"
        + label(arrow, (from.x + to.x) / 2, (from.bottom + to.top) / 2 + 4)
    }
    // Around the rows between the two, on the nearer side.
    let edges = layout.edges(of: upper + 1...lower - 1)
    let side = from.x + to.x > edges.left + edges.right ? edges.right + 16 : edges.left - 16
    let path =
      "M\(from.x) \(from.bottom)C\(side) \(from.bottom + 24) \(side) \(from.bottom + 24) \(side) "
      + "\((from.bottom + to.top) / 2)S\(side) \(to.top - 24) \(to.x) \(to.top)"
    return "<path d=\"\(path)\" \(stroke)/>" + label(arrow, side, (from.bottom + to.top) / 2)
  }

  private static func label(_ arrow: Diagram.Arrow, _ x: Int, _ y: Int) -> String {
    guard !arrow.label.isEmpty else { return "" }
    return "<text x=\"\(x)\" y=\"\(y)\" fill=\"#000\" stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\">"
      + "\(escaped(arrow.label))</text>"
  }
}

// MARK: - Frames

extension SVGWriter {
  /// The shapes of an item, and the upper edge of its highest frame.
  private struct Extent {
    var shapes: Set<Int> = []
    var top: Int?
  }

  /// Draws the frames of an item, outermost first.
  @discardableResult
  private static func frames(
    _ item: Diagram.Item, _ diagram: Diagram, _ layout: DiagramLayout, _ lines: inout [String], depth: Int = 0
  ) -> Extent {
    switch item {
    case .shape(let number): return Extent(shapes: [number])
    case .cluster(let cluster):
      let place = lines.count
      var extent = Extent()
      for item in cluster.items {
        let inner = frames(item, diagram, layout, &lines, depth: depth + 1)
        extent.shapes.formUnion(inner.shapes)
        extent.top = [extent.top, inner.top].compactMap(\.self).min()
      }
      if let frame = frame(around: extent, cluster, layout, depth) {
        lines.insert(frame.line, at: place)
        extent.top = frame.top
      }
      return extent
    }
  }

  /// Returns a frame; `nil` if it would be around a shape that is not in it, because the two stand in the same rows.
  private static func frame(
    around inner: Extent, _ cluster: Diagram.Cluster, _ layout: DiagramLayout, _ depth: Int
  ) -> (line: String, top: Int)? {
    let boxes = inner.shapes.map { layout.boxes[$0] }
    guard let left = boxes.map(\.left).min(), let right = boxes.map(\.right).max(), let top = boxes.map(\.top).min(),
      let bottom = boxes.map(\.bottom).max()
    else { return nil }
    let hasForeign = layout.boxes.enumerated().contains { number, box in
      !inner.shapes.contains(number) && box.right > left && box.left < right && box.bottom > top && box.top < bottom
    }
    guard !hasForeign else { return nil }
    // Inner frames are smaller, so that their lines do not cover each other. Above an inner frame is its text; the frames
    // of many levels get closer, because the row above is not far.
    let space = max(4, 16 - 4 * depth)
    let edge = max(min(top - space, inner.top.map { $0 - 18 } ?? top), top - 40)
    let words = ([cluster.label] + cluster.notes).joined(separator: ", ")
    let line =
      "<rect x=\"\(left - space)\" y=\"\(edge)\" width=\"\(right - left + 2 * space)\" "
      + "height=\"\(bottom - edge + space)\" fill=\"none\" stroke=\"#888\"/>"
      + "<text x=\"\(left - space + 4)\" y=\"\(edge - 4)\" fill=\"#555\" text-anchor=\"start\">\(escaped(words))</text>"
    return (line, edge)
  }
}

// MARK: - Text

extension SVGWriter {
  /// Returns a text as XML has it. Characters that XML does not have are left out.
  private static func escaped(_ text: some StringProtocol) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": break
      default: escaped.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
      }
    }
    return escaped
  }
}
