/// The decisions of a rendered step: a tree of nodes that takes actions and is rendered, without a task or a clock.
///
/// An action is applied to its node, its output is mapped to actions of the nodes around, up to the root, and then the
/// tree is rendered once. What a render means for the effects is handed out with the rendering.
final class RenderTree<Root: RenderedStep> {
  let book: RenderBook
  let root: TypedNode<Root>
  /// The output that the root has made.
  private(set) var output: Root.Output?
  private(set) var hasOutput = false

  /// - Parameter state: The root's state, if not the one that it makes.
  init(_ step: Root, state: Root.State? = nil, port: SinkPort) {
    book = RenderBook(port)
    root = TypedNode(step, state: state, at: RenderPath(Root.self, nil, in: nil), in: book)
    root.emit = { [unowned self] output in
      self.output = output
      hasOutput = true
      return false
    }
  }

  /// The tree of a step that was made anew, with the states that the one before it left.
  ///
  /// - Throws: A ``FlowError`` with the code `typeMismatch` if the root's cannot be read.
  convenience init(_ step: Root, kept: KeptRendering?, port: SinkPort) throws {
    guard let kept, let tree = kept.tree else {
      self.init(step, port: port)
      return
    }
    let states = KeptStates(tree, codec: kept.codec)
    self.init(step, state: try states.root(Root.self), port: port)
    states.place(root.id)
    book.states = states
    if !kept.isSameVisit { root.update(step) }
  }

  /// What is to be kept of it; nil where nothing is.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable` that names the node.
  func keeping(_ codec: (any ValueCodec)?) throws -> RenderKeeping? {
    guard let codec else { return nil }
    var packer = TreePacker(codec: codec)
    try root.pack(into: &packer, as: packer.name(of: root.path), below: nil)
    return RenderKeeping(tree: packer.tree, output: output.map { $0 as any Sendable })
  }

  /// A next visit begins: with a new value, and the states of the one before. All effects have ended.
  func enter(_ step: Root, port: SinkPort) {
    book.port = port
    output = nil
    hasOutput = false
    book.forgetEffects()
    root.forgetEffects()
    root.update(step)
  }

  /// Applies an action of the root's. Whether anything may have changed, so that it is to be rendered.
  func apply(_ action: Root.Action) -> Bool { root.apply(action) }

  /// Applies an action that came through a sink. Nil: whoever sent it has ended. Else whether anything may have changed.
  func take(_ action: any Sendable, to node: Int, from effect: Int?) -> Bool? {
    book.take(action, to: node, from: effect)
  }

  /// What is shown now.
  ///
  /// - Parameter changes: What that means for the effects.
  /// - Throws: A ``FlowError`` if a key was used twice. The visit is then over.
  func render(_ changes: inout EffectChanges) throws -> Root.Rendering {
    book.begin()
    let rendering = root.render()
    // Who was not asked for again is gone.
    book.states = nil
    try book.end(&changes)
    return rendering
  }

  /// The tree as it stands, to be restored by what is returned.
  func save() -> () -> Void {
    let (restoreRoot, restoreBook, output, hasOutput) = (root.save(), book.save(), output, hasOutput)
    return { [self] in
      restoreRoot()
      restoreBook()
      (self.output, self.hasOutput) = (output, hasOutput)
    }
  }

  /// An effect's work has ended.
  func hasEnded(_ effect: Int) { book.hasEnded(effect) }

  var state: Root.State { root.state }
}
