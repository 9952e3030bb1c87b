import ActorFlow
import Testing

/// The code of the doc comments of rendered steps.
enum RenderingSnippets {
  struct CounterView: Prompt {
    enum Action: Sendable { case add(Int), done }
    typealias Answer = Action
    let count: Int
    let isFull: Bool
  }

  struct Counter: RenderedStep {
    let limit: Int

    func makeState() -> Int { 0 }

    func apply(_ action: CounterView.Action, to count: inout Int) -> Int? {
      switch action {
      case .add(let number): count = min(limit, count + number)
      case .done: return count
      }
      return nil
    }

    func render(_ count: Int, in scope: inout RenderScope<Counter>) -> CounterView {
      CounterView(count: count, isFull: count == limit)
    }
  }
}

@Suite("Snippets: rendered steps") struct RenderingSnippetTests {
  @Test("the counter of the doc comment counts")
  func counter() async throws {
    let flow = launch(Flow { Step("count") { (limit: Int) in RenderingSnippets.Counter(limit: limit) } }, with: 3)
    let id = try #require(try await flow.coordinator.settled().questions.first?.id)
    try await flow.coordinator.answer(id, with: RenderingSnippets.CounterView.Action.add(2))
    try await flow.coordinator.answer(id, with: RenderingSnippets.CounterView.Action.add(2))
    let view = await flow.coordinator.position.questions.first?.prompt as? RenderingSnippets.CounterView
    #expect(view?.isFull == true)
    try await flow.coordinator.answer(id, with: RenderingSnippets.CounterView.Action.done)
    #expect(try await flow.result.get() == 3)
  }
}
