// Starting a run in the middle of a flow.
extension Graph {
  /// A step at which a run starts, or that it finds on its stack.
  package struct Entry: Sendable {
    package let node: Node
    package let payload: Payload
    /// The back-up policy chosen by the input; `nil` for that of the definition.
    package let backUp: BackUpPolicy?
  }

  /// Returns the entry to a step.
  ///
  /// - Parameter whole: The flow's own input.
  package func entry(to step: StepID, with input: any Sendable, of whole: any Sendable) throws -> Entry {
    let node = try node(matching: step)
    let payload = try payload(entering: node, with: input, of: whole)
    return Entry(node: node, payload: payload, backUp: try node.backUp(for: input))
  }

  /// Returns what a run finds on its stack: the earlier steps, each in the passages through components with finalizers
  /// that go on with the step at which the run starts.
  package func places(below start: Entry, earlier: [Entry], of whole: any Sendable) throws -> [Entry] {
    var places = earlier
    for passage in try finalizers(around: start, of: whole) {
      let end = end(of: passage.node)
      let outside = places.lastIndex { !(passage.node.address..<end).contains($0.node.address) }
      places.insert(passage, at: outside.map { $0 + 1 } ?? 0)
    }
    return places
  }

  /// The address at which the component of a finalizer ends.
  private func end(of finalizer: Node) -> Int {
    program.firstIndex { if case .leaveFinally(let node) = $0 { node === finalizer } else { false } } ?? program.count
  }

  /// The finalizers whose components contain a step at which a run starts, outermost first.
  private func finalizers(around start: Entry, of whole: any Sendable) throws -> [Entry] {
    var open: [(node: Node, input: (any Sendable)?)] = []
    try scan(to: start.node, with: start.payload.value, of: whole) { instruction, input in
      switch instruction {
      case .enterFinally(let node): open.append((node, input))
      case .leaveFinally: open.removeLast()
      default: break
      }
    }
    return try open.map { node, input in
      guard let input else {
        throw FlowError(
          .noSuchStep,
          "a run cannot start inside a `.finally` that begins after a step: the input that it releases is unknown",
          step: start.node.info.id)
      }
      return Entry(node: node, payload: start.payload.with(input), backUp: nil)
    }
  }

  /// Calls `body` with each instruction before a step, and with the value before it as far as it is known: up to the
  /// first step, and directly before the step itself.
  private func scan(
    to node: Node, with input: any Sendable, of whole: any Sendable,
    _ body: (Instruction, (any Sendable)?) -> Void
  ) throws {
    var value: (any Sendable)? = whole
    for (address, instruction) in program[..<node.address].enumerated() {
      let leadsOn = program[address..<node.address].allSatisfy { instruction in
        switch instruction {
        case .open, .enterFinally: true
        default: false
        }
      }
      body(instruction, leadsOn ? input : value)
      switch instruction {
      case .transform(let change): value = try value.map(change)
      case .open, .close, .carry, .enterFinally: break
      default: value = nil
      }
    }
  }

  /// The payload of a run that begins with this step instead of the first: the step's input, the values that
  /// `.carrying` carries from before the first step, and the scopes around the step, each beginning here.
  ///
  /// - Parameter whole: The flow's own input. Only a `.carrying` that begins before the first step uses it.
  package func payload(entering node: Node, with input: any Sendable, of whole: any Sendable) throws -> Payload {
    let types = node.body.types
    guard node.fork == nil else {
      throw FlowError(.noSuchStep, "a run cannot start at a fork; name a step before it", step: node.info.id)
    }
    if let fork = fork(around: node.address) {
      throw FlowError(
        .noSuchStep, "a run cannot start inside the fork \"\(fork.info.id)\": its other branches would be missing",
        step: node.info.id)
    }
    guard types.accepts(input) else {
      throw FlowError(
        .typeMismatch, "this step takes a value of type \(types.input), not one of type \(type(of: input))",
        step: node.info.id)
    }
    let payload = Payload(input, carried: try carried(at: node, of: whole))
    return payload.within(try frames(at: node, payload, of: whole))
  }

  /// The scopes that are open at a node, innermost first. Another attempt of each would begin with this node.
  private func frames(at node: Node, _ payload: Payload, of whole: any Sendable) throws -> ScopeFrame? {
    var open: [(scope: Scope, input: (any Sendable)?)] = []
    try scan(to: node, with: payload.value, of: whole) { instruction, input in
      switch instruction {
      case .open(let scope): open.append((scope, input))
      case .close: open.removeLast()
      default: break
      }
    }
    var frames: ScopeFrame?
    for (scope, known) in open {
      guard scope.isGuard else {
        frames = ScopeFrame(scope, payload.within(frames), start: node.address)
        continue
      }
      guard let known else {
        throw FlowError(
          .noSuchStep, "a run cannot start inside a `.guarded` that begins after a step: the guard's input is unknown",
          step: node.info.id)
      }
      frames = ScopeFrame(scope, payload.with(known).within(frames), start: node.address)
    }
    return frames
  }

  /// The carried values at a node. Values from before the first step are computed again; those from after a step are
  /// unknown.
  private func carried(at node: Node, of whole: any Sendable) throws -> Carried? {
    var payload = Payload(whole)
    var isBeforeTheFirst = true
    /// Whether the value is known, for each open `.carrying`.
    var open: [Bool] = []
    for instruction in program[..<node.address] {
      switch instruction {
      case .carry:
        open.append(isBeforeTheFirst)
        if isBeforeTheFirst {
          payload = Payload(payload.value, carried: Carried(payload.value, below: payload.carried))
        }
      case .join:
        if open.removeLast() { payload = Payload(payload.value, carried: payload.carried?.below) }
      case .transform(let change) where isBeforeTheFirst: payload = payload.with(try change(payload.value))
      case .step, .fork, .choose: isBeforeTheFirst = false
      default: break
      }
    }
    guard open.allSatisfy(\.self) else {
      throw FlowError(
        .noSuchStep, "a run cannot start inside a `.carrying` that begins after a step: its carried value is unknown",
        step: node.info.id)
    }
    return payload.carried
  }
}
