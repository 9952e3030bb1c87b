/// The packed states of a rendered step's tree, each parent before its children. Equal trees are packed alike.
package struct PackedTree: Sendable, Equatable {
  package var nodes: [Node] = []

  package struct Node: Sendable, Equatable {
    /// The index of the parent; `nil` for the root.
    package var parent: Int?
    /// The name of the node's type.
    package var type: String
    /// The node's key among its parent's children; `nil` for the root.
    package var key: PackedValue?
    package var state: PackedValue

    package init(parent: Int?, type: String, key: PackedValue?, state: PackedValue) {
      (self.parent, self.type, self.key, self.state) = (parent, type, key, state)
    }
  }

  package init() {}
}

/// The state of a rendered step that is persisted with its rendering.
package struct RenderPersistence: Sendable {
  package var tree: PackedTree
  /// The step's output, if it has ended.
  package var output: (any Sendable)?

  package init(tree: PackedTree, output: (any Sendable)? = nil) {
    (self.tree, self.output) = (tree, output)
  }
}

/// The persisted state at the place of a rendered step, for a recreated instance.
package struct PersistedRendering: Sendable {
  package let codec: any ValueCodec
  /// The packed states; `nil` if the step was not shown here before.
  package let tree: PackedTree?
  /// The output that the visit has made already.
  package let output: (any Sendable)?
  /// Whether the state is that of the visit under way, not of an earlier one.
  package let isSameVisit: Bool

  package init(codec: any ValueCodec, tree: PackedTree?, output: (any Sendable)?, isSameVisit: Bool) {
    (self.codec, self.tree, self.output, self.isSameVisit) = (codec, tree, output, isSameVisit)
  }
}
