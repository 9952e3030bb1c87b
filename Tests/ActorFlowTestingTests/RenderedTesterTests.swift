import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct RenderedTesterTests {
  private struct TallyView: Prompt {
    enum Action: Sendable { case add(Int), done }
    typealias Answer = Action
    let sum: Int
  }

  /// Adds up its actions, and puts out the sum; an effect doubles it while it is below ten.
  private struct Tally: RenderedStep {
    var doubles = false
    func makeState() -> Int { 0 }
    func apply(_ action: TallyView.Action, to sum: inout Int) -> Int? {
      switch action {
      case .add(let number): sum += number
      case .done:
        sum += 100
        return sum
      }
      return nil
    }
    func render(_ sum: Int, in scope: inout RenderScope<Tally>) -> TallyView {
      if doubles, sum > 0, sum < 10 {
        scope.run("doubling") { sink in await sink(.add(sum)) }
      }
      return TallyView(sum: sum)
    }
  }

  private func flow(doubles: Bool = false) -> Flow<Int, Int> {
    Flow {
      Step("tally") { (_: Int) in Tally(doubles: doubles) }
      Step("next") { (sum: Int) in sum }
    }
  }

  @Test("a rendered step is driven by actions", arguments: [Passivation.never, .everyQuestion])
  func drive(_ passivating: Passivation) async throws {
    try await testFlow(flow(), with: 0, passivating: passivating) { tester in
      var view = try await tester.question(TallyView.self)
      view = try await tester.act(.add(2), on: view)
      view = try await tester.act(.add(3), on: view, by: Principal(id: "ann"))
      #expect(view.prompt.sum == 5)
      try await tester.conclude(.done, on: view)
      try await tester.expect(.moved(to: "next"))
      #expect(try await tester.finish() == 105)
    }
  }

  @Test("an update that an effect causes is expected as an update")
  func effects() async throws {
    try await testFlow(flow(doubles: true), with: 0) { tester in
      let view = try await tester.question(TallyView.self)
      let next = try await tester.act(.add(7), on: view)
      #expect(next.prompt.sum == 7)
      let doubled = try await tester.updated(next)
      #expect(doubled.prompt.sum == 14)
      try await tester.conclude(.done, on: doubled)
      try await tester.expect(.moved(to: "next"))
      try await tester.finish()
    }
  }

  @Test("an action without a change, where a change was expected, fails with that message")
  func unchanged() async throws {
    try await testFlow(flow(), with: 0) { tester in
      let view = try await tester.question(TallyView.self)
      let failure = try await failing { try await tester.act(.add(0), on: view) }
      #expect(failure.message.hasPrefix("expected \"updated TallyView at tally\", but"))
      try await tester.conclude(.done, on: view)
      try await tester.expect(.moved(to: "next"))
      try await tester.finish()
    }
  }

  @Test("an action on a closed rendering is a failure")
  func refused() async throws {
    await #expect(throws: FlowTestFailure.self) {
      try await testFlow(flow(), with: 0, exhaustivity: .partial) { tester in
        let view = try await tester.question(TallyView.self)
        try await tester.conclude(.done, on: view)
        try await tester.act(.add(1), on: view)
      }
    }
  }
}
