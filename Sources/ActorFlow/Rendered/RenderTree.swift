/// The decisions of a rendered step: a tree of nodes that takes actions and is rendered, without a task or a clock.
///
/// An action is applied to its node, and its output is mapped to actions of the nodes around, up to the root. Then the
/// tree is rendered once. The rendering is returned together with the changes that it means for the effects.
final class RenderTree<Root: RenderedStep> {
  let book: RenderBook
  let root: TypedNode<Root>
  /// The output that the root has made.
  private(set) var output: Root.Output?
  private(set) var hasOutput = false

  /// - Parameter state: The root's state; `nil` for the step's initial state.
  init(_ step: Root, state: Root.State? = nil, port: SinkPort) {
    book = RenderBook(port)
    root = TypedNode(step, state: state, at: RenderPath(Root.self, nil, in: nil), in: book)
    root.emit = { [unowned self] output in
      self.output = output
      hasOutput = true
      return false
    }
  }

  /// Recreates a tree with the persisted states of an earlier instance of the step.
  ///
  /// - Throws: A ``FlowError`` with the code `typeMismatch` if the root's state cannot be decoded.
  convenience init(_ step: Root, kept: PersistedRendering?, port: SinkPort) throws {
    guard let kept, let tree = kept.tree else {
      self.init(step, port: port)
      return
    }
    let states = PersistedStates(tree, codec: kept.codec)
    self.init(step, state: try states.root(Root.self), port: port)
    states.place(root.id)
    book.states = states
    if !kept.isSameVisit { root.update(step) }
  }

  /// Returns the part of the tree to persist; `nil` if the flow is not durable.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the node.
  func persisted(_ codec: (any ValueCodec)?) throws -> RenderPersistence? {
    guard let codec else { return nil }
    var packer = TreePacker(codec: codec)
    try root.pack(into: &packer, as: packer.name(of: root.path), below: nil)
    return RenderPersistence(tree: packer.tree, output: output.map { $0 as any Sendable })
  }

  /// Begins another visit, with a new value and the states of the visit before. All effects have ended.
  func enter(_ step: Root, port: SinkPort) {
    book.port = port
    output = nil
    hasOutput = false
    book.forgetEffects()
    root.forgetEffects()
    root.update(step)
  }

  /// Applies an action to the root. Returns whether anything may have changed, so that a render is needed.
  func apply(_ action: Root.Action) -> Bool { root.apply(action) }

  /// Applies an action that came through a sink. Returns whether anything may have changed; `nil` if the sender has
  /// ended.
  func take(_ action: any Sendable, to node: Int, from effect: Int?) -> Bool? {
    book.take(action, to: node, from: effect)
  }

  /// Returns the current rendering.
  ///
  /// - Parameter changes: The resulting changes to the effects.
  /// - Throws: A ``FlowError`` if a key was used twice. The visit is then over.
  func render(_ changes: inout EffectChanges) throws -> Root.Rendering {
    book.begin()
    let rendering = root.render()
    // Children that the first pass did not request are gone.
    book.states = nil
    try book.end(&changes)
    return rendering
  }

  /// Saves the tree; the returned closure restores it.
  func save() -> () -> Void {
    let (restoreRoot, restoreBook, output, hasOutput) = (root.save(), book.save(), output, hasOutput)
    return { [self] in
      restoreRoot()
      restoreBook()
      (self.output, self.hasOutput) = (output, hasOutput)
    }
  }

  /// Records that an effect's work has ended.
  func hasEnded(_ effect: Int) { book.hasEnded(effect) }

  var state: Root.State { root.state }
}
