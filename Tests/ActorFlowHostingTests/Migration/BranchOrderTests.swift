import ActorFlow
import ActorFlowHosting
import Testing

@Suite("Branches that change their position in another version", .timeLimit(.minutes(15))) struct BranchOrderTests {
  private let remedy = BranchMigration.remedy
  private let migration = BranchMigration()

  // MARK: - Another order

  @Test("a branch whose only step moves is not taken for its neighbour", arguments: [[], ["l"], ["r"]])
  func steps(answered: [String]) async throws {
    try await migration.expectUnmigrated(
      both(ask("l"), ask("r")), answering: answered, both(ask("r"), ask("l")),
      "pay/parallel/l: the branch was the 1st of its fork and is the 2nd now; \(remedy)", then: "l|r")
  }

  private func named(_ name: String) -> Asking {
    Flow(name) {
      ask("a")
      ask("b")
    }
  }

  @Test("a named branch that moves is not taken for its neighbour", arguments: [["left/a"], ["left/a", "left/b"]])
  func names(answered: [String]) async throws {
    let output = answered.count == 1 ? "left/ab|ab" : "left/aleft/b|ab"
    try await migration.expectUnmigrated(
      both(named("left"), named("right")), answering: answered, both(named("right"), named("left")),
      "pay/parallel/left: the branch was the 1st of its fork and is the 2nd now; \(remedy)", then: output)
  }

  @Test("a branch that is named by its number is found by its steps")
  func numbers() async throws {
    let moves = ["a": 1, "b": 1, "c": 0, "d": 0].map { name, number in
      let path = { (branch: Int) in StepID("pay/parallel/\(branch)/\(name)") }
      return Move.rename(path(1 - number), to: path(number))
    }
    try await migration.expectUnmigrated(
      both(numbered("a", "b"), numbered("c", "d")), answering: ["a"],
      both(numbered("c", "d"), numbered("a", "b")), moves: moves,
      "pay/parallel/1/b: the step's branch was the 1st of its fork and is the 2nd now; \(remedy); "
        + "pay/parallel/1/a: the step's branch was the 1st of its fork and is the 2nd now; \(remedy); "
        + "pay/parallel/0/c: the step's branch was the 2nd of its fork and is the 1st now; \(remedy)",
      then: "ab|cd")
  }

  @Test("a branch of a nested fork is not taken for its neighbour, and the error does not name the outer fork")
  func nested() async throws {
    func inner(_ first: String, _ second: String) -> Asking {
      Flow("in") {
        Parallel {
          ask(first)
          ask(second)
        } join: {
          "\($0)+\($1)"
        }
      }
    }
    try await migration.expectUnmigrated(
      both(inner("x", "y"), ask("r")), answering: ["x"], both(inner("y", "x"), ask("r")),
      "pay/parallel/in/parallel/x: the branch was the 1st of its fork and is the 2nd now; \(remedy)", then: "x+y|r")
  }

  @Test("a branch of a race is not taken for its neighbour")
  func race() async throws {
    func racing(_ steps: [String]) -> Asking {
      Flow("pay") { Race { for step in steps { ask(step) } } }
    }
    try await migration.expectUnmigrated(
      racing(["a", "b", "c"]), answering: [], racing(["a", "c", "b"]),
      "pay/race/b: the branch was the 2nd of its fork and is the 3rd now; \(remedy)", then: "a")
  }

  @Test("a branch of a fork inside the branch of an element is not taken for its neighbour")
  func elements() async throws {
    func each(_ left: String, _ right: String) -> Asking {
      Flow("pay") {
        ForEach({ (input: String) in ["\(input)0", "\(input)1"] }) {
          Parallel {
            ask(left)
            ask(right)
          } join: {
            "\($0)+\($1)"
          }
        }
        .map { $0.joined(separator: "|") }
      }
    }
    try await migration.expectUnmigrated(
      each("l", "r"), answering: ["each/1/parallel/l"], each("r", "l"),
      "pay/each/1/parallel/l: the branch was the 1st of its fork and is the 2nd now; \(remedy); "
        + "pay/each/0/parallel/l: the branch was the 1st of its fork and is the 2nd now; \(remedy)",
      then: "0l+0r|1each/1/parallel/l+1r")
  }

  // MARK: - Another number of branches

  @Test(
    "an added or removed branch is reported with the former number of branches, and nothing is damaged",
    arguments: [1, 3])
  func count(now: Int) async throws {
    func forked(_ steps: ArraySlice<String>) -> Asking {
      Flow("pay") { Race { for step in steps { ask(step) } } }
    }
    let steps = ["a", "b", "c"]
    let reason = "the fork had 2 branches and has \(now) now"
    let gone = now == 1 ? "pay/race/b: the definition has no such step; " : ""
    try await migration.expectUnmigrated(
      forked(steps[..<2]), answering: [], forked(steps[..<now]), gone + "pay/race: \(reason)", then: "a")
  }

  @Test("a fork with a branch for each element is told from a fork without", arguments: [true, false])
  func kinds(wasForEach: Bool) async throws {
    let each = Flow("pay") {
      ForEach({ (_: String) in ["", ""] }) { numbered("a", "b") }
        .named("checks")
        .map { $0.joined(separator: "|") }
    }
    let fixed = Flow("pay") {
      Race {
        numbered("a", "b")
        numbered("a", "b")
      }
      .named("checks")
    }
    let what = wasForEach ? "was a `ForEach` and no longer is" : "is now a `ForEach` and was not before"
    try await migration.expectUnmigrated(
      wasForEach ? each : fixed, answering: ["0/a"], wasForEach ? fixed : each,
      "pay/checks: the fork \(what)",
      then: wasForEach ? "0/ab|ab" : "0/ab")
  }

  @Test("a branch that has no places is found by its name")
  func settled() async throws {
    let settling = ask("l").onBackUp(.settling)
    try await migration.expectUnmigrated(
      both(settling, ask("r")), answering: ["l"], both(ask("x"), ask("r")),
      "pay/parallel/l: the fork has no such branch any more",
      then: "l|r")
  }
}
