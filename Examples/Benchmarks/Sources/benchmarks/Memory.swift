import ActorFlow
import Foundation

/// The memory that flows retain.
enum Memory {
  /// Bytes of this process that are resident.
  static func resident() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw WrongResult(description: "/proc/self/statm has another form")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Resident growth for each of `count` live flows that wait at step 5 of 8, each with the task that called `run`.
  ///
  /// Measured once a process: a second time would find the memory that the first has freed.
  @concurrent static func perWaitingFlow(_ count: Int) async throws -> Double {
    try await perFlow(Flows.waitingAtFive(), count, answered: 1, making: 8, at: Number.self)
  }

  /// As ``perWaitingFlow(_:)``, for flows whose fifth step shows a rendering.
  ///
  /// - Parameter depth: The number of nodes nested below the rendering's root.
  @concurrent static func perRendered(_ count: Int, depth: Int = 0) async throws -> Double {
    try await perFlow(Flows.renderedAtFive(depth: depth), count, answered: 0, making: 3, at: Sum.self)
  }

  private static func perFlow<P: Prompt>(
    _ flow: Flow<Int, Int>, _ count: Int, answered answer: P.Answer, making result: Int, at prompt: P.Type
  ) async throws -> Double {
    func end(_ flows: [(FlowCoordinator, Task<Int, any Error>)]) async throws {
      try await Self.end(flows, answering: prompt, with: answer, making: result)
    }
    for _ in 0..<8 { try await end(try await start(flow, count: 16)) }  // warm up
    var flows: [(FlowCoordinator, Task<Int, any Error>)] = []
    flows.append(contentsOf: try await start(flow, count: 1))
    flows.reserveCapacity(count + 1)
    let before = try resident()
    for _ in 0..<count { flows.append(try await Asking.waiting(flow)) }
    let after = try resident()
    try await end(flows)
    return Double(after - before) / Double(count)
  }

  private static func start(
    _ flow: Flow<Int, Int>, count: Int
  ) async throws -> [(FlowCoordinator, Task<Int, any Error>)] {
    var flows: [(FlowCoordinator, Task<Int, any Error>)] = []
    for _ in 0..<count { flows.append(try await Asking.waiting(flow)) }
    return flows
  }

  /// Answers each flow's question, which detects a flow that is not alive.
  private static func end<P: Prompt>(
    _ flows: [(FlowCoordinator, Task<Int, any Error>)], answering prompt: P.Type, with answer: P.Answer,
    making expected: Int
  ) async throws {
    for (coordinator, run) in flows {
      try await coordinator.answer(prompt, with: answer)
      let result = try await run.value
      try WrongResult.check(result == expected, "a waiting flow made \(result)")
    }
  }
}
