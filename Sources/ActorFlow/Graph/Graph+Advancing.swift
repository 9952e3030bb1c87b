// Runs the instructions between one step and the next.
extension Graph {
  /// The result of a walk: the next step, or another reason to stop.
  package enum Arrival: Sendable {
    case step(Node)
    case fork(Node)
    /// The menu of this node gets the result of a side branch.
    case resume(Node)
    /// The value may be an update for an earlier step. If it is not, the walk continues at the address.
    case deliver(orAt: Int)
    /// The beginning of a component with a finalizer, which is this node's.
    case enterFinally(Node)
    /// The end of a component with a finalizer; the walk then continues at the address.
    case leaveFinally(Node, at: Int)
    /// A choice whose cases may suspend, at this address.
    case choose(at: Int)
    /// A guard is asked before the walk continues at the address, which is in the scope of the guard.
    case guarded(ScopeFrame, at: Int)
    /// The walk ended a round of a loop again without reaching a step. Other inputs get their turn before the walk
    /// continues at the address.
    case round(at: Int)
    /// The end of the flow, or of the branch.
    case end
  }

  /// Runs the instructions from `address` on, up to the next step. Runs the user's closures and throws their errors.
  /// After an error, `payload` is the payload at that point, so it tells which scopes are around the failure.
  package func advance(from address: Int, _ payload: inout Payload) throws -> Arrival {
    if let node = steps[address] { return .step(node) }
    var address = address
    // A single payload is made for all changes between two steps.
    var load = Load(payload)
    var hasTurned = false
    defer { payload = load.packed }
    while true {
      switch program[address] {
      case .step(let node): return .step(node)
      case .fork(let node): return .fork(node)
      case .end: return .end
      case .enterFinally(let node): return .enterFinally(node)
      case .leaveFinally(let node): return .leaveFinally(node, at: address + 1)
      case .resume(let node): return .resume(node)
      case .deliver: return .deliver(orAt: address + 1)
      case .jump(let target):
        address = target
        continue
      case .transform(let change): load.value = try change(load.value)
      case .carry: load.carried = Carried(load.value, below: load.carried)
      case .join(let join): try load.join(join)
      case .open(let scope):
        let frame = ScopeFrame(scope, load.packed)
        load.scopes = frame
        if scope.isGuard { return .guarded(frame, at: address + 1) }
      case .close: load.scopes = load.scopes?.below
      case .choose(let choice, let addresses, let otherwise):
        guard !choice.suspends else { return .choose(at: address) }
        if let (index, payload) = try choice.pick(load.value) {
          load.value = payload
          address = addresses[index]
        } else if let otherwise {
          address = otherwise
        } else {
          throw Self.noMatch(for: load.value, in: choice)
        }
        continue
      case .decide(let repetition, let body):
        switch try repetition.decide(load.value) {
        case .again(let next):
          load.value = next
          if hasTurned { return .round(at: body) }
          hasTurned = true
          address = body
          continue
        case .done(let output): load.value = output
        }
      }
      address += 1
    }
  }

  /// Chooses at an address where the closures of the cases may suspend. Changes the payload's value to the input of the
  /// case, and returns the address of the case.
  package func choose(at address: Int, _ payload: inout Payload) async throws -> Int {
    guard case .choose(let choice, let addresses, let otherwise) = program[address] else { return address }
    if let (index, value) = try await choice.suspendingPick(payload.value) {
      payload = payload.with(value)
      return addresses[index]
    }
    guard let otherwise else { throw Self.noMatch(for: payload.value, in: choice) }
    return otherwise
  }

  private static func noMatch(for value: any Sendable, in choice: Choice) -> FlowError {
    if let takers = choice.takers {
      return FlowError(
        .noMatchingCase,
        "no part of the router takes a value of type \(type(of: value)), and no earlier step on the stack receives it "
          + "as an update; \(takers); add a part that takes it")
    }
    let names = choice.cases.map { "\"\($0.label)\"" }.joined(separator: ", ")
    return FlowError(
      .noMatchingCase,
      "no case matches a value of type \(type(of: value)); there are \(names.isEmpty ? "none" : names); "
        + "add a case for it, or an `Otherwise`")
  }
}

/// A payload that is being changed.
private struct Load: ~Copyable {
  private let payload: Payload
  private var hasChanged = false
  var value: any Sendable { didSet { hasChanged = true } }
  var carried: Carried? { didSet { hasChanged = true } }
  var scopes: ScopeFrame? { didSet { hasChanged = true } }

  init(_ payload: Payload) {
    self.payload = payload
    value = payload.value
    carried = payload.carried
    scopes = payload.scopes
  }

  var packed: Payload { hasChanged ? Payload(value, carried: carried, scopes: scopes) : payload }

  mutating func join(_ join: Segment.Join) throws {
    guard let carried else {
      throw FlowError(
        .typeMismatch, "`.carrying` has nothing to carry: the run was started inside it, after its input")
    }
    value = try join(carried.value, value)
    self.carried = carried.below
  }
}
