// Every method here returns a new flow and leaves the original unchanged. Name a step by its path, or by the last part
// of the path if no other step has the same. Each refuses an edit after which a `TypeRouter` makes an update that no
// step on the stack needs to receive.
extension Flow {
  /// Returns the flow with a component inserted after a step.
  ///
  /// ```swift
  /// let careful = try checkout.inserting(after: "cart") { Step("review") { (order: String) in order } }
  /// ```
  ///
  /// The component goes directly after the step, before a `.map` or `.carrying` of the step. Its input and its output
  /// have the type of the step's output; its input may also be `Void`. Names, policies and presentation around the step
  /// apply to the component as well; those of the step alone do not. Paths are assigned anew, so equal names may get
  /// other numbers.
  ///
  /// After a step that returns an ``Exit``, the component may also take and return the value that proceeds; it is not
  /// entered when the step finishes. A component that lets any value through says its type:
  /// `.passingThrough(Order.self)`.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step or several steps match the id, and
  ///   ``FlowError/Code/badDefinition`` if the component's types do not fit, if the step is a hub's menu, whose result
  ///   goes to the hub's cases, if the id is a fork's, or if a ``TypeRouter`` would lose an update.
  public func inserting<I, O>(
    after id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    guard !graph.isMenu(node) else {
      throw FlowError(
        .badDefinition,
        "the output of a hub's menu goes to the hub's cases; insert into one of them, or before the menu",
        step: node.info.id)
    }
    let content = content().flow
    let output = node.body.types.output
    if let exit = output as? any EditableExit.Type, let new = exit.inserting(content) {
      return try edited(.after(new), at: node)
    }
    return try edited(.after(try content.segments(from: output, to: output, "after", node)), at: node)
  }

  /// Returns the flow with a component inserted before a step.
  ///
  /// The component's input and output have the type of the step's input; its input may also be `Void`. Otherwise works
  /// as ``inserting(after:_:)``. A component before a hub's menu is inserted before the hub.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step or several steps match the id, and
  ///   ``FlowError/Code/badDefinition`` if the component's types do not fit, if the id is a fork's, or if a
  ///   ``TypeRouter`` would lose an update.
  public func inserting<I, O>(
    before id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let new = try content().flow.segments(from: node.body.types.input, to: node.body.types.input, "before", node)
    return try edited(.before(new), at: node)
  }

  /// Returns the flow with a component in place of a step.
  ///
  /// The component is inside everything that is around the step, including the step's own policies and wrappers.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step or several steps match the id, and
  ///   ``FlowError/Code/badDefinition`` if the component does not take the step's input, or nothing, and produce the
  ///   step's output; if the step is a hub's menu and the component is not a single step; if the id is a fork's; or if
  ///   a ``TypeRouter`` would lose an update, because the component does not receive it.
  public func replacing<I, O>(
    _ id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let content = content().flow
    guard !graph.isMenu(node) || content.segments.isOneStep else {
      throw FlowError(.badDefinition, "a hub's menu is one step; replace it with one step", step: node.info.id)
    }
    let new = try content.segments(from: node.body.types.input, to: node.body.types.output, "in place of", node)
    return try edited(.replace(new), at: node)
  }

  /// Returns the flow without a step, its policies and its wrappers.
  ///
  /// A `.map` or `.carrying` of the step's output is then applied to the step's input.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step or several steps match the id, and
  ///   ``FlowError/Code/badDefinition`` if the step's output has another type than its input, so that its neighbours do
  ///   not fit; if it is a hub's menu or a fork; or if a ``TypeRouter`` would lose an update that the step receives.
  public func removing(_ id: StepID) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let types = node.body.types
    guard types.input == types.output else {
      throw FlowError(
        .badDefinition,
        "it takes \(types.input) and returns \(types.output), so its neighbours do not fit without it; replace it",
        step: node.info.id)
    }
    guard !graph.isMenu(node) else {
      throw FlowError(.badDefinition, "a hub cannot be without its menu; replace it", step: node.info.id)
    }
    return try edited(.remove, at: node)
  }
}

extension Flow {
  private func editable(_ id: StepID) throws(FlowError) -> Node {
    let node = try graph.node(matching: id)
    guard node.fork == nil else {
      throw FlowError(
        .badDefinition, "a fork cannot be edited: its types are not known here; name one of its steps",
        step: node.info.id)
    }
    return node
  }

  /// Returns the edited flow.
  ///
  /// - Throws: `badDefinition` if a ``TypeRouter`` makes an update that no step receives any more.
  private func edited(_ edit: SegmentEditor.Edit, at node: Node) throws(FlowError) -> Flow<Input, Output> {
    let edited = SegmentEditor.apply(edit, to: node.index, in: segments)
    let mistakes = edited.lostUpdates
    guard mistakes.isEmpty || mistakes == segments.lostUpdates else {
      throw FlowError(.badDefinition, mistakes.joined(separator: "\n"), step: node.info.id)
    }
    return Flow(segments: edited)
  }

  /// This flow's segments, for a place that has a value of type `input` and needs one of type `output`.
  private func segments(
    from input: Any.Type, to output: Any.Type, _ relation: String, _ node: Node
  ) throws(FlowError) -> [Segment] {
    let takesNothing = Input.self == Void.self && input != Void.self
    guard Input.self == input || takesNothing, Output.self == output else {
      let needed = input == output ? "take and return \(input)" : "take \(input) and return \(output)"
      let found =
        Input.self == PassingThrough.self
        ? "its type is not known here: write `.passingThrough(\(input).self)`"
        : "takes \(Input.self) and returns \(Output.self)"
      throw FlowError(
        .badDefinition, "a component \(relation) this step must \(needed), but \(found)", step: node.info.id)
    }
    return takesNothing ? [.transform { _ in () }] + segments : segments
  }
}

extension [Segment] {
  /// Whether the segments are a single step with nothing around it but policies.
  fileprivate var isOneStep: Bool {
    var steps = 0
    for segment in self {
      switch segment {
      case .step: steps += 1
      case .begin, .end: break
      default: return false
      }
    }
    return steps == 1
  }
}
