extension Flow {
  /// Returns where the flow would begin with this input, without running it.
  ///
  /// Use it for a link into a flow, or for a preview. Works as ``destination(after:for:)``, from the flow's beginning.
  public func destination(for input: Input) throws -> Destination {
    try destination(from: 0, input, after: nil, at: [])
  }

  /// Returns where a step's result would lead, without running any step.
  ///
  /// ```swift
  /// let next = try checkout.destination(after: "cart", for: "3 apples")  // .step("checkout/payment")
  /// ```
  ///
  /// No step or factory runs, no step is asked whether to skip, and no guard is asked. The closures between two steps do run, in the
  /// caller's task: those of `.map`, of choices, of loops and of `ForEach`.
  ///
  /// - Parameters:
  ///   - id: The step whose output the value would be: its path, or the last part of it. Below a fork with a branch for
  ///     each element, the path may contain the element's number; without it the destination has a `*` there.
  ///   - value: The step's output.
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step or several steps match the id;
  ///   ``FlowError/Code/typeMismatch`` if the step's output has another type, or if the step is inside a `.carrying`,
  ///   because a preview has no carried value; ``FlowError/Code/noMatchingCase`` if a choice has no case for the value;
  ///   ``FlowError/Code/badDefinition`` at a ``Case`` whose closure is async; and the errors of the closures.
  public func destination(after id: StepID, for value: some Sendable) throws -> Destination {
    let node = try graph.node(matching: id)
    let output = node.body.types.output
    guard Self.is(value, output) else {
      throw FlowError(
        .typeMismatch, "the step returns \(output), not a value of type \(type(of: value))", step: node.info.id)
    }
    return try destination(from: node.address + 1, value, after: node, at: node.elements(in: id) ?? [])
  }

  private static func `is`<T>(_ value: any Sendable, _ type: T.Type) -> Bool { value is T }

  private func destination(
    from address: Int, _ value: any Sendable, after node: Node?, at elements: [Int]
  ) throws -> Destination {
    var address = address
    var payload = Payload(value)
    while true {
      switch try graph.advance(from: address, &payload) {
      case .step(let next), .resume(let next): return .step(next.path.path(at: elements))
      case .fork(let fork):
        return .fork(fork.path.path(at: elements), branches: try fork.branches(for: payload.value, at: elements))
      case .deliver(let next):
        if let node, let receiver = graph.receiver(of: payload.value, besides: node) {
          return .update(receiver.path.path(at: elements))
        }
        address = next
      case .round(let next), .guarded(_, let next), .leaveFinally(_, let next): address = next
      case .enterFinally(let node): address = node.address + 1
      case .choose:
        throw FlowError(
          .badDefinition,
          "a preview cannot ask a `Case` whose closure is async; its answer may change until the flow is there")
      case .end:
        guard let node, let fork = graph.fork(around: node.address) else { return .end }
        return .join(fork.path.path(at: elements))
      }
    }
  }
}

extension Graph {
  /// The first step other than `sender` that takes the value as an update.
  fileprivate func receiver(of value: any Sendable, besides sender: Node) -> Node? {
    nodes.first { $0 !== sender && $0.body.types.receiver?.accepts(value) == true }
  }
}

extension Node {
  /// The names that the fork's branches would have.
  fileprivate func branches(for value: any Sendable, at elements: [Int]) throws -> [StepID] {
    guard let fork else { return [] }
    // The number of this fork's element follows those of the forks around it, which are all known or all unknown.
    if fork.isForEach, elements.count < path.count - 1 { return [fork.name(of: 0, at: elements)] }
    return try fork.inputs(from: value).indices.map {
      fork.name(of: $0, at: fork.isForEach ? elements + [$0] : elements)
    }
  }
}
