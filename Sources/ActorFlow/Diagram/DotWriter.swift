/// Writes a diagram for Graphviz.
struct DotWriter {
  private var lines: [String] = []
  private var indentation = "  "
  private var clusters = 0
  private let shapes: [Diagram.Shape]

  static func text(of diagram: Diagram) -> String {
    var writer = DotWriter(shapes: diagram.shapes)
    for item in diagram.items { writer.add(item) }
    for arrow in diagram.arrows { writer.add(arrow) }
    let head = [
      "digraph flow {",
      #"  graph [fontname="Helvetica", fontsize=11, fontcolor=gray30, labeljust=l, style=rounded, color=gray60];"#,
      #"  node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor=white];"#,
      #"  edge [fontname="Helvetica", fontsize=10];"#,
    ]
    return (head + writer.lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private init(shapes: [Diagram.Shape]) {
    self.shapes = shapes
  }

  private mutating func add(_ item: Diagram.Item) {
    switch item {
    case .shape(let number): line("n\(number) [\(attributes(of: shapes[number]).joined(separator: ", "))];")
    case .cluster(let cluster):
      clusters += 1
      line("subgraph cluster_\(clusters) {")
      indentation += "  "
      line("label=\(Self.quoted([cluster.label] + cluster.notes, lineEnd: "\\l")); margin=16;")
      for item in cluster.items { add(item) }
      indentation.removeLast(2)
      line("}")
    }
  }

  private mutating func add(_ arrow: Diagram.Arrow) {
    var attributes: [String] = []
    // A space keeps the label off its arrow.
    if !arrow.label.isEmpty { attributes.append("label=\(Self.quoted([" " + arrow.label]))") }
    var (from, to) = (arrow.from, arrow.to)
    if arrow.isReturn {
      // Written the other way round: Graphviz puts what an arrow leads to below.
      attributes += ["style=dashed", "dir=back"]
      swap(&from, &to)
    }
    let suffix = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
    line("n\(from) -> n\(to)\(suffix);")
  }

  private mutating func line(_ text: String) { lines.append(indentation + text) }

  private func attributes(of shape: Diagram.Shape) -> [String] {
    let words = Self.quoted([shape.label] + shape.notes)
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

  /// One string of several lines, each ended as Graphviz aligns them: centred by `\n`, to the left by `\l`. Graphviz
  /// reads backslashes and entities in it.
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
