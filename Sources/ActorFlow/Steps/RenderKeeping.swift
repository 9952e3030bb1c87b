/// What a rendered step remembers, packed: the states of its tree's nodes, each parent before its children. Two equal
/// trees are packed alike.
package struct PackedTree: Sendable, Equatable {
  package var nodes: [Node] = []

  package struct Node: Sendable, Equatable {
    /// The index of the node that asked for it; nil for the root.
    package var parent: Int?
    /// What its type was called.
    package var type: String
    /// What its parent tells it apart by; nil for the root.
    package var key: PackedValue?
    package var state: PackedValue

    package init(parent: Int?, type: String, key: PackedValue?, state: PackedValue) {
      (self.parent, self.type, self.key, self.state) = (parent, type, key, state)
    }
  }

  package init() {}
}

/// What a rendered step hands over to be kept with its rendering.
package struct RenderKeeping: Sendable {
  package var tree: PackedTree
  /// What the step has made, if that was its end.
  package var output: (any Sendable)?

  package init(tree: PackedTree, output: (any Sendable)? = nil) {
    (self.tree, self.output) = (tree, output)
  }
}

/// What is kept at the place of a rendered step, for an instance that knows nothing yet.
package struct KeptRendering: Sendable {
  package let codec: any ValueCodec
  /// Nil: the step was not shown here before.
  package let tree: PackedTree?
  /// What the visit has made already.
  package let output: (any Sendable)?
  /// Whether it is the visit that was under way, not a later one.
  package let isSameVisit: Bool

  package init(codec: any ValueCodec, tree: PackedTree?, output: (any Sendable)?, isSameVisit: Bool) {
    (self.codec, self.tree, self.output, self.isSameVisit) = (codec, tree, output, isSameVisit)
  }
}
