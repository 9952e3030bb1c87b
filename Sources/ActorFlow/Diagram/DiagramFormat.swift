/// The language a diagram of a flow is written in.
@nonexhaustive public enum DiagramFormat: Sendable, Hashable {
  /// A Mermaid flowchart, which many Markdown viewers can draw.
  case mermaid
  /// A Graphviz graph, which `dot -Tsvg` draws.
  case dot
  /// A picture, which browsers show: SVG without styles and scripts, in a simple layout of its own.
  case svg
}

extension Flow {
  /// Returns the flow as a drawing: its steps with their names, and every transition from one to the next.
  ///
  /// Named flows and forks are frames. A `.timeout`, `.retry`, `.recover` or `.expires` is a note in the step or frame
  /// that it is around, or a frame around several. Dashed arrows lead back: `again` in a loop, `returns` to a hub's
  /// menu, `next` in a router. The same definition always gives the same text. Runs none of your code.
  ///
  /// ```swift
  /// print(checkout.diagram(.mermaid))
  /// print(checkout.diagram(.dot, of: await coordinator.position))
  /// ```
  ///
  /// - Parameters:
  ///   - format: The language of the diagram.
  ///   - position: A position to mark: which steps were visited, which are current, and which wait for an answer or a
  ///     signal, in all open branches. Steps that the flow does not have are ignored.
  public func diagram(_ format: DiagramFormat, of position: Position? = nil) -> String {
    var diagram = DiagramMaker.diagram(of: segments, named: graph.nodes)
    if let position { diagram.mark(position) }
    return switch format {
    case .mermaid: MermaidWriter.text(of: diagram)
    case .dot: DotWriter.text(of: diagram)
    case .svg: SVGWriter.text(of: diagram)
    }
  }
}
