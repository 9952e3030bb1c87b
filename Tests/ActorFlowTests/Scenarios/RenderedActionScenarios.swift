import ActorFlow
import Testing

/// The guarantees of workflow-swift about actions and sinks.
@Suite struct RenderedActionScenarios {
  /// The texts that were shown, one for each rendering.
  private func shown(_ flow: Launched<String>) async -> [String] {
    await flow.events.compactMap { event in
      switch event.change {
      case .asked(let question), .updated(let question): (question.prompt as? BoardView)?.line
      default: nil
      }
    }
  }

  private func end(_ flow: Launched<String>) async throws {
    try await flow.act(.out("end"))
    #expect(try await flow.result.get() == "end")
  }

  @Test("WS-019 a child's action without output is no action of its parent, and the parent is rendered again")
  func childOnly() async throws {
    let trace = Trace()
    var script = BoardScript(trace)
    script.tracesRender = true
    let flow = launch(.board(script), with: "")
    try await flow.act(.open("a"))
    let before = trace.all.count
    #expect(await flow.board?.children.first?.sink(.add("1")) == true)
    #expect(trace.all.dropFirst(before) == ["render ", "render a.1"])
    try await end(flow)
  }

  @Test(
    "WS-016 an ignored output is no action of the parent: nothing is rendered unless the child has changed",
    arguments: ["mute", "a"])
  func ignored(key: String) async throws {
    let trace = Trace()
    var script = BoardScript(trace)
    script.tracesRender = true
    let flow = launch(.board(script), with: "")
    try await flow.act(.open(key))
    // All outputs of the child "mute" are ignored, of other children those that their parent maps to nothing.
    let output = key == "mute" ? "x" : "hush"
    let before = trace.all.count
    #expect(await flow.board?.children.first?.sink(.out(output)) == true)
    #expect(trace.all.count == before)
    #expect(await flow.board?.children.first?.sink(.all([.add("1"), .out(output)])) == true)
    #expect(trace.all.dropFirst(before) == ["render ", "render \(key).1"])
    #expect(await flow.board?.line == "(1)")
    try await end(flow)
    #expect(await shown(flow) == ["", "()", "(1)"])
  }

  @Test("WS-020 three consecutive changes are three events in order")
  func threeChanges() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.add("1"), .add("2"), .add("3"))
    try await end(flow)
    #expect(await shown(flow) == ["", "1", "12", "123"])
  }

  @Test("WS-021 with an action that makes the output, the new rendering comes first and the output second")
  func renderingThenOutput() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.all([.add("1"), .out("end")]))
    _ = await flow.result
    #expect(await flow.lines.dropFirst(3) == ["updated board 2", "withdrawn", "finished"])
    #expect(await shown(flow) == ["", "1"])
  }

  @Test("WS-023 two actions sent by one watcher are both applied, each with its rendering, in order")
  func twoByOneWatcher() async throws {
    let flow = launch(.board(), with: "")
    for await event in flow.coordinator.events {
      guard case .asked(let question) = event.change else { continue }
      try await flow.coordinator.answer(question.id, with: BoardAction.add("1"))
      try await flow.coordinator.answer(question.id, with: BoardAction.add("2"))
      break
    }
    try await end(flow)
    #expect(await shown(flow) == ["", "1", "12"])
  }

  @Test("WS-025 of queued actions, renderings come in the order in which they are applied")
  func queued() async throws {
    let flow = launch(.board(), with: "")
    _ = try await flow.coordinator.settled()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 { group.addTask { try await flow.act(.add("\(number),")) } }
      try await group.waitForAll()
    }
    try await end(flow)
    let texts = await shown(flow)
    #expect(texts.count == 21)
    #expect(zip(texts, texts.dropFirst()).allSatisfy { $1.hasPrefix($0) && $1 != $0 })
  }

  @Test("WS-026 of two alternating sequences, all elements are applied")
  func twoSequences() async throws {
    let done = Checkpoint()
    let script = BoardScript(first: BoardState(effects: ["a", "b"])) { key, sink in
      for _ in 0..<3 { #expect(await sink(.add(key))) }
      done.mark()
    }
    let flow = launch(.board(script), with: "")
    await done.reached(2)
    #expect(await flow.board?.text.sorted() == Array("aaabbb"))
    try await end(flow)
  }

  @Test("WS-029 each change of the state renders once")
  func once() async throws {
    let flow = launch(.board(), with: "")
    for _ in 0..<3 { try await flow.act(.all([.add("1"), .add("0"), .add("0")])) }
    try await end(flow)
    #expect(await shown(flow) == ["", "100", "100100", "100100100"])
  }

  @Test("WS-030 an action without a visible change renders nothing")
  func nothing() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.nothing)
    try await end(flow)
    #expect(await shown(flow) == [""])
  }

  @Test("WS-031 an action with nothing but an output renders nothing, and the output counts")
  func outputOnly() async throws {
    let flow = launch(.board(), with: "")
    try await end(flow)
    #expect(await flow.lines.dropFirst(3) == ["withdrawn", "finished"])
  }

  @Test("WS-034 a sink stays valid after a render, also after one that was skipped")
  func oldSinks() async throws {
    let flow = launch(.board(), with: "")
    _ = try await flow.coordinator.settled()
    let sink = try #require(await flow.board?.sink)
    #expect(await sink(.nothing))
    #expect(await sink(.add("1")))
    #expect(await sink(.add("2")))
    #expect(await flow.board?.line == "12")
    try await end(flow)
  }

  private struct Limited: RenderedStep {
    let limit: Int
    func makeState() -> Int { 0 }
    func apply(_ action: Int, to state: inout Int) -> Int? {
      state = min(limit, state + action)
      return state == limit ? limit : nil
    }
    func render(_ state: Int, in scope: inout RenderScope<Limited>) -> Choice { Choice() }
  }

  @Test("WS-035 an action can read the step's input")
  func input() async throws {
    let flow = launch(Flow { Step("limited") { (limit: Int) in Limited(limit: limit) } }, with: 7)
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.answer(Choice.self, with: 5)
    try await flow.coordinator.answer(Choice.self, with: 5)
    #expect(try await flow.result.get() == 7)
  }

  @Test("WS-036 the sink of an earlier rendering works as long as its node exists")
  func earlierSink() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.open("a"))
    let sink = try #require(await flow.board?.children.first?.sink)
    try await flow.act(.add("x"), .add("y"))
    #expect(await sink(.add("1")))
    #expect(await flow.board?.line == "xy(1)")
    try await end(flow)
  }

  @Test("WS-038 an action to a node that is removed while another is handled is refused")
  func removedMeanwhile() async throws {
    let flow = launch(.board(), with: "")
    try await flow.act(.open("a"))
    let child = try #require(await flow.board?.children.first?.sink)
    let root = try #require(await flow.board?.sink)
    let refused = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask { number == 25 ? await root(.close("a")) && false : await !child(.add("1")) }
      }
      return await group.reduce(into: 0) { if $1 { $0 += 1 } }
    }
    #expect(refused <= 49)
    #expect(await !child(.add("1")))
    #expect(await flow.board?.line == "")
    try await end(flow)
  }

  @Test("WS-041 an action may be sent from any task")
  func anyTask() async throws {
    let flow = launch(.board(), with: "")
    _ = try await flow.coordinator.settled()
    let sink = try #require(await flow.board?.sink)
    let isTaken = await Task.detached { await sink(.add("1")) }.value
    #expect(isTaken)
    try await end(flow)
  }

  @Test("WS-044 a sink stored outside retains nothing, and is refused after the end")
  func external() async throws {
    let flow = launch(.board(), with: "")
    _ = try await flow.coordinator.settled()
    let sink = try #require(await flow.board?.sink).pullback { (text: String) in BoardAction.add(text) }
    #expect(await sink("1"))
    try await end(flow)
    #expect(await !sink("2"))
  }

  @Test("WS-045 a watcher may answer while it handles an event")
  func answeringWatcher() async throws {
    let flow = launch(.board(), with: "")
    for await event in flow.coordinator.events {
      guard let view = event.position.questions.first?.prompt as? BoardView else { continue }
      if view.text.count == 3 { break }
      #expect(await view.sink(.add("x")))
    }
    #expect(await flow.board?.line == "xxx")
    try await end(flow)
  }
}
