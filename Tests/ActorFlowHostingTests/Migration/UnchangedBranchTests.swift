import ActorFlow
import ActorFlowHosting
import Testing

@Suite("Branches that keep their position in another version", .timeLimit(.minutes(15))) struct UnchangedBranchTests {
  private let migration = BranchMigration()

  @Test("a branch that has no places is found by its name")
  func settledAndRenamed() async throws {
    try await migration.expectMoved(
      both(ask("l").onBackUp(.settling), ask("r")), answering: ["l"], both(ask("x"), ask("r")),
      moves: [.rename("pay/parallel/l", to: "pay/parallel/x")], then: "l|r")
  }

  @Test("the only step of a branch may be renamed, by its path and by its name", arguments: ["pay/parallel/l", "l"])
  func renamed(old: StepID) async throws {
    try await migration.expectMoved(
      both(ask("l"), ask("r")), answering: ["r"], both(ask("left"), ask("r")),
      moves: [.rename(old, to: old == "l" ? "left" : "pay/parallel/left")], then: "l|r")
  }

  @Test("a branch may get a second step, and lose it again", arguments: [[], ["l"]])
  func grown(answered: [String]) async throws {
    let (one, two) = (both(ask("l"), ask("r")), both(numbered("l", "m"), ask("r")))
    try await migration.expectMoved(
      one, answering: answered, two, moves: [.rename("pay/parallel/l", to: "pay/parallel/0/l")],
      then: answered.isEmpty ? "lm|r" : "l|r")
  }

  @Test("a branch may lose a step that was never entered")
  func shrunk() async throws {
    try await migration.expectMoved(
      both(numbered("l", "m"), ask("r")), answering: [], both(ask("l"), ask("r")),
      moves: [.rename("pay/parallel/0/l", to: "pay/parallel/l")], then: "l|r")
  }

  @Test("a step may be added before and after a fork, and a branch of a fork may be a fork")
  func around() async throws {
    func inner(_ last: String) -> Asking {
      Flow("in") {
        both(ask("x"), ask("y"))
        ask(last)
      }
    }
    try await migration.expectMoved(
      both(inner("z"), ask("r")), answering: ["x"], both(inner("w"), ask("r")), then: "x|yw|r")
  }

  @Test("alternatives may be reordered, also in a branch")
  func ways() async throws {
    func hub(_ names: [String]) -> Asking {
      Flow("pick") {
        Hub(ask("menu")) {
          for name in names { Case(name, { $0 == "pick/menu" && name == "a" ? "" : nil }) { ask("do-\(name)") } }
        } done: {
          $0
        }
      }
    }
    try await migration.expectMoved(
      both(hub(["a", "b"]), ask("r")), answering: ["pick/menu"], both(hub(["b", "a"]), ask("r")), then: "do-amenu|r")
  }

  @Test("the types of a route may be reordered")
  func routes() async throws {
    @Sendable func number(_ value: Int, _: StepContext) -> String { "\(value)" }
    let first = Flow("pay") {
      Step("pick") { (input: String, _: StepContext) in OneOf2<String, Int>.first(input) }
      Route {
        When(String.self) { ask("text") }
        When(Int.self) { Step("number", number) }
      }
    }
    let second = Flow("pay") {
      Step("pick") { (input: String, _: StepContext) in OneOf2<Int, String>.second(input) }
      Route {
        When(Int.self) { Step("number", number) }
        When(String.self) { ask("text") }
      }
    }
    try await migration.expectMoved(first, answering: [], second, then: "text")
  }

  @Test("a fork with a branch for each element continues with the elements that it has")
  func each() async throws {
    func each(_ last: String) -> Asking {
      Flow("pay") {
        ForEach({ (input: String) in input.map(String.init) }) {
          ask("vote")
          ask(last)
        }
        .map { $0.joined(separator: "|") }
      }
    }
    try await migration.expectMoved(
      each("sign"), answering: ["2/vote"], each("seal"), moves: [.rename("pay/each/*/sign", to: "pay/each/*/seal")],
      then: "avoteseal|bvoteseal|c2/voteseal", with: "abc")
  }
}
