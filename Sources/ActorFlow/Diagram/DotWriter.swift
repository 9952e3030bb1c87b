/// Writes a diagram for Graphviz.
enum DotWriter: DiagramWriter {
  static func text(of diagram: Diagram) -> String {
    let head = [
      "digraph flow {",
      #"  graph [fontname="Helvetica", fontsize=11, fontcolor=gray30, labeljust=l, style=rounded, color=gray60];"#,
      #"  node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor=white];"#,
      #"  edge [fontname="Helvetica", fontsize=10];"#,
    ]
    return (head + lines(of: diagram) + ["}"]).joined(separator: "\n") + "\n"
  }

  static func line(of shape: Diagram.Shape, number: Int) -> String {
    "n\(number) [\(attributes(of: shape).joined(separator: ", "))];"
  }

  static func frame(of cluster: Diagram.Cluster, number: Int, around inside: [String]) -> [String] {
    let label = "label=\(quoted([cluster.label] + cluster.notes, lineEnd: "\\l")); margin=16;"
    return ["subgraph cluster_\(number) {"] + indented([label] + inside) + ["}"]
  }

  static func line(of arrow: Diagram.Arrow) -> String {
    var attributes: [String] = []
    // A leading space separates the label from its arrow.
    if !arrow.label.isEmpty { attributes.append("label=\(quoted([" " + arrow.label]))") }
    var (from, to) = (arrow.from, arrow.to)
    if arrow.isReturn {
      // Written in reverse, because Graphviz puts the target of an arrow below its source.
      attributes += ["style=dashed", "dir=back"]
      swap(&from, &to)
    }
    let suffix = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
    return "n\(from) -> n\(to)\(suffix);"
  }

  private static func attributes(of shape: Diagram.Shape) -> [String] {
    let words = quoted([shape.label] + shape.notes)
    var attributes =
      switch shape.kind {
      case .step: ["label=\(words)"]
      case .start: ["label=\(words)", "shape=circle", "style=filled", "margin=0"]
      case .end: ["label=\(words)", "shape=doublecircle", "style=filled", "margin=0"]
      case .choice: ["label=\(words)", "shape=diamond", "style=filled", "margin=0"]
      case .fork, .join: [#"label="""#, "width=1.2", "height=0.08", "style=filled", "fillcolor=gray20"]
      }
    if shape.isWaiting { attributes.append(#"style="rounded,filled,dashed""#) }
    if shape.isCurrent {
      attributes += [##"fillcolor="#ffd966""##, "penwidth=3"]
    } else if shape.isVisited {
      attributes.append(##"fillcolor="#cfe2f3""##)
    }
    return attributes
  }

  /// Returns the lines as one string, each ended as Graphviz aligns it: `\n` centres, `\l` aligns to the left. Graphviz
  /// interprets backslashes and entities in the string.
  private static func quoted(_ lines: [String], lineEnd: String = "\\n") -> String {
    var text = "\""
    for (index, line) in lines.enumerated() {
      if index > 0 { text += lineEnd }
      for scalar in line.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "&": text += "&amp;"
        case "\n": text += lineEnd
        default: text.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
      }
    }
    return text + (lines.count > 1 && lineEnd == "\\l" ? lineEnd : "") + "\""
  }
}
