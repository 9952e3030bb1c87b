import ActorFlow
import Testing

/// The code of the article "Rendered steps".
enum TrolleySnippets {
  struct Price: Sendable, Equatable {
    let item: String
    let cents: Int
  }

  struct Shop: Sendable {
    let list: [Price]
    func prices() -> AsyncStream<Price> {
      let (stream, continuation) = AsyncStream<Price>.makeStream()
      for price in list { continuation.yield(price) }
      return stream
    }
  }

  struct Order: Sendable, Equatable {
    let items: [String]
    let total: Int
  }

  struct NotPriced: Error {}
  struct NotForCustomers: Error {}

  struct TrolleyView: Prompt {
    enum Action: Sendable, Equatable { case add(String), remove(String), priced(Price), order }
    typealias Answer = Action
    let lines: [LineView]
    let total: Int?

    func validate(_ action: Action) throws {
      if action == .order, total == nil { throw NotPriced() }
      if case .priced = action { throw NotForCustomers() }  // the effect's own
    }
  }

  struct Trolley: RenderedStep {
    struct State: Sendable, Equatable {
      var items: [String] = []
      var prices: [String: Int] = [:]
      var total: Int? {
        let known = items.compactMap { prices[$0] }
        return known.count == items.count ? known.reduce(0, +) : nil
      }
    }
    let shop: Shop

    func makeState() -> State { State() }

    func apply(_ action: TrolleyView.Action, to state: inout State) -> Order? {
      switch action {
      case .add(let item): if !state.items.contains(item) { state.items.append(item) }
      case .remove(let item): state.items.removeAll { $0 == item }
      case .priced(let price): state.prices[price.item] = price.cents
      case .order: return state.total.map { Order(items: state.items, total: $0) }
      }
      return nil
    }

    func render(_ state: State, in scope: inout RenderScope<Trolley>) -> TrolleyView {
      if !state.items.isEmpty {
        scope.run("prices") { [shop] sink in
          for await price in shop.prices() { await sink(.priced(price)) }
        }
      }
      let lines = state.items.map { item in
        scope.child(Line(item: item), key: item) { _ in .remove(item) }
      }
      return TrolleyView(lines: lines, total: state.total)
    }
  }

  struct LineView: Prompt {
    enum Action: Sendable { case drop, keep, confirm }
    typealias Answer = Action
    let item: String
    let isAskedToGo: Bool
    let sink: Sink<Action>
  }

  struct Line: RenderedStep {
    enum Output: Sendable { case removed }
    let item: String

    func makeState() -> Bool { false }

    func apply(_ action: LineView.Action, to isAskedToGo: inout Bool) -> Output? {
      switch action {
      case .drop: isAskedToGo = true
      case .keep: isAskedToGo = false
      case .confirm: return isAskedToGo ? .removed : nil
      }
      return nil
    }

    func render(_ isAskedToGo: Bool, in scope: inout RenderScope<Line>) -> LineView {
      LineView(item: item, isAskedToGo: isAskedToGo, sink: scope.sink)
    }
  }

  struct Receipt: Sendable, Equatable { let total: Int }

  static let shopping = Flow("shopping") {
    Step("trolley") { (shop: Shop) in Trolley(shop: shop) }
    Step("payment") { (order: Order) in Receipt(total: order.total) }
  }

  /// Fills the trolley as soon as it is shown, drops items that are too expensive, and orders.
  static func shop(for items: [String], dropping dear: Int, on coordinator: FlowCoordinator) async throws {
    for await event in coordinator.events {
      guard let question = event.position.questions.first, let view = question.prompt as? TrolleyView else { continue }
      guard !view.lines.isEmpty else {
        for item in items {
          try await coordinator.answer(question.id, with: TrolleyView.Action.add(item))
        }
        continue
      }
      guard let total = view.total, view.lines.count == items.count else { continue }
      if total > dear, let line = view.lines.last {
        await line.sink(.drop)
        await line.sink(.confirm)
      }
      try await coordinator.answer(TrolleyView.self, with: .order)
      break
    }
  }
}

/// A rendered step that ignores outputs of its children.
enum IgnoredOutputSnippets {
  typealias Line = TrolleySnippets.Line

  struct ListView: Prompt {
    enum Action: Sendable, Equatable { case remove(String) }
    typealias Answer = Action
    let lines: [TrolleySnippets.LineView]
  }

  struct List: RenderedStep {
    typealias Output = Never
    let fixed: String

    func makeState() -> [String] { ["tea"] }

    func apply(_ action: ListView.Action, to items: inout [String]) -> Never? {
      if case .remove(let item) = action { items.removeAll { $0 == item } }
      return nil
    }

    func render(_ items: [String], in scope: inout RenderScope<List>) -> ListView {
      let lines = items.map { item in
        scope.child(Line(item: item), key: item) { _ in item == fixed ? nil : .remove(item) }
      }
      let advert = scope.childIgnoringOutput(Line(item: "cake"), key: "advert")
      return ListView(lines: lines + [advert])
    }
  }
}

@Suite("Snippets: ignored outputs") struct IgnoredOutputSnippetTests {
  @Test("WS-016 an output that makes no action has none in a render pass either")
  func pass() throws {
    typealias List = IgnoredOutputSnippets.List
    typealias Line = TrolleySnippets.Line
    let pass = try List(fixed: "").renderPass()
    #expect(try pass.child(Line.self, key: "tea").action(for: .removed) == .remove("tea"))
    #expect(try pass.child(Line.self, key: "advert").action(for: .removed) == nil)
    #expect(try List(fixed: "tea").renderPass().child(Line.self, key: "tea").action(for: .removed) == nil)
  }
}

@Suite("Snippets: the trolley") struct TrolleySnippetTests {
  typealias Trolley = TrolleySnippets.Trolley
  typealias Line = TrolleySnippets.Line
  let shop = TrolleySnippets.Shop(list: [.init(item: "tea", cents: 4), .init(item: "cake", cents: 9)])

  @Test("the trolley of the article is filled, priced and ordered")
  func shopping() async throws {
    let coordinator = FlowCoordinator()
    let flow = launch(TrolleySnippets.shopping, with: shop, on: coordinator)
    try await TrolleySnippets.shop(for: ["tea", "cake"], dropping: 10, on: coordinator)
    #expect(try await flow.result.get() == TrolleySnippets.Receipt(total: 4))
  }

  @Test("the render pass of the doc comment has the documented content")
  func pass() throws {
    let pass = try Trolley(shop: shop).renderPass(Trolley.State(items: ["tea"], prices: ["tea": 4]))
    #expect(pass.rendering.total == 4)
    #expect(pass.effects == ["prices"])
    let line = try pass.child(Line.self, key: "tea")
    #expect(line.action(for: .removed) == .remove("tea"))
  }

  @Test("an order is refused until everything is priced")
  func notPriced() async throws {
    let flow = launch(TrolleySnippets.shopping, with: TrolleySnippets.Shop(list: []))
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    typealias Action = TrolleySnippets.TrolleyView.Action
    try await flow.coordinator.answer(id, with: Action.add("tea"))
    // Not in a closure: in an async function the type's own check must be called, and not an async default.
    let view = TrolleySnippets.TrolleyView(lines: [], total: nil)
    do {
      try view.validate(.priced(TrolleySnippets.Price(item: "tea", cents: 1)))
      Issue.record("a price was accepted from outside")
    } catch { #expect(error is TrolleySnippets.NotForCustomers) }
    await #expect(throws: TrolleySnippets.NotPriced.self) {
      try await flow.coordinator.answer(id, with: Action.order)
    }
    flow.run.cancel()
    _ = await flow.result
  }
}
