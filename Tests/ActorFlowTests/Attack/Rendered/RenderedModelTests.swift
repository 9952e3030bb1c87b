import ActorFlow
import Testing

/// Random programs of actions, effects, and children that come and go, played on a rendered step and on a naive model.
@Suite struct RenderedModelTests {
  private static let rounds = Attack.scaled(10_000)

  @Test("random programs match a naive model", arguments: 0..<2)
  func programs(_ part: Int) async {
    await attack(Attack.seeds(Self.rounds, part: part, of: 2)) { seed in
      var driver = RenderedDriver(seed: seed)
      try await driver.play()
    }
  }
}

private struct RenderedDriver {
  private var random: SeededGenerator
  private var model = RenderedReference()
  private let puppets = RenderedPuppets()
  private var flow: Launched<String>
  /// Sinks of nodes that were shown in this visit, and those of earlier ones.
  private var sinks: [(node: RenderedReference.Node, sink: Sink<BoardAction>)] = []
  private var oldSinks: [Sink<BoardAction>] = []

  /// In every fourth program all decisions are committed, and take their time.
  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let script = puppets.script
    var settings = CoordinatorSettings()
    if seed.isMultiple(of: 4) { settings.commit = { _ in await Task.yield() } }
    flow = launch(
      Flow {
        Step("board") { (_: String) in Board(script: script) }
        Step("next") { Asker() }
      }, with: "", on: FlowCoordinator(id: "model", settings: settings))
  }

  mutating func play() async throws {
    _ = try await flow.coordinator.settled()
    try await compare("at first")
    for _ in 0..<(4 + random.below(14)) {
      guard try await act() else { return try await finish() }
    }
    try await end(by: random.below(4))
    try await finish()
  }

  /// Does one random thing. Returns false at the end.
  private mutating func act() async throws -> Bool {
    let live = model.running.union(model.leaving).sorted()
    switch random.below(10) {
    case 0, 1: return try await answer()
    case 2...5: return try await send()
    case 6 where !live.isEmpty, 7 where !live.isEmpty:
      let name = live[random.below(live.count)]
      guard let puppet = puppets.puppet(name) else { throw Finding("\(name) is not under way") }
      puppet.give(.end)
      let waits = model.waiting.contains(name)
      model.end(name)
      if waits { try await compare("after \(name) made room") }
    case 8 where !live.isEmpty: return try await sendByEffect(live)
    case 9 where random.chance(30): try await returnHere()
    default: return try await answer()
    }
    return true
  }

  /// Returns a possible action of a node, usually a valid one.
  private mutating func action(for node: RenderedReference.Node, _ depth: Int = 0) -> BoardAction {
    let key = ["a", "b", "mute"][random.below(3)]
    switch random.below(12) {
    case 0, 1: return .add("\(random.below(10))")
    case 2, 3, 4: return node.state.effects.contains(key) && !random.chance(1) ? .stop(key) : .run(key)
    case 5, 6, 7: return node.state.children.contains(key) && !random.chance(1) ? .close(key) : .open(key)
    case 8: return .nothing
    case 9 where node.parent != nil: return .out(random.chance(30) ? "hush" : key)
    case 10 where depth == 0:
      return .all([action(for: node, 1), .add("!"), random.chance(50) ? .stop(key) : .close(key)])
    default: return .add("")
    }
  }

  private mutating func answer() async throws -> Bool {
    let action = action(for: model.root)
    model.apply(action, at: model.root)
    do { try await flow.coordinator.answer(BoardView.self, with: action) } catch {
      try demand(model.hasFailed && code(error) == .questionClosed, "\(action) was refused: \(error)")
    }
    return try await compareUnlessFailed("after \(action)")
  }

  private mutating func send() async throws -> Bool {
    if !oldSinks.isEmpty, random.chance(20) {
      let isTaken = await oldSinks[random.below(oldSinks.count)](.add("old"))
      try demand(!isTaken, "a sink of an earlier visit was heard")
      return try await compareUnlessFailed("after an old sink")
    }
    let (node, sink) = sinks[random.below(sinks.count)]
    let action = action(for: node)
    return try await send(action, to: model.isPart(node) ? node : nil, sink)
  }

  private mutating func sendByEffect(_ live: [String]) async throws -> Bool {
    let name = live[random.below(live.count)]
    guard let puppet = puppets.puppet(name) else { throw Finding("\(name) is not under way") }
    let node = model.root.all.first { node in node.asked.contains { node.name + $0 == name } }
    guard let node, model.running.contains(name) else { return try await send(.add("x"), to: nil, puppet.sink) }
    return try await send(action(for: node), to: node, puppet.sink)
  }

  private mutating func send(
    _ action: BoardAction, to node: RenderedReference.Node?, _ sink: Sink<BoardAction>
  ) async throws -> Bool {
    if let node { model.apply(action, at: node) }
    let isTaken = await sink(action)
    try demandEqual(isTaken, node != nil && !model.hasFailed, "whether \(action) was taken")
    return try await compareUnlessFailed("after \(action)")
  }

  private func code(_ error: any Error) -> FlowError.Code? { (error as? FlowError)?.code }
}

// MARK: - Comparing

extension RenderedDriver {
  private mutating func compareUnlessFailed(_ when: String) async throws -> Bool {
    guard !model.hasFailed else { return false }
    try await compare(when)
    return true
  }

  private mutating func compare(_ when: String) async throws {
    let question = await flow.coordinator.position.questions.first
    guard let question, let view = question.prompt as? BoardView else { throw Finding("\(when): nothing is shown") }
    try demandEqual(view.line, model.root.line, "\(when): the rendering")
    try demandEqual(question.revision, model.revision, "\(when): the revision")
    try demandEqual(await puppets.names(model.started.count).sorted(), model.started.sorted(), "\(when): started")
    for name in model.running {
      try demand(puppets.puppet(name)?.isCancelled != true, "\(when): \(name) is cancelled")
    }
    for name in model.leaving {
      try demand(puppets.puppet(name)?.isCancelled != false, "\(when): \(name) is not cancelled")
    }
    try demand(puppets.findings.isEmpty, "\(when): \(puppets.findings)")
    sinks += zip(model.root.all, view.all.map(\.sink)).map { ($0, $1) }
  }

  /// Continues to the next step, and back.
  private mutating func returnHere() async throws {
    // A waiting effect could start or not while the board is left.
    for name in model.waiting.sorted() {
      puppets.puppet(name)?.give(.end)
      model.end(name)
    }
    try await compare("before leaving")
    puppets.endWhenCancelled(true)
    try await flow.coordinator.answer(BoardView.self, with: .out("on"))
    _ = try await flow.coordinator.settled()
    try demand(puppets.count == 0, "an effect has outlived its visit")
    puppets.endWhenCancelled(false)
    model.leave()
    oldSinks += sinks.map(\.sink)
    sinks = []
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    model.enter()
    try await compare("after coming back")
  }

  private mutating func end(by verb: Int) async throws {
    puppets.endWhenCancelled(true)
    switch verb {
    case 0:
      try await flow.coordinator.answer(BoardView.self, with: .out("end"))
      try await flow.answer("!")
      try demandEqual(try await flow.result.get(), "end!", "the result")
    case 1:
      try await flow.coordinator.abandon()
      try demand(await flow.code == .abandoned, "abandoned, it ended otherwise")
    case 2:
      flow.run.cancel()
      try demand(await flow.error is CancellationError, "cancelled, it ended otherwise")
    default:
      guard let name = model.running.sorted().first, let puppet = puppets.puppet(name) else {
        return try await end(by: 1)
      }
      puppet.give(.fail)
      try demandEqual(await flow.error as? Failure, Failure(name), "the error")
    }
  }

  private func finish() async throws {
    puppets.endWhenCancelled(true)
    if model.hasFailed { try demand(await flow.code == .duplicateKey, "a key was used twice, and nothing came of it") }
    _ = await flow.result
    try demand(puppets.count == 0, "an effect has outlived the flow")
    try demand(puppets.findings.isEmpty, "\(puppets.findings)")
    for (_, sink) in sinks { try demand(await !sink(.add("late")), "a sink was heard after the end") }
  }
}

extension BoardView {
  /// Returns this view and those below it, in the order of the model's nodes.
  fileprivate var all: [BoardView] { [self] + children.flatMap(\.all) }
}
