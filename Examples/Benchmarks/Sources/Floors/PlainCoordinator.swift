/// Runs one plain flow at a time: an actor that owns the run.
///
/// The actor keeps the rules of ActorFlow's coordinator for automatic steps, questions and rollback: a linked stack of
/// visits, a bounded log of events with their positions, questions that cancellation ends, `backUp` to the last question,
/// and `abandon`. Steps run between turns, so every request is served while a step executes. There are no forks, no
/// scopes, no journal and no typed definitions. The actor's cost is the floor of a figure.
public actor PlainCoordinator {
  /// A question that is open.
  public struct Question: Sendable {
    public let id: Int
    let prompt: any Sendable
  }

  /// The position of a flow.
  public struct Position: Sendable {
    public let stack: Visit?
    public let question: Question?
    public let isOver: Bool
  }

  enum Change: Sendable { case started, entered, asked, answered, withdrawn, left, leaving, undone, ended }

  /// An event.
  public struct Event: Sendable {
    public let sequence: Int
    let change: Change
    public let position: Position
  }

  private enum Phase { case idle, walking, leaving, ended }
  private enum Goal { case settled, landed, over, next }

  private var flow = PlainFlow(name: "", factories: [])
  private var phase = Phase.idle
  private var stack: Visit?
  /// The visits that have asked a question, which are the targets of `backUp`.
  private var targets: [Visit] = []
  /// The visit at which a rollback ends; `nil` if it compensates everything.
  private var target: Visit?
  private var question: Question?
  private var asker: OneShot?
  private var questions = 0
  private var sequence = 0
  private var log: [Event] = []
  private var waiters: [(goal: Goal, waiter: OneShot)] = []
  private var stint: Task<Void, Never>?
  private var outcome: Result<any Sendable, any Error> = .failure(PlainError.abandoned)

  public init() {}

  /// Runs a flow, and returns the last step's output.
  public nonisolated func run(_ flow: PlainFlow, with input: any Sendable) async throws -> any Sendable {
    var stint = try await begin(flow, input)
    await withTaskCancellationHandler {
      while true {
        await stint.value
        guard let next = await nextStint(after: stint) else { break }
        stint = next
      }
    } onCancel: {
      Task { try? await self.leave(throwing: CancellationError()) }
    }
    return try await result.get()
  }

  private var result: Result<any Sendable, any Error> { outcome }

  private func begin(_ flow: PlainFlow, _ input: any Sendable) throws -> Task<Void, Never> {
    guard phase == .idle || phase == .ended else { throw PlainError.alreadyRunning }
    (self.flow, phase, stack, targets) = (flow, .walking, nil, [])
    publish(.started)
    let stint = Task { @concurrent in await self.walk(flow, from: 0, with: input) }
    self.stint = stint
    return stint
  }

  private func nextStint(after stint: Task<Void, Never>) -> Task<Void, Never>? {
    self.stint == stint ? nil : self.stint
  }
}

// MARK: - The walk

extension PlainCoordinator {
  /// - Parameter backedUp: The first step, if the flow was backed up to it.
  @concurrent private nonisolated func walk(
    _ flow: PlainFlow, from start: Int, with input: any Sendable, on backedUp: (any PlainStep)? = nil
  ) async {
    var (node, value, backedUp) = (start, input, backedUp)
    do {
      while node < flow.factories.count {
        let step = backedUp.take() ?? flow.factories[node].make()
        guard let visit = await enter(node, step, value) else { return await succeed() }
        value = try await step.proceed(erased: value, context: PlainContext(coordinator: self, visit: visit))
        guard await returned() else { return await succeed() }
        node += 1
      }
      await end(.success(value))
    } catch {
      await failed(error)
    }
  }

  private func enter(_ node: Int, _ step: any PlainStep, _ input: any Sendable) -> Visit? {
    guard phase == .walking else { return nil }
    let visit = Visit(node, step, input, on: stack)
    stack = visit
    publish(.entered)
    return visit
  }

  private func returned() -> Bool {
    if asker != nil { closeQuestion(.withdrawn, .failure(CancellationError())) }
    return phase == .walking
  }

  private func failed(_ error: any Error) {
    if phase == .walking {
      (phase, target, outcome) = (.leaving, nil, .failure(error))
      publish(.leaving)
    }
    succeed()
  }

  private func end(_ result: Result<any Sendable, any Error>) {
    guard phase == .walking || stack == nil else { return succeed() }
    (phase, outcome) = (.ended, result)
    publish(.ended)
  }

  /// Makes the task that rolls back and continues. The walk's task may be cancelled, so it cannot do this itself.
  private func succeed() { stint = Task { @concurrent in await self.rollBack() } }

  @concurrent private nonisolated func rollBack() async {
    while let visit = await top {
      await visit.step.backUp()
      guard await undone(visit) else { continue }
      return await walk(await definition, from: visit.node, with: visit.input, on: visit.step)
    }
    await end(await result)
  }

  private var top: Visit? { stack }
  private var definition: PlainFlow { flow }

  /// Pops a visit, and returns whether it was the target, from which the flow continues.
  private func undone(_ visit: Visit) -> Bool {
    stack = visit.below
    if targets.last === visit { targets.removeLast() }
    let isTarget = visit === target
    if isTarget { (phase, target) = (.walking, nil) }
    publish(.undone)
    return isTarget
  }
}

// MARK: - Questions

extension PlainCoordinator {
  func ask(_ prompt: any Sendable, at visit: Visit, _ asker: OneShot) throws {
    guard phase == .walking, stack === visit, question == nil else { throw PlainError.left }
    questions += 1
    question = Question(id: questions, prompt: prompt)
    self.asker = asker
    if targets.last !== visit { targets.append(visit) }
    publish(.asked)
  }

  func withdraw(_ asker: OneShot) {
    if self.asker === asker { closeQuestion(.withdrawn, .failure(CancellationError())) }
  }

  /// Answers the open question.
  public func answer(_ id: Int, with value: any Sendable) throws {
    guard question?.id == id, phase == .walking else { throw PlainError.noSuchQuestion }
    closeQuestion(.answered, .success(value))
  }

  private func closeQuestion(_ change: Change, _ result: Result<any Sendable, any Error>) {
    let asker = asker.take()
    question = nil
    publish(change)
    asker?.fulfil(result)
  }
}

// MARK: - Requests and events

extension PlainCoordinator {
  /// Goes back to the last question before the running step, and returns when it has landed there.
  public nonisolated func backUp() async throws { _ = try await leaveForTarget().value() }

  private func leaveForTarget() throws -> OneShot {
    guard let target = targets.last(where: { $0 !== stack }) else { throw PlainError.cannotBackUp }
    try leave(to: target, throwing: PlainError.abandoned)
    return wait(for: .landed)
  }

  /// Ends the flow, and returns when its steps are compensated, newest first; `run` throws.
  public nonisolated func abandon() async throws { _ = try await leaveForGood().value() }

  private func leaveForGood() throws -> OneShot {
    try leave(throwing: PlainError.abandoned)
    return wait(for: .over)
  }

  private func leave(to target: Visit? = nil, throwing error: any Error) throws {
    guard phase == .walking else { throw PlainError.left }
    (phase, self.target, outcome) = (.leaving, target, .failure(error))
    question = nil
    let asker = asker.take()
    publish(.leaving)
    asker?.fulfil(.failure(CancellationError()))
    stint?.cancel()
  }

  /// The position once a question is open, or the flow is over.
  public nonisolated func settled() async throws -> Position {
    let (position, waiter) = await settledNow()
    guard let waiter else { return position }
    guard let position = try await waiter.value() as? Position else { throw PlainError.wrongType }
    return position
  }

  private func settledNow() -> (Position, OneShot?) { (position, isReached(.settled) ? nil : wait(for: .settled)) }

  /// The next event of the log after a sequence number, or the oldest one that is left.
  public nonisolated func event(after sequence: Int) async throws -> Event {
    while true {
      let (event, waiter) = await logged(after: sequence)
      if let event { return event }
      _ = try await waiter?.value()
    }
  }

  private func logged(after sequence: Int) -> (Event?, OneShot?) {
    guard sequence < self.sequence else { return (nil, wait(for: .next)) }
    let next = max(sequence, self.sequence - log.count) + 1
    return (log[(next - 1) % Self.capacity], nil)
  }

  private static var capacity: Int { 256 }

  private var position: Position { Position(stack: stack, question: question, isOver: phase == .ended) }

  private func wait(for goal: Goal) -> OneShot {
    let waiter = OneShot()
    waiters.append((goal, waiter))
    return waiter
  }

  private func isReached(_ goal: Goal) -> Bool {
    switch goal {
    case .settled: phase == .ended || phase == .walking && question != nil
    case .landed: phase == .ended || phase == .walking && target == nil
    case .over: phase == .ended
    case .next: true
    }
  }

  private func publish(_ change: Change) {
    sequence += 1
    let event = Event(sequence: sequence, change: change, position: position)
    if log.count < Self.capacity { log.append(event) } else { log[(sequence - 1) % Self.capacity] = event }
    guard !waiters.isEmpty else { return }
    waiters.removeAll { goal, waiter in
      guard isReached(goal) else { return false }
      waiter.fulfil(.success(event.position))
      return true
    }
  }
}
