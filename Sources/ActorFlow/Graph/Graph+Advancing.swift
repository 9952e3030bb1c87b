// From one step to the next: runs what stands between them.
extension Graph {
  /// Where the walk comes to next.
  package enum Arrival: Sendable {
    case step(Node)
    case fork(Node)
    /// The menu of this node has a side branch's result.
    case resume(Node)
    /// The value may be an update for an earlier step; if not, the walk goes on at the address.
    case deliver(orAt: Int)
    /// The end of the flow, or of the branch.
    case end
  }

  /// Runs the instructions from `address` on, up to the next step. Runs closures of the user's, and throws what they
  /// throw; `cargo` then is what had come so far, so it tells which scopes watch over the failure.
  package func advance(from address: Int, _ cargo: inout Cargo) throws -> Arrival {
    var address = address
    while true {
      switch program[address] {
      case .step(let node): return .step(node)
      case .fork(let node): return .fork(node)
      case .end: return .end
      case .resume(let node): return .resume(node)
      case .deliver: return .deliver(orAt: address + 1)
      case .jump(let target):
        address = target
        continue
      case .transform(let change): cargo = cargo.with(try change(cargo.value))
      case .keep: cargo = Cargo(cargo.value, kept: Kept(cargo.value, below: cargo.kept), scopes: cargo.scopes)
      case .join(let join):
        guard let kept = cargo.kept else {
          throw FlowError(
            .typeMismatch, "`.carrying` has nothing to carry: the run was started inside it, behind its input")
        }
        cargo = Cargo(try join(kept.value, cargo.value), kept: kept.below, scopes: cargo.scopes)
      case .open(let scope): cargo = cargo.within(ScopeFrame(scope, cargo))
      case .close: cargo = cargo.within(cargo.scopes?.below)
      case .choose(let choice, let addresses, let otherwise):
        if let (index, payload) = try choice.pick(cargo.value) {
          cargo = cargo.with(payload)
          address = addresses[index]
        } else if let otherwise {
          address = otherwise
        } else {
          throw Self.noMatch(for: cargo.value, in: choice)
        }
        continue
      case .decide(let repetition, let body):
        switch try repetition.decide(cargo.value) {
        case .again(let next):
          // A body without a step would never come to a place where it can be left.
          try Task.checkCancellation()
          cargo = cargo.with(next)
          address = body
          continue
        case .done(let output): cargo = cargo.with(output)
        }
      }
      address += 1
    }
  }

  private static func noMatch(for value: any Sendable, in choice: Choice) -> FlowError {
    let names = choice.cases.map { "\"\($0.label)\"" }.joined(separator: ", ")
    return FlowError(
      .noMatchingCase,
      "no case matches a value of type \(type(of: value)); there are \(names.isEmpty ? "none" : names); "
        + "add a case for it, or an `Otherwise`")
  }
}
