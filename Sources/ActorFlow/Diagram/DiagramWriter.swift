/// Writes diagrams in one language. The lines and their order are the same in all languages; only their text differs.
protocol DiagramWriter {
  static func line(of shape: Diagram.Shape, number: Int) -> String
  /// Returns the lines of a frame around the lines of its contents.
  static func frame(of cluster: Diagram.Cluster, number: Int, around inside: [String]) -> [String]
  static func line(of arrow: Diagram.Arrow) -> String
}

extension DiagramWriter {
  /// Returns the shapes in their frames, then the arrows.
  static func lines(of diagram: Diagram) -> [String] {
    var clusters = 0
    let shapes = lines(of: diagram.items, diagram.shapes, &clusters)
    return indented(shapes + diagram.arrows.map(line))
  }

  static func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }

  /// Returns the lines of these items. Frames are numbered in the order in which they open, from 1.
  private static func lines(
    of items: [Diagram.Item], _ shapes: [Diagram.Shape], _ clusters: inout Int
  ) -> [String] {
    var lines: [String] = []
    for item in items {
      switch item {
      case .shape(let number): lines.append(line(of: shapes[number], number: number))
      case .cluster(let cluster):
        clusters += 1
        let number = clusters
        let inside = self.lines(of: cluster.items, shapes, &clusters)
        lines += frame(of: cluster, number: number, around: inside)
      }
    }
    return lines
  }
}
