/// Walks a definition as the compiler does and draws each segment. The compiler numbers steps and forks in the order of
/// the definition, so the next one met is the next node and has its name.
struct DiagramMaker {
  /// The beginning of an arrow to the next shape.
  typealias LooseEnd = (from: Int, label: String)

  private(set) var shapes: [Diagram.Shape] = []
  private(set) var arrows: [Diagram.Arrow] = []
  /// The open frames, outermost first; the first is the whole picture.
  private var clusters = [Diagram.Cluster(label: "")]
  var ends: [LooseEnd] = []
  /// The loose ends of components that may finish, up to the end of the flow that they finish.
  var finishing: [LooseEnd] = []
  /// The shapes behind which a value has been wrapped in an ``Exit``: they do not finish.
  var proceeding: Set<Int> = []
  private var nodes: ArraySlice<Node>
  /// The prefixes of the paths of the next nodes, one for each open name.
  private var prefixes = [""]

  static func diagram(of segments: [Segment], named nodes: ContiguousArray<Node>) -> Diagram {
    var maker = DiagramMaker(nodes: ArraySlice(nodes))
    maker.ends = [(maker.addShape(.start, "start"), "")]
    maker.add(segments)
    maker.addShape(.end, "end")
    return Diagram(shapes: maker.shapes, arrows: maker.arrows, items: maker.clusters[0].items)
  }

  private init(nodes: ArraySlice<Node>) {
    self.nodes = nodes
  }

  mutating func add(_ segments: [Segment]) {
    for segment in segments { add(segment) }
  }

  private mutating func add(_ segment: Segment) {
    switch segment {
    case .step(let name, let body):
      let node = nextNode()
      let step = addShape(.step, node?.info.id.name ?? name, of: node)
      if let receiver = body.types.receiver { shapes[step].notes.append("receives \(receiver.update)") }
      ends = [(step, "")]
    case .transform, .carry, .join, .begin, .end: break
    case .open(let name): openCluster(openName(name))
    case .close:
      closeName()
      closeCluster()
    case .enter(let kind): openCluster(kind.note)
    case .leave: closeScope()
    case .enterFinally(let finalizer):
      let node = nextNode()
      openCluster("finally: \(node?.info.id.name ?? finalizer.name)")
    case .leaveFinally: closeScope()
    case .choice(let choice): add(choice)
    case .loop(let loop): add(loop)
    case .hub(let menu): add(menu)
    case .router(let router): add(router)
    case .fork(let fork): add(fork)
    }
  }
}

// MARK: - Shapes and arrows

extension DiagramMaker {
  /// Draws a shape in the innermost frame, with an arrow from every loose end.
  @discardableResult
  mutating func addShape(_ kind: Diagram.Shape.Kind, _ label: String, of node: Node? = nil) -> Int {
    endOutcomes()
    let number = shapes.count
    shapes.append(Diagram.Shape(kind: kind, label: label, node: node))
    clusters[clusters.count - 1].items.append(.shape(number))
    for end in ends { arrows.append(Diagram.Arrow(from: end.from, to: number, label: end.label, isReturn: false)) }
    ends = []
    return number
  }

  /// Leads loose ends back to a shape; `label` is for ends without a label.
  mutating func lead(_ loose: [LooseEnd], backTo shape: Int, _ label: String) {
    for end in loose {
      let label = end.label.isEmpty ? label : end.label
      arrows.append(Diagram.Arrow(from: end.from, to: shape, label: label, isReturn: true))
    }
  }

  /// Lets what finishes continue with what proceeds.
  mutating func endOutcomes() {
    ends += finishing
    finishing = []
  }

  mutating func nextNode() -> Node? { nodes.popFirst() }
}

// MARK: - Frames

extension DiagramMaker {
  mutating func openCluster(_ label: String) { clusters.append(Diagram.Cluster(label: label)) }

  mutating func closeCluster() {
    let cluster = clusters.removeLast()
    if !cluster.items.isEmpty { clusters[clusters.count - 1].items.append(.cluster(cluster)) }
  }

  /// Closes a scope. A scope around a single item becomes a note in it; only one around several gets a frame.
  private mutating func closeScope() {
    let scope = clusters.removeLast()
    guard scope.items.count == 1, let only = scope.items.first else {
      if !scope.items.isEmpty { clusters[clusters.count - 1].items.append(.cluster(scope)) }
      return
    }
    switch only {
    case .shape(let number):
      shapes[number].notes.append(scope.label)
      clusters[clusters.count - 1].items.append(only)
    case .cluster(var inner):
      inner.notes.append(scope.label)
      clusters[clusters.count - 1].items.append(.cluster(inner))
    }
  }
}

// MARK: - Names

extension DiagramMaker {
  /// Opens a name: the nodes that follow are below it.
  ///
  /// - Returns: The name, with a `#2` if the path of the first node below it has one.
  @discardableResult
  mutating func openName(_ name: String) -> String {
    let prefix = prefixes[prefixes.count - 1]
    var numbered = name
    if let path = nodes.first?.info.id.path, path.hasPrefix(prefix + name + "#") {
      let number = path.dropFirst((prefix + name + "#").count).prefix { $0.isNumber }
      if path.hasPrefix(prefix + name + "#" + number + "/") { numbered = name + "#" + number }
    }
    prefixes.append(prefix + numbered + "/")
    return numbered
  }

  /// Opens a path: the nodes that follow are below it.
  mutating func open(path: String) { prefixes.append(path + "/") }

  mutating func closeName() { prefixes.removeLast() }
}
