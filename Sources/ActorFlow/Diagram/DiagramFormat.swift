/// The language a diagram of a flow is written in.
@nonexhaustive public enum DiagramFormat: Sendable, Hashable {
  /// A Mermaid flowchart, which many viewers of Markdown draw.
  case mermaid
  /// A Graphviz graph: `dot -Tsvg` draws it.
  case dot
}

extension Flow {
  /// The flow as a drawing: its steps under their names, and every way from one to the next.
  ///
  /// Named flows and forks are frames; a `.timeout`, `.retry`, `.recover` or `.expires` is written into the step or the
  /// frame that it is around. Dashed arrows lead back: `again` in a loop, `returns` to a hub's menu, `next` in a router.
  /// The same definition makes the same text. Runs no code of yours.
  ///
  /// ```swift
  /// print(checkout.diagram(.mermaid))
  /// print(checkout.diagram(.dot, of: await coordinator.position))
  /// ```
  ///
  /// - Parameters:
  ///   - format: The language.
  ///   - position: Marks which steps were visited, which are current, and which wait for an answer or a signal; in all
  ///     open branches. What the flow does not have is not marked.
  public func diagram(_ format: DiagramFormat, of position: Position? = nil) -> String {
    var diagram = DiagramMaker.diagram(of: segments, named: graph.nodes)
    if let position { diagram.mark(position) }
    return switch format {
    case .mermaid: MermaidWriter.text(of: diagram)
    case .dot: DotWriter.text(of: diagram)
    }
  }
}
