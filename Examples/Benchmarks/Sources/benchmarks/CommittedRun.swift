import ActorFlow
import Committing

/// Runs whose every input is committed before it is adopted.
struct CommittedRun {
  /// Steps between two measurements.
  static let window = 32

  /// The depth that is compared with a depth of 8; a multiple of the window.
  let depth: Int

  /// The cost of a step on a stack of `depth` visits, over that on a stack of 8; a value for each round.
  @concurrent func slowdown(rounds: Int) async throws -> [Double] {
    let log = LongRun.Log(watchesMemory: false, capacity: depth / Self.window + LongRun.windows + 1)
    let short = Self.flow(of: 8 + Self.window + 1, log)
    let long = Self.flow(of: depth + LongRun.windows * Self.window + 1, log)
    var ratios: [Double] = []
    for round in 0...rounds {
      var early: [Double] = []
      // The input is measured when it is a multiple of the window: on stacks of 8 and of 40.
      for _ in 0..<LongRun.windows { early += try await costs(of: short, from: Self.window - 8, log) }
      let late = try await costs(of: long, from: 0, log).suffix(LongRun.windows)
      if round > 0 { ratios.append(Array(late).median / early.median) }  // the first round warms up
    }
    return ratios
  }

  private static func flow(of steps: Int, _ log: LongRun.Log) -> Flow<Int, Int> {
    Flow {
      for _ in 0..<steps { Step("step") { LongRun.Milestone(log, every: window) } }
    }
  }

  private func costs(of flow: Flow<Int, Int>, from start: Int, _ log: LongRun.Log) async throws -> [Double] {
    _ = try await FlowCoordinator.committing().run(flow, with: start)
    let times = log.takeAll().map(\.time)
    return zip(times, times.dropFirst()).map { ($1 - $0) / .nanoseconds(1) }
  }
}
