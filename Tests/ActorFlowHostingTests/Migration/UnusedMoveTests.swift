import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Moves without effect", .timeLimit(.minutes(15))) struct UnusedMoveTests {
  private let store = MemoryFlowStore()

  private func ask(_ name: String) -> Step<String, String> { Step(name) { Asker() } }

  private var first: Flow<String, String> {
    Flow("order") {
      ask("cart")
      Flow("delivery") {
        ask("ship")
        ask("label")
      }
    }
  }

  private var second: Flow<String, String> {
    Flow("order") {
      ask("cart")
      Flow("delivery") {
        ask("send")
        ask("label")
      }
    }
  }

  /// A flow that stands at the first step of `first`, and one at its second.
  private func fill() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(first)
    for id: FlowID in ["o1", "o2"] { try await flows.start(id: id, with: "-") }
    try await host.answerNext("o2", "\"x\"")
    await host.isQuiet()
  }

  private func plan(_ moves: [Move], keepingFirst: Bool = false) async throws -> MigrationPlan {
    let host = FlowHost(store: store)
    if keepingFirst { try await host.register(first) }
    try await host.register(second, version: 2, from: 1, moves: moves)
    return try await host.plan()
  }

  @Test("an unknown name is reported with the known names, and the plan itself is unchanged")
  func mistyped() async throws {
    try await fill()
    let plan = try await plan([.rename("order/delivery/shp", to: "order/delivery/send")])
    #expect(plan.counts == (0, 1, 1, 0))
    let unused = try #require(plan.unused.first)
    #expect(plan.unused.count == 1 && unused.move == "rename" && unused.step == "order/delivery/shp")
    #expect(unused.definition == "order" && unused.version == 2 && unused.from == 1)
    #expect(unused.known == ["order/cart", "order/delivery/ship"], "the steps of the flows")
    let line = "order version 2: `rename` names the unknown step order/delivery/shp; "
    #expect(plan.description.hasSuffix("\n\(line)version 1 has order/cart, order/delivery/ship"))
    #expect(
      try await self.plan([.forget("labl")], keepingFirst: true).unused.map(\.known) == [
        ["order/cart", "order/delivery/label", "order/delivery/ship"]
      ])
  }

  @Test("a move with an effect is not reported: by a whole path, a last part, a prefix, or a name given before")
  func used() async throws {
    try await fill()
    let change: @Sendable (String) -> String = { $0 }
    for moves: [Move] in [
      [.rename("order/delivery/ship", to: "order/delivery/send")], [.rename("ship", to: "send")],
      [.rename("order/delivery", to: "order/transport"), .input(of: "order/transport/ship", change)],
      [.rename("order/delivery/ship", to: "order/delivery/x"), .rename("x", to: "send")],
      [.input(of: "send", change), .forget("cart"), .reenter("ship", at: "order/delivery/send", change)],
      [.custom { _ in }],
    ] {
      #expect(try await plan(moves).unused == [])
    }
    let again: [Move] = [.rename("ship", to: "send"), .input(of: "ship", change)]
    #expect(try await plan(again).unused.map(\.step) == ["ship"], "it has another name by then")
    #expect(try await plan(again).unused.map(\.newName) == ["order/delivery/send"])
    #expect(try await plan([.rename("send", to: "ship")]).unused.map(\.step) == ["send"], "the wrong way round")
  }

  @Test("a step that is forgotten under the name that it had before a rename is reported with its new name")
  func hiddenByRename() async throws {
    try await fill()
    let renamed: [Move] = [.rename("order/delivery", to: "order/transport"), .forget("order/delivery/ship")]
    let plan = try await plan(renamed)
    #expect(plan.unused.map(\.newName) == ["order/transport/ship"])
    #expect(
      plan.description.contains(
        "`forget` names order/delivery/ship, which an earlier `rename` has called order/transport/ship; name it so"))
    #expect(try await self.plan([.rename("cart", to: "basket"), .forget("basket")]).unused == [])
    let typo = try await self.plan([.rename("cart", to: "basket"), .forget("crt")]).unused
    #expect(typo.map(\.step) == ["crt"] && typo.map(\.newName) == [nil])
  }

  @Test("a step of the new version alone cannot be forgotten or left, and is reported")
  func onlyNew() async throws {
    try await fill()
    let change: @Sendable (String) -> String = { $0 }
    #expect(try await plan([.forget("order/delivery/send")]).unused.map(\.move) == ["forget"])
    #expect(try await plan([.reenter("send", at: "order/cart", change)]).unused.map(\.move) == ["reenter"])
  }

  @Test("a move of a version without flows and without registration is not reported")
  func moved() async throws {
    let typo: [Move] = [.rename("order/shp", to: "order/delivery/send")]
    #expect(try await plan(typo).unused == [])
    #expect(try await plan(typo, keepingFirst: true).unused.map(\.step) == ["order/shp"])
  }

  @Test("moves of one version after the other, and elements of a fork under any number")
  func chain() async throws {
    func each(_ name: String) -> Flow<[String], [String]> {
      Flow("each") { ForEach({ (names: [String]) in names }) { ask(name) } }
    }
    let host = FlowHost(store: store)
    try await host.register(each("sign")).start(id: "e", with: ["a", "b"])
    _ = try await host.flow("e").settled()
    await host.isQuiet()
    let path = try #require(try await host.flow("e").view().steps.first?.path.replacing("/0/", with: "/*/"))
    let later = FlowHost(store: store)
    try await later.register(
      each("seal"), version: 2, from: 1,
      moves: [.rename(StepID(path), to: StepID(path.replacing("sign", with: "seal")))])
    try await later.register(
      each("stamp"), version: 3, from: 2, moves: [.rename("seal", to: "stamp"), .rename("sign", to: "stamp")])
    let plan = try await later.plan()
    #expect(plan.counts == (0, 1, 0, 0))
    #expect(plan.unused.map(\.step) == ["sign"] && plan.unused.map(\.version) == [3])
  }
}
