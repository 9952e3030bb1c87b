/// Plays this many rounds in four concurrent tasks; returns the violations.
func inFourTasks(_ rounds: Int, _ round: @escaping @Sendable (Int) async throws -> Void) async -> [String] {
  await withTaskGroup(of: [String].self) { group in
    for first in 0..<4 {
      group.addTask {
        var failures: [String] = []
        for number in stride(from: first, to: rounds, by: 4) {
          do { try await round(number) } catch { failures.append("round \(number): \(error)") }
        }
        return failures
      }
    }
    return await group.reduce([], +)
  }
}

/// The program of the attacks on menus: `before`, then a menu with one side branch.
func menuProgram(isForked: Bool) -> Program {
  var (menu, side) = (StepPlan(name: "menu"), StepPlan(name: "side"))
  (menu.track, side.track) = isForked ? ("/1.0", "/1.0") : ("", "")
  side.menus = ["menu"]
  let hub = Part.hub(menu, [[.step(side)]])
  guard isForked else { return Program(parts: [.step(StepPlan(name: "before")), hub]) }
  var other = StepPlan(name: "other")
  other.track = "/1.1"
  return Program(parts: [.step(StepPlan(name: "before")), .fork(.parallel, [[hub], [.step(other)]])])
}
