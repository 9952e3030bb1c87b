import ActorFlow

/// A value of a router's plan: one leaf, however many one-ofs are around it.
struct RouterToken: Sendable, Equatable {
  let leaf: Int
  let number: Int
}

/// A type of a router's plan.
protocol RouterShape: Sendable {
  static var shape: RouterPlan.Shape { get }
  init(_ token: RouterToken)
  var token: RouterToken { get }
}

struct RouterLeaf<Tag: RouterTag>: RouterShape {
  static var shape: RouterPlan.Shape { .leaf(Tag.number) }
  let token: RouterToken
  init(_ token: RouterToken) { self.token = token }
}

protocol RouterTag { static var number: Int { get } }
enum RouterTags {
  enum A: RouterTag { static let number = 0 }
  enum B: RouterTag { static let number = 1 }
  enum C: RouterTag { static let number = 2 }
  enum D: RouterTag { static let number = 3 }
  enum E: RouterTag { static let number = 4 }
  enum Middle: RouterTag { static let number = 5 }

  static let leaves: [any RouterShape.Type] = [
    RouterLeaf<A>.self, RouterLeaf<B>.self, RouterLeaf<C>.self, RouterLeaf<D>.self, RouterLeaf<E>.self,
    RouterLeaf<Middle>.self,
  ]
}

extension OneOf2: RouterShape where A: RouterShape, B: RouterShape {
  static var shape: RouterPlan.Shape { .either(A.shape, B.shape) }

  init(_ token: RouterToken) {
    self = A.shape.leaves.contains(token.leaf) ? .first(A(token)) : .second(B(token))
  }

  var token: RouterToken {
    switch self {
    case .first(let value): value.token
    case .second(let value): value.token
    }
  }
}

extension RouterPlan.Shape {
  var type: any RouterShape.Type {
    switch self {
    case .leaf(let number): RouterTags.leaves[number]
    case .either(let first, let second): Self.either(first.type, second.type)
    }
  }

  private static func either<A: RouterShape, B: RouterShape>(_ a: A.Type, _ b: B.Type) -> any RouterShape.Type {
    OneOf2<A, B>.self
  }
}

/// The course of a run, compared with the plan at each value.
final class RouterCourse: Sendable {
  struct Enough: Error {}

  private enum Expected: Equatable {
    case anything
    case value(RouterToken, to: Int)
    case update(RouterToken, to: String)
  }

  private struct State {
    var random: SeededGenerator
    var stack: [RouterPlan.StepPlan] = []
    var expected = Expected.anything
    /// The step that has received an update, and proceeds again.
    var returned: String?
    var made = 0
    var updates = 0
    var findings: [String] = []
  }
  private let plan: RouterPlan
  private let state: Lock<State>

  init(_ plan: RouterPlan, _ random: SeededGenerator) {
    self.plan = plan
    state = Lock(State(random: random))
  }

  var findings: [String] { state.withLock { $0.findings } }
  var updates: Int { state.withLock { $0.updates } }

  func skips(_ step: RouterPlan.StepPlan) -> Bool { state.withLock { step.skips && $0.random.chance(50) } }

  /// Notes that a part begins with a value, before its first step, or that the router has ended with one.
  func arrive(at index: Int, with token: RouterToken) {
    state.withLock { state in
      if state.expected != .value(token, to: index) {
        state.findings.append("\(token) came to \(index), not as expected: \(state.expected)")
      }
      state.expected = .anything
    }
  }

  func enter(_ step: RouterPlan.StepPlan) {
    state.withLock { state in
      if state.returned == step.name {
        state.returned = nil
        return
      }
      if state.stack.last?.settles == true { state.stack = [] }
      state.stack.append(step)
    }
  }

  func receive(_ token: RouterToken, by name: String) {
    state.withLock { state in
      if state.expected != .update(token, to: name) {
        state.findings.append("\(name) received \(token), not as expected: \(state.expected)")
      }
      state.expected = .anything
      state.updates += 1
      state.returned = name
      // A step never receives its own update, but perhaps that of a later visit to it.
      repeat { state.stack.removeLast() } while !state.stack.isEmpty && state.stack.last?.name != name
    }
  }

  func start() -> RouterToken { state.withLock { make(plan.start, isOutput: false, &$0) } }

  /// Makes a value; as the output of a part it is routed.
  func make(_ shape: RouterPlan.Shape, isOutput: Bool) throws -> RouterToken {
    try state.withLock { state in
      guard state.made < 30 else { throw Enough() }
      return make(shape, isOutput: isOutput, &state)
    }
  }

  private func make(_ shape: RouterPlan.Shape, isOutput: Bool, _ state: inout State) -> RouterToken {
    state.made += 1
    let leaves = shape.leaves
    let token = RouterToken(leaf: leaves[state.random.below(leaves.count)], number: state.made)
    guard isOutput || state.made == 1 else { return token }
    let routed = plan.routed(shape).first { $0.leaves.contains(token.leaf) } ?? shape
    if isOutput, routed == .leaf(token.leaf),
      let receiver = state.stack.dropLast().last(where: { $0.receives == token.leaf })
    {
      state.expected = .update(token, to: receiver.name)
    } else {
      state.expected = .value(token, to: plan.takers(of: routed).first ?? -1)
    }
    return token
  }
}

// MARK: - Steps

/// The behaviour of a step, whatever its types are.
struct RouterRole: Sendable {
  let plan: RouterPlan.StepPlan
  let course: RouterCourse
  /// Whether its output is that of its part.
  let isLast: Bool

  func proceed<Output: RouterShape>() throws -> Output {
    course.enter(plan)
    return try make()
  }

  func skip<Output: RouterShape>() throws -> Skip<Output> {
    guard course.skips(plan) else { return .enter }
    if plan.staysIfSkipped { course.enter(plan) }
    return .with(try make())
  }

  func receive(_ token: RouterToken) { course.receive(token, by: plan.name) }

  private func make<Output: RouterShape>() throws -> Output { Output(try course.make(Output.shape, isOutput: isLast)) }
}

actor RouterPuppetStep<Input: RouterShape, Output: RouterShape>: FlowStep {
  private let role: RouterRole
  init(_ role: RouterRole) { self.role = role }

  func proceed(_ input: Input, context: StepContext) throws -> Output { try role.proceed() }
  func backUp(context: RollbackContext) {}
}

actor RouterSkipper<Input: RouterShape, Output: RouterShape>: SkippableStep {
  private let role: RouterRole
  init(_ role: RouterRole) { self.role = role }

  func skip(_ input: Input, context: EntryContext) throws -> Skip<Output> { try role.skip() }
  func proceed(_ input: Input, context: StepContext) throws -> Output { try role.proceed() }
  func backUp(context: RollbackContext) {}
}

actor RouterReceiver<Input: RouterShape, Output: RouterShape, Update: RouterShape>: ReceivingStep {
  private let role: RouterRole
  init(_ role: RouterRole) { self.role = role }

  func receive(_ update: Update) { role.receive(update.token) }
  func proceed(_ input: Input, context: StepContext) throws -> Output { try role.proceed() }
  func backUp(context: RollbackContext) {}
}

actor RouterSkippingReceiver<Input: RouterShape, Output: RouterShape, Update: RouterShape>: SkippableStep, ReceivingStep
{
  private let role: RouterRole
  init(_ role: RouterRole) { self.role = role }

  func receive(_ update: Update) { role.receive(update.token) }
  func skip(_ input: Input, context: EntryContext) throws -> Skip<Output> { try role.skip() }
  func proceed(_ input: Input, context: StepContext) throws -> Output { try role.proceed() }
  func backUp(context: RollbackContext) {}
}

// MARK: - The router

extension RouterPlan {
  /// Builds the router, and runs it unless it is refused.
  ///
  /// - Returns: Whether it was built.
  func play(_ course: RouterCourse) async throws -> Bool {
    try await play(course, from: start.type, to: end.type)
  }

  private func play<Start: RouterShape, End: RouterShape>(
    _ course: RouterCourse, from start: Start.Type, to end: End.Type
  ) async throws -> Bool {
    let router: TypeRouter<Start, End>
    do {
      router = try TypeRouter(start: start, end: end) {
        // With `return` it is no result builder: the types of the parts are not known here.
        return parts.indices.flatMap { part($0, course, parts[$0].input.type, parts[$0].output.type) }
      }
    } catch let error as FlowError where error.code == .badDefinition { return false }
    do {
      let output = try await FlowCoordinator().run(router.flow, with: Start(course.start()))
      course.arrive(at: endIndex, with: output.token)
    } catch is RouterCourse.Enough {}
    return true
  }

  private func part<I: RouterShape, O: RouterShape>(
    _ index: Int, _ course: RouterCourse, _ input: I.Type, _ output: O.Type
  ) -> [TypeRouterBuilder.Part] {
    let elements = parts[index].elements
    // The first element is walked again when an update has returned to it, without arriving again.
    let entry = Step<I, I>("p\(index)") { (value: I) in
      course.arrive(at: index, with: value.token)
      course.enter(StepPlan(name: "p\(index)"))
      return value
    }
    guard elements.count > 1 else {
      return TypeRouterBuilder.buildExpression(
        Flow {
          entry
          element(elements[0], course, isLast: true) as Flow<I, O>
        })
    }
    typealias Middle = RouterLeaf<RouterTags.Middle>
    return TypeRouterBuilder.buildExpression(
      Flow {
        entry
        element(elements[0], course, isLast: false) as Flow<I, Middle>
        element(elements[1], course, isLast: true) as Flow<Middle, O>
      })
  }

  private func element<I: RouterShape, O: RouterShape>(
    _ element: Element, _ course: RouterCourse, isLast: Bool
  ) -> Flow<I, O> {
    switch element {
    case .step(let plan): return step(plan, course, isLast)
    case .choice(let first, let second):
      return Switch {
        Case("", where: { (value: I) in value.token.number.isMultiple(of: 2) }) {
          step(first, course, isLast) as Flow<I, O>
        }
        Otherwise { step(second, course, isLast) as Flow<I, O> }
      }.flow
    case .loop(let plan):
      return Loop {
        (step(plan, course, isLast) as Flow<I, O>).map { Again<I, O>.done($0) }
      }.flow
    }
  }

  private func step<I: RouterShape, O: RouterShape>(
    _ plan: StepPlan, _ course: RouterCourse, _ isLast: Bool
  ) -> Flow<I, O> {
    let role = RouterRole(plan: plan, course: course, isLast: isLast)
    let flow: Flow<I, O>
    if let update = plan.receives {
      flow = receiver(of: RouterTags.leaves[update], role)
    } else if plan.skips {
      flow = Step(plan.name) { RouterSkipper<I, O>(role) }.flow
    } else {
      flow = Step(plan.name) { RouterPuppetStep<I, O>(role) }.flow
    }
    if plan.staysIfSkipped { return flow.onBackUp(.returnableIfSkipped) }
    return plan.settles ? flow.onBackUp(.settling) : flow
  }

  private func receiver<I: RouterShape, O: RouterShape, U: RouterShape>(
    of update: U.Type, _ role: RouterRole
  ) -> Flow<I, O> {
    role.plan.skips
      ? Step(role.plan.name) { RouterSkippingReceiver<I, O, U>(role) }.flow
      : Step(role.plan.name) { RouterReceiver<I, O, U>(role) }.flow
  }
}
