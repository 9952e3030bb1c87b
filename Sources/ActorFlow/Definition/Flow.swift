/// A typed, immutable description of steps in order, from an `Input` to an `Output`.
///
/// A flow is a value. Building it runs no factory, and running it does not change it. Any number of coordinators may
/// run it at once. Extending it twice gives two independent flows. Neighbours whose types do not fit do not compile.
///
/// ```swift
/// let checkout = Flow("checkout") {
///   Step("shipping", ShippingStep.init)
///   Step("payment") { PaymentStep(gateway) }
/// }
/// ```
public struct Flow<Input: Sendable, Output: Sendable>: FlowComponent {
  @usableFromInline package let segments: [Segment]
  private let cache: GraphCache

  /// Creates a flow of the components in `content`, one after the other.
  ///
  /// - Parameters:
  ///   - name: The flow's part in the paths of its steps. An unnamed flow adds no part to them.
  ///   - content: The components in order. Supports `if`, `if`/`else`, `switch`, `for` and nested flows.
  public init(_ name: String? = nil, @FlowBuilder _ content: () -> some FlowComponent<Input, Output>) {
    let content = content().flow
    if let name, !name.isEmpty {
      self.init(segments: [.open(name: name)] + content.segments + [.close])
    } else {
      self = content
    }
  }

  /// Creates a flow whose components only let their value through, or that has none: its output is its input.
  ///
  /// Used where the type of the value is known, as in `Flow<Order, Order> {}`.
  @_documentation(visibility: internal) @_disfavoredOverload
  public init(_ name: String? = nil, @FlowBuilder _ content: () -> Flow<PassingThrough, PassingThrough>)
  where Input == Output {
    let content = Flow<PassingThrough, PassingThrough>(name, content)
    self.init(segments: content.segments.placed(at: Input.self))
  }

  @usableFromInline package init(segments: [Segment]) {
    self.segments = segments
    cache = GraphCache()
  }

  /// The flow itself.
  public var flow: Flow<Input, Output> { self }

  /// The graph of this flow, compiled on first use and cached.
  package var graph: Graph { cache.graph(of: segments) }

  /// The name around all steps, whichever modifiers are outside it; `nil` if there is none.
  package var name: String? { segments.outerName }

  /// The paths of the steps, in the order of the definition.
  public var steps: [StepID] { graph.nodes.filter { $0.fork == nil && $0.finalizer == nil }.map(\.info.id) }
}

/// A cache of the compiled graph. If several tasks compile it at once, the first result is used.
private final class GraphCache: Sendable {
  private let compiled = Lock<Graph?>(nil)

  func graph(of segments: [Segment]) -> Graph {
    if let graph = compiled.withLock({ $0 }) { return graph }
    let graph = Graph(compiling: segments)
    return compiled.withLock { known in
      if let known { return known }
      known = graph
      return graph
    }
  }
}
