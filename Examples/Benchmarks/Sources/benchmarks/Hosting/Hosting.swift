import ActorFlow
import ActorFlowHosting

/// Flows on a host with a store in memory. Each function returns nanoseconds, or a ratio.
struct Hosting {
  let asking = Flows.asking(8)

  /// Measures the time from an answer until the next question is stored, and has been read.
  ///
  /// - Parameter keepHot: The time the flow stays in memory; if zero, it is passivated and activated for each answer.
  @concurrent func answer(batch: Int, keepHot: Duration = .zero) async throws -> Double {
    var options = FlowHost.Options()
    options.keepHot = keepHot
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    let flows = try await host.register(asking)
    var time = 0.0
    for number in 0..<batch {
      let id = FlowID("f-\(number)")
      try await flows.start(id: id, with: 0)
      var question = try await host.question(of: id)
      time += try await nanosecondsOf {
        for _ in 1..<8 {
          try await host.flow(id).answer(question, with: 1)
          question = try await host.question(of: id)
        }
      }
      try await host.flow(id).answer(question, with: 1)
      _ = try await host.flow(id).settled()
      try WrongResult.check(try await flows.outcome(of: id) == .finished(8), "a hosted flow did not end with its sum")
    }
    return time / Double(7 * batch)
  }
}

/// The activation of a flow after very many rounds, over that of one after ten.
struct Resuming {
  let host: FlowHost
  let settles: Bool

  /// Brings flows that have run this many rounds to their questions.
  @concurrent init(after rounds: [Int], settling: Bool) async throws {
    host = FlowHost(store: MemoryFlowStore())
    settles = settling
    let flows = try await host.register(Flows.rounds(settling: settling))
    for count in rounds {
      try await flows.start(id: Self.id(count), with: count)
      _ = try await host.question(of: Self.id(count))
    }
  }

  /// Measures the time until an answer is refused: until then the flow was read, its steps created and its question
  /// asked again, and nothing has changed.
  @concurrent func nanoseconds(after rounds: Int, batch: Int) async throws -> Double {
    let id = Self.id(rounds)
    let question = try await host.question(of: id)
    let expected = settles ? 1 : rounds + 1
    let depth = try await host.flow(id).view().stack.count
    try WrongResult.check(depth == expected, "after \(rounds) rounds the stack has \(depth) steps")
    var time = 0.0
    for _ in 0..<batch {
      try await host.catchUp()  // it is in no host's memory
      time += await nanosecondsOfRefusal { try await host.flow(id).answer(question, with: -1) }
    }
    return time / Double(batch)
  }

  private func nanosecondsOfRefusal(_ body: () async throws -> FlowView) async -> Double {
    let start = ContinuousClock.now
    do {
      _ = try await body()
      return .nan
    } catch {
      return error is HostedNumber.Refused ? (ContinuousClock.now - start) / .nanoseconds(1) : .nan
    }
  }

  private static func id(_ rounds: Int) -> FlowID { FlowID("after-\(rounds)") }
}
