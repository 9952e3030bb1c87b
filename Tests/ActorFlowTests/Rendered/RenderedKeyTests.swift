import ActorFlow
import Testing

@Suite("Rendered steps: keys") struct RenderedKeyTests {
  /// Requests the effects and children under a `1` of several types.
  private struct Ones: RenderedStep {
    struct State: Sendable, Equatable {
      var types: [String] = ["Int", "UInt8", "Double"]
      var sum = 0
    }
    var trace = Trace()
    var started = Checkpoint()
    func makeState() -> State { State() }

    func apply(_ action: Int, to state: inout State) -> Int? {
      switch action {
      case 0: state.types = ["UInt8"]
      case 1: state.types = ["Int", "UInt8"]
      case ..<0: return state.sum
      default: state.sum += action
      }
      return nil
    }

    func render(_ state: State, in scope: inout RenderScope<Ones>) -> OnesView {
      var ones: [OneView] = []
      for type in state.types {
        switch type {
        case "Int": ones.append(ask(1, type, &scope))
        case "UInt8": ones.append(ask(UInt8(1), type, &scope))
        default: ones.append(ask(1.0, type, &scope))
        }
      }
      return OnesView(ones: ones)
    }

    private func ask(_ key: some Hashable & Sendable, _ type: String, _ scope: inout RenderScope<Ones>) -> OneView {
      scope.run(key) { [trace, started] _ in
        trace.add("start \(type)")
        started.mark()
        await untilCancelled()
      }
      return scope.child(One(), key: key) { $0 }
    }
  }

  private struct OnesView: Prompt {
    typealias Answer = Int
    let ones: [OneView]
  }

  private struct One: RenderedStep {
    func makeState() -> Int { 0 }
    func apply(_ action: Int, to count: inout Int) -> Int? {
      count += action
      return nil
    }
    func render(_ count: Int, in scope: inout RenderScope<One>) -> OneView { OneView(count: count, sink: scope.sink) }
  }

  private struct OneView: Prompt {
    typealias Answer = Int
    let count: Int
    let sink: Sink<Int>
  }

  @Test("equal numbers of different types are different keys, for effects and for children")
  func types() async throws {
    let ones = Ones()
    let flow = launch(Flow { Step("ones") { (_: String) in ones } }, with: "")
    await ones.started.reached(3)
    #expect(Set(ones.trace.all) == ["start Int", "start UInt8", "start Double"])
    for (index, one) in try await view(of: flow).ones.enumerated() { await one.sink((index + 1) * 10) }
    #expect(try await view(of: flow).ones.map(\.count) == [10, 20, 30])
    try await flow.coordinator.answer(OnesView.self, with: 0)
    #expect(try await view(of: flow).ones.map(\.count) == [20])
    try await flow.coordinator.answer(OnesView.self, with: 1)
    #expect(try await view(of: flow).ones.map(\.count) == [0, 20])
    await ones.started.reached(4)
    #expect(ones.trace.all.last == "start Int")
    try await flow.coordinator.answer(OnesView.self, with: -1)
    #expect(try await flow.result.get() == 0)
  }

  private func view(of flow: Launched<Int>) async throws -> OnesView {
    try #require(try await flow.coordinator.settled().questions.first?.prompt as? OnesView)
  }

  @Test("a pass finds a child by its key and the key's type, and names both where there is no such child")
  func passes() throws {
    let pass = try Ones().renderPass(Ones.State(types: ["UInt8"]))
    #expect(pass.effects == [UInt8(1)])
    #expect(try pass.child(One.self, key: UInt8(1)).pass.rendering.count == 0)
    let error = #expect(throws: FlowError.self) { try pass.child(One.self, key: 1) }
    #expect(error?.code == .noSuchStep)
    #expect(error?.message == "Ones renders no child of type One with the key 1; it renders One 1 of type UInt8")
  }

  @Test("an action by a sink that makes the step use a key twice fails the step, and is not reported as applied")
  func failingSink() async throws {
    let flow = launch(.board(), with: "")
    _ = try await flow.coordinator.settled()
    let sink = try #require(await flow.board?.sink)
    #expect(await !sink(.all([.run("a"), .run("a")])))
    #expect(await flow.code == .duplicateKey)
  }

  @Test("one key of one type twice is still an error")
  func duplicates() throws {
    let error = #expect(throws: FlowError.self) { try Ones().renderPass(Ones.State(types: ["UInt8", "UInt8"])) }
    #expect(error?.code == .duplicateKey)
    #expect(error?.message.contains("the effect 1 of type UInt8 twice") == true)
  }
}
