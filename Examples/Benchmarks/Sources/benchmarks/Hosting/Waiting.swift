import ActorFlow
import ActorFlowHosting

/// Very many waiting hosted flows.
enum Waiting {
  /// Resident growth for each of `count` waiting flows, without the store's share.
  ///
  /// The store's memory was taken and touched before, and it has no index, so it does not grow. A tenth as many flows
  /// ran before: so the memory that the runtime and the allocator reserve for the next flow does not count. Measured
  /// once a process, as in ``Memory``.
  @concurrent static func bytesPerFlow(_ count: Int) async throws -> Double {
    let first = count / 10
    let store = SlotStore(slots: first + count)
    store.clear()
    let host = FlowHost(store: store)
    let flows = try await host.register(Flows.asking(2))
    func start(_ numbers: Range<Int>) async throws {
      for number in numbers {
        let id = FlowID("\(number)")
        try await flows.start(id: id, with: number)
        _ = try await host.question(of: id)
      }
      try await host.catchUp()
    }
    try await start(0..<first)
    let before = try Memory.resident()
    try await start(first..<(first + count))
    let after = try Memory.resident()
    // Detects a flow that is not alive.
    for number in stride(from: 0, to: first + count, by: 97) {
      let id = FlowID("\(number)")
      try await host.answer(id, times: 2)
      _ = try await host.flow(id).settled()
      let outcome = try await flows.outcome(of: id)
      try WrongResult.check(outcome == .finished(number + 2), "the flow \(number) became \(outcome)")
    }
    return Double(after - before) / Double(count)
  }

  /// A person's inbox among `count` waiting flows, three of them that person's, over one among a hundred; a value for
  /// each round.
  @concurrent static func inbox(among count: Int, rounds: Int) async throws -> [Double] {
    let hosts = [try await host(with: 100), try await host(with: count)]
    var ratios: [Double] = []
    for round in 0...rounds {
      var times: [Double] = []
      for host in hosts {
        times.append(
          try await nanosecondsOf {
            for _ in 0..<200 {
              let page = try await host.tasks(TaskQuery(assignees: ["ann"]))
              try WrongResult.check(page.tasks.count == 3, "ann has \(page.tasks.count) tasks")
            }
          })
      }
      if round > 0 { ratios.append(times[1] / times[0]) }  // the first round warms up
    }
    return ratios
  }

  private static func host(with count: Int) async throws -> FlowHost {
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(Flows.assigned())
    for number in 0..<count {
      let person = number % (count / 3) == 1 ? "ann" : "person \(number % 1_000)"
      try await flows.start(id: FlowID("\(number)"), with: person)
      _ = try await host.question(of: FlowID("\(number)"))
    }
    return host
  }
}
