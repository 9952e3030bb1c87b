/// Writes a diagram as a Mermaid flowchart.
struct MermaidWriter {
  private var lines: [String] = []
  private var indentation = "  "
  private var clusters = 0
  private let shapes: [Diagram.Shape]

  static func text(of diagram: Diagram) -> String {
    var writer = MermaidWriter(shapes: diagram.shapes)
    for item in diagram.items { writer.add(item) }
    for arrow in diagram.arrows { writer.add(arrow) }
    writer.addClass("bar", "fill:#333,color:#fff") { $0.kind == .fork || $0.kind == .join }
    writer.addClass("visited", "fill:#cfe2f3,color:#000") { $0.isVisited && !$0.isCurrent }
    writer.addClass("current", "fill:#ffd966,color:#000,stroke-width:3px", where: \.isCurrent)
    writer.addClass("waiting", "stroke-dasharray:4", where: \.isWaiting)
    return (["flowchart TD"] + writer.lines).joined(separator: "\n") + "\n"
  }

  private init(shapes: [Diagram.Shape]) {
    self.shapes = shapes
  }

  private mutating func add(_ item: Diagram.Item) {
    switch item {
    case .shape(let number):
      let shape = shapes[number]
      let words = Self.quoted([shape.label] + shape.notes)
      switch shape.kind {
      case .start: line("n\(number)((\(words)))")
      case .end: line("n\(number)(((\(words))))")
      case .step: line("n\(number)(\(words))")
      case .choice: line("n\(number){\(words)}")
      case .fork, .join: line("n\(number)[\(words)]")
      }
    case .cluster(let cluster):
      clusters += 1
      line("subgraph c\(clusters)[\(Self.quoted([cluster.label] + cluster.notes))]")
      indentation += "  "
      for item in cluster.items { add(item) }
      indentation.removeLast(2)
      line("end")
    }
  }

  private mutating func add(_ arrow: Diagram.Arrow) {
    let label = arrow.label.isEmpty ? "" : "|\(Self.quoted([arrow.label]))|"
    line("n\(arrow.from) \(arrow.isReturn ? "-.->" : "-->")\(label) n\(arrow.to)")
  }

  private mutating func addClass(_ name: String, _ style: String, where isMember: (Diagram.Shape) -> Bool) {
    let members = shapes.indices.filter { isMember(shapes[$0]) }.map { "n\($0)" }
    guard !members.isEmpty else { return }
    line("classDef \(name) \(style)")
    line("class \(members.joined(separator: ",")) \(name)")
  }

  private mutating func line(_ text: String) { lines.append(indentation + text) }

  /// One string of several lines. What Mermaid would read as its own, as HTML or as Markdown is written as an entity.
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
