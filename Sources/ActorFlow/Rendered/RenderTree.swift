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
