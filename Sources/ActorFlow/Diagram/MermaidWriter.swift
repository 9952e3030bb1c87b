/// Writes a diagram as a Mermaid flowchart.
enum MermaidWriter: DiagramWriter {
  static func text(of diagram: Diagram) -> String {
    (["flowchart TD"] + lines(of: diagram) + indented(classes(of: diagram.shapes))).joined(separator: "\n") + "\n"
  }

  static func line(of shape: Diagram.Shape, number: Int) -> String {
    let words = quoted([shape.label] + shape.notes)
    return switch shape.kind {
    case .start: "n\(number)((\(words)))"
    case .end: "n\(number)(((\(words))))"
    case .step: "n\(number)(\(words))"
    case .choice: "n\(number){\(words)}"
    case .fork, .join: "n\(number)[\(words)]"
    }
  }

  static func frame(of cluster: Diagram.Cluster, number: Int, around inside: [String]) -> [String] {
    ["subgraph c\(number)[\(quoted([cluster.label] + cluster.notes))]"] + indented(inside) + ["end"]
  }

  static func line(of arrow: Diagram.Arrow) -> String {
    let label = arrow.label.isEmpty ? "" : "|\(quoted([arrow.label]))|"
    return "n\(arrow.from) \(arrow.isReturn ? "-.->" : "-->")\(label) n\(arrow.to)"
  }

  /// The styles of shapes: two lines for each class that at least one shape has.
  private static func classes(of shapes: [Diagram.Shape]) -> [String] {
    let classes: [(name: String, style: String, has: (Diagram.Shape) -> Bool)] = [
      ("bar", "fill:#333,color:#fff", { $0.kind == .fork || $0.kind == .join }),
      ("visited", "fill:#cfe2f3,color:#000", { $0.isVisited && !$0.isCurrent }),
      ("current", "fill:#ffd966,color:#000,stroke-width:3px", \.isCurrent),
      ("waiting", "stroke-dasharray:4", \.isWaiting),
    ]
    return classes.flatMap { name, style, has in
      let members = shapes.indices.filter { has(shapes[$0]) }.map { "n\($0)" }
      return members.isEmpty
        ? [] : ["classDef \(name) \(style)", "class \(members.joined(separator: ",")) \(name)"]
    }
  }

  /// Returns the lines as one string. Characters with a meaning in Mermaid, HTML or Markdown are written as entities.
  private static func quoted(_ lines: [String]) -> String {
    var text = "\""
    for (index, line) in lines.enumerated() {
      if index > 0 { text += "<br/>" }
      var before: Unicode.Scalar?
      for scalar in line.unicodeScalars {
        let isDigit = before.map { ("0"..."9").contains($0) } ?? false
        switch scalar {
        case "\n": text += "<br/>"
        case "\"", "#", "&", "<", ">", ";", "`", "\\", "|", "*", "~", "$": text += "#\(scalar.value);"
        case "-", "+", "_": if before == nil { text += "#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
        case ".", ")": if isDigit { text += "#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
        default: text.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        before = scalar
      }
    }
    return text + "\""
  }
}
