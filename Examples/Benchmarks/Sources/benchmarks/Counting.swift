import ActorFlow
import Floors

/// Does the work of a figure an exact number of times, for tools that count instructions.
///
/// All else that the program does is the same for every number: it makes the same flows and launches as many. So the
/// difference between two runs is the cost of the operations by which they differ. The flows that are left over stay
/// waiting, and end with the process.
struct Counting {
  let figure: Figure
  /// Whether to do the floor's work instead.
  let isFloor: Bool

  /// The largest number of operations.
  private let limit: Int

  init(_ figure: Figure, isFloor: Bool) {
    let limit =
      switch figure {
      case .abandon5, .parallel2: 1_008
      default: 4_032
      }
    self.init(figure, isFloor: isFloor, limit: limit)
  }

  private init(_ figure: Figure, isFloor: Bool, limit: Int) {
    (self.figure, self.isFloor, self.limit) = (figure, isFloor, limit)
  }

  @concurrent func perform(_ times: Int) async throws {
    guard 1...limit ~= times else {
      throw WrongResult(description: "\(figure.rawValue) is counted 1 to \(limit) times")
    }
    // Warms up. The runtime caches its lookups per process, but two threads may do the first one at the same time.
    try await Counting(figure, isFloor: isFloor, limit: 64).performNow(8)
    try await performNow(times)
  }

  private func performNow(_ times: Int) async throws {
    if isFloor { try await performFloor(times) } else { try await performFigure(times) }
  }

  private func performFigure(_ times: Int) async throws {
    let (asking, rendering) = (Asking(), Rendering())
    switch figure {
    case .run8: _ = try await Walking().run8(times)
    case .define: _ = try await Walking().define(times)
    case .step: try await walk(times) { Step("step") { Increment() } }
    case .stepWithSubscriber: try await walk(times, isRead: true) { Step("step") { Increment() } }
    case .stepWith64Parked: try await walk(times, unread: 64) { Step("step") { Increment() } }
    case .question: _ = try await asking.question(times)
    case .backUp: _ = try await asking.backUp(times)
    case .abandon5: _ = try await asking.abandon5(times, of: limit)
    case .stepOfAnOutsideCall:
      _ = try await asking.stepOfAnOutsideCall(times, flows: limit / Asking.answersEach, endsFlows: false)
    case .parallel2: try await walk(times) { Composing.fork }
    case .choice: try await walk(times) { Composing.choice }
    case .loop: try await Composing().iterate(times)
    case .timeoutArmed: try await walk(times, instead: { Step("step") { Increment() } }, { Composing.timed })
    case .action: _ = try await rendering.action(times)
    case .action8: _ = try await rendering.action8(times)
    case .effectKept: try await rendering.effectsKept(times, of: limit)
    case .hostedAnswerMemory: _ = try await Hosting().answer(batch: times)
    case .hostedAnswerHot: _ = try await Hosting().answer(batch: times, keepHot: .seconds(60))
    default: throw WrongResult(description: "\(figure.rawValue) has no operations that can be counted")
    }
  }

  private func performFloor(_ times: Int) async throws {
    let plain = Plain()
    switch figure {
    case .run8: _ = try await plain.run8(times)
    case .step: try await plain.steps(times, of: limit)
    case .question: _ = try await plain.question(times)
    case .backUp: _ = try await plain.backUp(times)
    case .abandon5: _ = try await plain.abandon5(times, of: limit)
    case .stepOfAnOutsideCall:
      _ = try await plain.stepOfAnOutsideCall(times, flows: limit / Asking.answersEach, endsFlows: false)
    case .parallel2: _ = try await plain.twoTasks(times)
    default: throw WrongResult(description: "\(figure.rawValue) has no floor that can be counted")
    }
  }

  /// Walks over as many components, to a question that stays open.
  ///
  /// - Parameters:
  /// - unread: The number of subscriptions that are never read.
  ///   - isRead: Whether a subscriber reads all events.
  private func walk<C: FlowComponent<Int, Int>>(
    _ times: Int, unread: Int = 0, isRead: Bool = false, _ component: () -> C
  ) async throws {
    let flow = Flow {
      for _ in 0..<times { component() }
      Step("ask") { Ask() }
      for _ in times..<limit { component() }
    }
    let coordinator = FlowCoordinator()
    let streams = (0..<unread).map { _ in coordinator.events }
    let reader = isRead ? Task { @concurrent in await Self.read(coordinator) } : nil
    try await walk(flow, on: coordinator)
    withExtendedLifetime(streams) {}
    await reader?.value
  }

  /// Walks over as many components, and over as many others as are left.
  private func walk<C: FlowComponent<Int, Int>, Other: FlowComponent<Int, Int>>(
    _ times: Int, instead other: () -> Other, _ component: () -> C
  ) async throws {
    let flow = Flow {
      for _ in 0..<times { component() }
      for _ in times..<limit { other() }
      Step("ask") { Ask() }
      for _ in times..<limit { component() }
      for _ in 0..<times { other() }
    }
    try await walk(flow, on: FlowCoordinator())
  }

  private func walk(_ flow: Flow<Int, Int>, on coordinator: FlowCoordinator) async throws {
    Task { try await coordinator.run(flow, with: 0) }
    let count = try await coordinator.settled().questions.count
    try WrongResult.check(count == 1, "\(count) questions are open")
  }

  /// Reads events until a question is asked.
  private static func read(_ coordinator: FlowCoordinator) async {
    for await event in coordinator.events where !event.position.questions.isEmpty { return }
  }
}
