// Entering in the middle.
extension Graph {
  /// What is on its way when a run begins with this step instead of the first: the step's input, what `.carrying` has set
  /// aside before the first step, and the scopes around it, each beginning here.
  ///
  /// - Parameter whole: The flow's own input; only a `.carrying` around the whole flow has a use for it.
  package func cargo(entering node: Node, with input: any Sendable, of whole: any Sendable) throws -> Cargo {
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
    let cargo = Cargo(input, kept: try kept(at: node, of: whole))
    return cargo.within(frames(at: node, cargo))
  }

  /// The scopes that are open at a node, innermost first; each would begin with it again.
  private func frames(at node: Node, _ cargo: Cargo) -> ScopeFrame? {
    var open: [Scope] = []
    for instruction in program[..<node.address] {
      switch instruction {
      case .open(let scope): open.append(scope)
      case .close: open.removeLast()
      default: break
      }
    }
    return open.reduce(nil) { ScopeFrame($1, cargo.within($0), start: node.address) }
  }

  /// What is set aside at a node: what was before the first step is made anew; what is set aside behind a step is not
  /// known.
  private func kept(at node: Node, of whole: any Sendable) throws -> Kept? {
    var cargo = Cargo(whole)
    var isBeforeTheFirst = true
    /// For each `.carrying` that is open, whether its value is known.
    var open: [Bool] = []
    for instruction in program[..<node.address] {
      switch instruction {
      case .keep:
        open.append(isBeforeTheFirst)
        if isBeforeTheFirst { cargo = Cargo(cargo.value, kept: Kept(cargo.value, below: cargo.kept)) }
      case .join:
        if open.removeLast() { cargo = Cargo(cargo.value, kept: cargo.kept?.below) }
      case .transform(let change) where isBeforeTheFirst: cargo = cargo.with(try change(cargo.value))
      case .step, .fork, .choose: isBeforeTheFirst = false
      default: break
      }
    }
    guard open.allSatisfy(\.self) else {
      throw FlowError(
        .noSuchStep, "a run cannot start inside a `.carrying` that begins behind a step: what it carries is missing",
        step: node.info.id)
    }
    return cargo.kept
  }
}
