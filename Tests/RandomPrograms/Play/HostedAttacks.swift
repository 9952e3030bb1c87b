import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

/// Abandons many hosted flows at the moment in which a side branch ends and its menu has not been called again.
///
/// - Returns: The violations.
package func attackHostedMenus(rounds: Int) async throws -> [String] {
  let program = menuProgram(isForked: false)
  let host = FlowHost(store: MemoryFlowStore())
  let flows = try await register(program, rounds, with: host)
  return await inFourTasks(rounds) { round in
    let flow = try await flows[round].start()
    try await host.command(.go(0), flow)
    try await host.command(.go(0), flow)
    try await host.command(.go(0), flow)
    _ = try await host.flow(flow).abandon()
    try checkMenu(program, flows[round].world)
  }
}

/// Lets many hosted steps ask beside a wait in a task group. The answer wins, so the wait is given up; then the step
/// asks again and again, each time replaying its earlier questions, the last times on another host.
///
/// - Returns: The violations.
package func attackWaits(rounds: Int) async throws -> [String] {
  let program = Program(parts: [.step(StepPlan(name: "first")), .step(StepPlan(name: "last"))])
  let store = MemoryFlowStore()
  let host = FlowHost(store: store)
  let flows = try await register(program, rounds, with: host)
  var failures = await inFourTasks(rounds) { round in
    let flow = try await flows[round].start()
    try await host.command(.either("x", waitsFirst: round % 2 == 0), flow)
    try await host.command(round % 3 == 0 ? .giveUp("x") : .ask, flow)
    try await host.command(.ask, flow)
  }
  // A flow that has left a wait behind is never passivated.
  failures += await within(hanging) { _ = try await host.catchUp() }
  let next = FlowHost(store: store)
  let again = try await register(program, rounds, with: next)
  failures += await inFourTasks(rounds) { round in
    let flow = again[round].id
    try await next.command(.go(1), flow)
    try await next.command(.go(2), flow)
    let view = try await next.flow(flow).settled(within: hanging)
    try expect(view.status == .finished, "the flow is \(view.status): \(view.failure ?? "")")
  }
  return failures
}

/// The time without progress after which a flow counts as hanging.
private let hanging = Duration.seconds(600)

/// A flow with a world of its own.
private struct AttackedFlow: Sendable {
  let id: FlowID
  let world: World
  let hosted: RegisteredFlow<Value, Value>

  func start() async throws -> FlowID {
    try await hosted.start(id: id, with: Value())
    return id
  }
}

private func register(_ program: Program, _ count: Int, with host: FlowHost) async throws -> [AttackedFlow] {
  var flows: [AttackedFlow] = []
  for number in 0..<count {
    let world = World(isHosted: true)
    let hosted = try await host.register(try program.flow(in: world.newHostSession()).named("f\(number)"))
    flows.append(AttackedFlow(id: FlowID("flow-\(number)"), world: world, hosted: hosted))
  }
  return flows
}

extension FlowHost {
  /// Answers the flow's next question.
  fileprivate func command(_ command: Command, _ id: FlowID) async throws {
    let view = try await flow(id).settled(within: hanging)
    guard let question = view.questions.first else {
      throw Violation("the flow asks nothing and is \(view.status): \(view.failure ?? "")")
    }
    try await flow(id).answer(question.id, with: command)
  }
}

/// Returns the error of the call, or a violation if it takes longer than this time.
private func within(_ time: Duration, _ work: @escaping @Sendable () async throws -> Void) async -> [String] {
  do {
    return try await Patience(time).wait(for: work) == nil ? ["not all flows are put away after \(time)"] : []
  } catch { return ["\(error)"] }
}
