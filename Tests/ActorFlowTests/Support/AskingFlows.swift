import ActorFlow

/// The flows of suites that test the order of steps and not the work of steps: each step asks.
protocol AskingFlows {}

extension AskingFlows {
  func step(_ name: String? = nil) -> Step<String, String> { Step(name) { Asker() } }

  /// Two steps, in a flow without a name.
  func two(_ first: String, _ second: String) -> Flow<String, String> {
    Flow {
      step(first)
      step(second)
    }
  }

  /// Two steps, in a flow with a name: `x1` and `x2` in `x`.
  func branch(_ name: String, _ first: BackUpPolicy = .automatic) -> Flow<String, String> {
    Flow(name) {
      step(name + "1").onBackUp(first)
      step(name + "2")
    }
  }

  /// A `parallel` of two branches.
  func both(
    _ first: some FlowComponent<String, String>, _ second: some FlowComponent<String, String>
  ) -> Parallel<String, String> {
    Parallel {
      first
      second
    } join: {
      $0 + $1
    }
  }

  /// A driver for a, then the branches x (x1, x2) and y (y1, y2), then d. The steps in `past` have asked and returned.
  func forked(_ x1: BackUpPolicy = .automatic, past steps: String...) throws -> TrackDriver {
    var driver = try TrackDriver(
      Flow {
        step("a")
        both(branch("x", x1), branch("y"))
        step("d")
      })
    for step in steps { try driver.pass(step) }
    return driver
  }
}
