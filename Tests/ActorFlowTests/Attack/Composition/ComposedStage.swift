import ActorFlow

/// The effects of a composed flow's steps on the world, and the steps that are still alive.
final class ComposedStage: Sendable {
  enum Line: Sendable, Hashable {
    case proceed(String, instance: Int, visit: VisitID)
    case backUp(String, instance: Int)
  }

  private struct State {
    var lines: [Line] = []
    var made = 0
    var failures: [String: Int] = [:]
    var instances: [WeakStep] = []
    /// The number of pieces of code that execute in each branch.
    var busy: [String: Int] = [:]
    var violations: [String] = []
  }
  private let state = Lock(State())
  /// Whether steps and `backUp`s let other tasks run first.
  private let yields: Bool

  init(yields: Bool = false) {
    self.yields = yields
  }

  var lines: [Line] { state.withLock { $0.lines } }
  var livingInstances: Int { state.withLock { state in state.instances.count { $0.step != nil } } }

  var violations: [String] { state.withLock { $0.violations } }

  /// Begins a piece of a step's code; on one stack only one piece may execute at a time.
  func running<T>(
    _ key: String, in track: String?, _ body: () async throws -> T
  ) async rethrows -> T {
    guard let track, yields else { return try await body() }
    state.withLock { state in
      state.busy[track, default: 0] += 1
      if state.busy[track] != 1 { state.violations.append("\(key) runs beside another step of \(track)") }
    }
    defer { state.withLock { $0.busy[track, default: 0] -= 1 } }
    await Task.yield()
    return try await body()
  }

  func trace(_ line: Line) { state.withLock { $0.lines.append(line) } }

  func newInstance(_ step: ComposedStep) -> Int {
    state.withLock { state in
      state.made += 1
      state.instances.append(WeakStep(step: step))
      return state.made
    }
  }

  /// Whether the step must fail once more.
  func fails(_ key: String, of times: Int) -> Bool {
    state.withLock { state in
      let count = state.failures[key, default: 0]
      state.failures[key] = count + 1
      return count < times
    }
  }
}

private struct WeakStep: Sendable {
  weak let step: ComposedStep?
}

/// A step that does what its plan says.
actor ComposedStep: FlowStep {
  private let plan: ComposedPlan.Step
  private let stage: ComposedStage
  private var instance = 0
  private var key: String

  init(_ plan: ComposedPlan.Step, _ stage: ComposedStage) {
    self.plan = plan
    self.stage = stage
    // The input of an instance that was created only for its `backUp`, and never got one.
    key = "\(plan.name)<?>"
  }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await stage.running(plan.name, in: plan.track) { try await act(input, context) }
  }

  private func act(_ input: String, _ context: StepContext) async throws -> String {
    if instance == 0 { instance = stage.newInstance(self) }
    key = "\(plan.name)<\(input)>"
    stage.trace(.proceed(key, instance: instance, visit: context.visit))
    var output = input
    for (number, action) in plan.actions.enumerated() {
      switch action {
      case .ask: output += ".\(try await context.ask(Form(text: "\(key)\(number)")))"
      case .askWithin(let limit):
        output += ".\(try await context.ask(Form(text: "\(key)\(number)"), within: limit) ?? "late")"
      case .wait(let signal): output += ".\(try await context.wait(for: Signal<String>(signal)))"
      case .waitWithin(let signal, let limit):
        output += ".\(try await context.wait(for: Signal<String>(signal), within: limit) ?? "late")"
      case .backUp: if stage.fails("\(key)\(number)", of: 1) { try await context.backUp() }
      case .abandon: if stage.fails("\(key)\(number)", of: 1) { try await context.abandon("why") }
      case .once:
        output += try await context.once("k") { _ in
          await Task.yield()
          return "o"
        }
      case .fail(let times): if stage.fails("\(key)\(number)", of: times) { throw Failure(plan.name) }
      }
    }
    return output + plan.name
  }

  func backUp(context: RollbackContext) async throws {
    await stage.running(plan.name, in: plan.track) { stage.trace(.backUp(key, instance: instance)) }
    if plan.backUpFails { throw Failure("undo") }
  }
}
