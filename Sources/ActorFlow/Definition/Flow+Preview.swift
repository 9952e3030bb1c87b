extension Flow {
  /// Where the flow would begin with this input, without running it. For a link that leads into a flow, or a preview.
  ///
  /// As ``destination(after:for:)``, from the flow's beginning.
  public func destination(for input: Input) throws -> Destination {
    try destination(from: 0, input, after: nil, at: [])
  }

  /// Where a step's result would lead, without running anything.
  ///
  /// ```swift
  /// let next = try checkout.destination(after: "cart", for: "3 apples")  // .step("checkout/payment")
  /// ```
  ///
  /// No step and no factory runs, and no step is asked whether it wants to be skipped. What stands between two steps
  /// does: the closures of `.map`, of choices and of loops, in the caller's task.
  ///
  /// - Parameters:
  ///   - id: The step that would have made the value: its path, or the last part of it. Below a fork with a branch for
  ///     each element the path may have the element's number; without it the destination has a `*` there.
  ///   - value: What the step would have made.
  /// - Throws: ``FlowError`` with the code ``FlowError/Code/noSuchStep`` if no step is called so, or several are;
  ///   ``FlowError/Code/typeMismatch`` if the step makes something else, or stands within a `.carrying`, which has
  ///   nothing to carry in a preview; ``FlowError/Code/noMatchingCase`` if a choice has no case for the value; and what
  ///   the closures throw.
  public func destination(after id: StepID, for value: some Sendable) throws -> Destination {
    let node = try graph.node(matching: id)
    let output = node.body.types.output
    guard Self.is(value, output) else {
      throw FlowError(
        .typeMismatch, "the step makes \(output), and a value of type \(type(of: value)) was given", step: node.info.id)
    }
    return try destination(from: node.address + 1, value, after: node, at: node.elements(in: id) ?? [])
  }

  private static func `is`<T>(_ value: any Sendable, _ type: T.Type) -> Bool { value is T }

  private func destination(
    from address: Int, _ value: any Sendable, after node: Node?, at elements: [Int]
  ) throws -> Destination {
    var address = address
    var cargo = Cargo(value)
    while true {
      switch try graph.advance(from: address, &cargo) {
      case .step(let next), .resume(let next): return .step(next.path.path(at: elements))
      case .fork(let fork):
        return .fork(fork.path.path(at: elements), branches: try fork.branches(for: cargo.value, at: elements))
      case .deliver(let next):
        if let node, let receiver = graph.receiver(of: cargo.value, besides: node) {
          return .update(receiver.path.path(at: elements))
        }
        address = next
      case .round(let next): address = next
      case .end:
        guard let node, let fork = graph.fork(around: node.address) else { return .end }
        return .join(fork.path.path(at: elements))
      }
    }
  }
}

extension Graph {
  /// The first step that takes the value as an update. A step gets none of its own.
  fileprivate func receiver(of value: any Sendable, besides sender: Node) -> Node? {
    nodes.first { $0 !== sender && $0.body.types.receiver?.accepts(value) == true }
  }
}

extension Node {
  /// What the fork's branches would be called.
  fileprivate func branches(for value: any Sendable, at elements: [Int]) throws -> [StepID] {
    guard let fork else { return [] }
    // The number of this fork's element comes after those of the forks around it: all known, or none is.
    if fork.isForEach, elements.count < path.count - 1 { return [fork.name(of: 0, at: elements)] }
    return try fork.inputs(from: value).indices.map {
      fork.name(of: $0, at: fork.isForEach ? elements + [$0] : elements)
    }
  }
}
