import ActorFlow
import Testing

/// Random routers of steps that take and make one-ofs, receive updates, skip and settle, against a naive model that
/// tries every way.
@Suite("Random routers", .timeLimit(.minutes(Attack.minutes))) struct RouterModelTests {
  private static let rounds = Attack.scaled(20_000)

  private struct Tally {
    var played = 0
    var mistyped = 0
    var losing = 0
    var updates = 0
  }

  @Test(
    "a router is refused exactly if some way loses a value; every other one takes each value where the model does",
    arguments: 0..<2)
  func routers(part: Int) async {
    let tally = Lock(Tally())
    await attack(Attack.seeds(Self.rounds, part: part, of: 2)) { seed in
      var random = SeededGenerator(seed: seed)
      let plan = RouterPlan(&random)
      let course = RouterCourse(plan, random)
      let isMistyped = plan.isMistyped
      let isRefused = isMistyped || plan.losesUpdates
      do {
        let isBuilt = try await plan.play(course)
        try demandEqual(isBuilt, !isRefused, "whether it was built, mistyped: \(isMistyped)")
      } catch { throw Finding("\(error)\n  plan: \(plan)") }
      try demand(course.findings.isEmpty, "\(course.findings)\n  plan: \(plan)")
      tally.withLock { tally in
        tally.played += isRefused ? 0 : 1
        tally.mistyped += isMistyped ? 1 : 0
        tally.losing += isRefused && !isMistyped ? 1 : 0
        tally.updates += course.updates
      }
    }
    guard Self.rounds >= 20_000, Attack.seed == nil else { return }
    let all = tally.withLock { $0 }
    #expect(all.played > 300 && all.mistyped > 500 && all.losing > 50 && all.updates > 200, "\(all)")
  }
}
