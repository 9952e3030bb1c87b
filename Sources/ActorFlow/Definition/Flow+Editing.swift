// Every one of these makes a new flow; the one it is called on stays as it is. A step is named by its path, or by the
// last part of it if no other step has the same.
extension Flow {
  /// The flow with a component behind a step.
  ///
  /// ```swift
  /// let careful = try checkout.inserting(after: "cart") { Step("review") { (order: String) in order } }
  /// ```
  ///
  /// The component stands directly behind the step, before a `.map` or `.carrying` of the step, and makes what it
  /// takes: the step's output. It may take nothing. It gets the names, policies and presentation that are around the
  /// step; those of the step alone stay the step's own. Paths are made anew, so equal names may get other numbers.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step is called so, or several are, and
  ///   ``FlowError/Code/badDefinition`` if the component's types do not fit, or if the step is a hub's menu, whose
  ///   result goes to the hub's cases, or a fork.
  public func inserting<I, O>(
    after id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    guard !graph.isMenu(node) else {
      throw FlowError(
        .badDefinition, "what a hub's menu makes goes to the hub's cases; insert into one of them, or before the menu",
        step: node.info.id)
    }
    let new = try content().flow.segments(
      from: node.body.types.output, to: node.body.types.output, "behind", node)
    return edited(.after(new), at: node)
  }

  /// The flow with a component before a step.
  ///
  /// As ``inserting(after:_:)``: the component makes what it takes, the step's input, and may take nothing. Before a
  /// hub's menu is before the hub.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step is called so, or several are, and
  ///   ``FlowError/Code/badDefinition`` if the component's types do not fit, or if the id is a fork's.
  public func inserting<I, O>(
    before id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let new = try content().flow.segments(from: node.body.types.input, to: node.body.types.input, "before", node)
    return edited(.before(new), at: node)
  }

  /// The flow with a component in the place of a step, within everything that is around the step, also its own policies
  /// and wrappers.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step is called so, or several are, and
  ///   ``FlowError/Code/badDefinition`` if the component does not take what the step takes, or nothing, and make what
  ///   it makes; if it is more than one step in the place of a hub's menu; or if the id is a fork's.
  public func replacing<I, O>(
    _ id: StepID, @FlowBuilder _ content: () -> some FlowComponent<I, O>
  ) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let content = content().flow
    guard !graph.isMenu(node) || content.segments.isOneStep else {
      throw FlowError(.badDefinition, "a hub's menu is one step; only one step can replace it", step: node.info.id)
    }
    let new = try content.segments(from: node.body.types.input, to: node.body.types.output, "in the place of", node)
    return edited(.replace(new), at: node)
  }

  /// The flow without a step, its policies and its wrappers. What is made of its result, by a `.map` or `.carrying`, is
  /// made of its input instead.
  ///
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step is called so, or several are, and
  ///   ``FlowError/Code/badDefinition`` if the step makes something else than it takes, so that its neighbours do not
  ///   fit; or if it is a hub's menu, or a fork.
  public func removing(_ id: StepID) throws(FlowError) -> Flow<Input, Output> {
    let node = try editable(id)
    let types = node.body.types
    guard types.input == types.output else {
      throw FlowError(
        .badDefinition,
        "it takes \(types.input) and makes \(types.output), so what stands around it does not fit without it; "
          + "replace it", step: node.info.id)
    }
    guard !graph.isMenu(node) else {
      throw FlowError(.badDefinition, "a hub cannot be without its menu; replace it", step: node.info.id)
    }
    return edited(.remove, at: node)
  }
}

extension Flow {
  private func editable(_ id: StepID) throws(FlowError) -> Node {
    let node = try graph.node(matching: id)
    guard node.fork == nil else {
      throw FlowError(
        .badDefinition, "it is a fork, whose types are not known here; name one of its steps", step: node.info.id)
    }
    return node
  }

  private func edited(_ edit: SegmentEditor.Edit, at node: Node) -> Flow<Input, Output> {
    Flow(segments: SegmentEditor.apply(edit, to: node.index, in: segments))
  }

  /// This flow's segments, for a place where a value of one type stands and one of the other is needed.
  private func segments(
    from input: Any.Type, to output: Any.Type, _ relation: String, _ node: Node
  ) throws(FlowError) -> [Segment] {
    let takesNothing = Input.self == Void.self && input != Void.self
    guard Input.self == input || takesNothing, Output.self == output else {
      let needed = input == output ? "takes and makes \(input)" : "takes \(input) and makes \(output)"
      throw FlowError(
        .badDefinition,
        "\(relation) it stands what \(needed); the component takes \(Input.self) and makes \(Output.self)",
        step: node.info.id)
    }
    return takesNothing ? [.transform { _ in () }] + segments : segments
  }
}

extension [Segment] {
  /// Whether there is one step, with nothing around it but policies.
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
