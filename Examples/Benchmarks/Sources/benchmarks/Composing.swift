import ActorFlow

/// The cost of components that branch, repeat and observe. Each function returns the nanoseconds of one component: the
/// difference in time between two flows that differ only in the number of them.
struct Composing {
  private let parallel = Pair(few: Self.forks(4), many: Self.forks(36), difference: 32)
  private let choice = Pair(few: Self.choices(32), many: Self.choices(288), difference: 256)
  private let timed = Pair(few: Self.timed(32), many: Self.timed(288), difference: 256)
  private let plain = Pair(few: Flows.automatic(32), many: Flows.automatic(288), difference: 256)

  private let iterating = Flow {
    Loop {
      Step("step") { Increment() }.map { (number: Int) -> Again<Int, Int> in
        number == 0 ? .done(number) : .again(number)
      }
    }
  }

  /// Two flows that differ in their number of a component.
  private struct Pair {
    let few: Flow<Int, Int>
    let many: Flow<Int, Int>
    let difference: Int

    @concurrent func nanosecondsOfOne(batch: Int) async throws -> Double {
      var time = 0.0
      for _ in 0..<batch {
        time += try await nanosecondsOf { _ = try await FlowCoordinator().run(many, with: 0) }
        time -= try await nanosecondsOf { _ = try await FlowCoordinator().run(few, with: 0) }
      }
      return time / Double(difference * batch)
    }
  }

  func parallel2(batch: Int) async throws -> Double { try await parallel.nanosecondsOfOne(batch: batch) }

  func choice(batch: Int) async throws -> Double { try await choice.nanosecondsOfOne(batch: batch) }

  /// An iteration: the time of 320 iterations less that of 64.
  @concurrent func loop(batch: Int) async throws -> Double {
    var time = 0.0
    for _ in 0..<batch {
      time += try await nanosecondsOf { try await iterate(320) }
      time -= try await nanosecondsOf { try await iterate(64) }
    }
    return time / Double(256 * batch)
  }

  func iterate(_ times: Int) async throws {
    let result = try await FlowCoordinator().run(iterating, with: -times)
    try WrongResult.check(result == 0, "the loop made \(result)")
  }

  /// The time that a deadline adds to a step that ends before it.
  func timeoutArmed(batch: Int) async throws -> Double {
    try await timed.nanosecondsOfOne(batch: batch) - plain.nanosecondsOfOne(batch: batch)
  }

  /// A question in a wide fork, over one in a fork that is not.
  @concurrent func wideFork() async throws -> Double {
    try await Self.nanosecondsOfQuestion(among: 1_024) / Self.nanosecondsOfQuestion(among: 64)
  }

  @concurrent private static func nanosecondsOfQuestion(among count: Int) async throws -> Double {
    let flow = Flow { ForEach({ (count: Int) in Array(0..<count) }) { Step("ask") { Ask() } } }
    let time = try await nanosecondsOf {
      let coordinator = FlowCoordinator()
      async let results = coordinator.run(flow, with: count)
      for question in try await coordinator.settled().questions { try await coordinator.answer(question.id, with: 1) }
      let made = try await results.count
      try WrongResult.check(made == count, "\(count) branches made \(made) results")
    }
    return time / Double(count)
  }

  private static func forks(_ count: Int) -> Flow<Int, Int> {
    Flow {
      for _ in 0..<count { fork }
    }
  }

  private static func choices(_ count: Int) -> Flow<Int, Int> {
    Flow {
      for _ in 0..<count { choice }
    }
  }

  private static func timed(_ count: Int) -> Flow<Int, Int> {
    Flow {
      for _ in 0..<count { timed }
    }
  }

  static var fork: some FlowComponent<Int, Int> {
    Parallel {
      Step("left") { Increment() }
      Step("right") { Increment() }
    } join: { left, right in
      max(left, right)
    }
  }

  static var choice: some FlowComponent<Int, Int> {
    Switch {
      Case("negative", { (number: Int) in number < 0 ? number : nil }) { Step("step") { Increment() } }
      Case("positive", { (number: Int) in number }) { Step("step") { Increment() } }
    }
  }

  static var timed: some FlowComponent<Int, Int> { Step("step") { Increment() }.timeout(.seconds(3_600)) }
}
