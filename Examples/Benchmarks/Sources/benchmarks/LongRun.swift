import ActorFlow
import Synchronization

/// One run of very many steps, measured while it runs.
struct LongRun {
  /// Steps between two measurements.
  static let window = 512
  /// Windows on either side whose median counts.
  static let windows = 16

  let steps: Int

  /// Measures every `window` steps, by the count in the flow's value.
  actor Milestone: FlowStep {
    private let log: Log
    private let window: Int

    init(_ log: Log, every window: Int = LongRun.window) { (self.log, self.window) = (log, window) }

    func proceed(_ input: Int, context: StepContext) throws -> Int {
      if input.isMultiple(of: window) { try log.look() }
      return input + 1
    }

    func backUp(context: RollbackContext) {}
  }

  final class Log: Sendable {
    private let watchesMemory: Bool
    private let looks = Mutex<[(time: ContinuousClock.Instant, resident: Int)]>([])

    init(watchesMemory: Bool, capacity: Int) {
      self.watchesMemory = watchesMemory
      looks.withLock { $0.reserveCapacity(capacity) }
    }

    func look() throws {
      let resident = watchesMemory ? try Memory.resident() : 0
      looks.withLock { $0.append((.now, resident)) }
    }

    func takeAll() -> [(time: ContinuousClock.Instant, resident: Int)] {
      looks.withLock { looks in
        defer { looks.removeAll(keepingCapacity: true) }
        return looks
      }
    }
  }

  /// The cost of a step after this many steps, over that of a step after 1,000; a value for each round.
  @concurrent func slowdown(rounds: Int) async throws -> [Double] {
    let log = Log(watchesMemory: false, capacity: length / Self.window + 1)
    let flow = Flow<Int, Int> {
      for _ in 0..<length { Step("step") { Milestone(log) } }
    }
    var ratios: [Double] = []
    for round in 0...rounds {
      let times = try await run(flow, log).map(\.time)
      let costs = zip(times, times.dropFirst()).map { ($1 - $0) / .nanoseconds(1) }
      let early = Array(costs[windows(after: 1_000)]).median
      let late = Array(costs[windows(after: steps)]).median
      if round > 0 { ratios.append(late / early) }  // the first run warms up
    }
    return ratios
  }

  /// Resident growth for each step of a run that settles every 100 steps; a value for each round.
  @concurrent func settledGrowth(rounds: Int) async throws -> [Double] {
    let log = Log(watchesMemory: true, capacity: length / Self.window + 1)
    let flow = Flow<Int, Int> {
      for index in 0..<length {
        if index.isMultiple(of: 100) {
          Step("settle") { Milestone(log) }.onBackUp(.settling)
        } else {
          Step("step") { Milestone(log) }
        }
      }
    }
    var growth: [Double] = []
    for _ in 0..<rounds {
      let looks = try await run(flow, log)
      let first = windows(after: 1_000).lowerBound
      let last = windows(after: steps).lowerBound
      growth.append(Double(looks[last].resident - looks[first].resident) / Double((last - first) * Self.window))
    }
    return growth
  }

  private var length: Int { steps + (Self.windows + 2) * Self.window }

  private func windows(after steps: Int) -> Range<Int> {
    let first = (steps + Self.window - 1) / Self.window
    return first..<(first + Self.windows)
  }

  private func run(
    _ flow: Flow<Int, Int>, _ log: Log
  ) async throws -> [(time: ContinuousClock.Instant, resident: Int)] {
    let result = try await FlowCoordinator().run(flow, with: 0)
    try WrongResult.check(result == length, "\(length) steps made \(result)")
    return log.takeAll()
  }
}
