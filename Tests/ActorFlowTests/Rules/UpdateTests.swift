import ActorFlow
import Testing

@Suite("update, and ask with updates") struct UpdateTests {
  private func shown(_ position: Position) -> [String] {
    position.questions.map { "\(($0.prompt as? Form)?.text ?? "?") \($0.revision)" }
  }

  @Test("an update replaces the prompt, with the same id and the next revision, and one event")
  func replaces() async throws {
    let handed = Handover<StepContext>()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          handed.give(context)
          return try await context.ask(Form(text: "old"))
        }
      }, with: "")
    let first = try await flow.coordinator.settled()
    let context = try #require(await handed.value())
    try await context.update(Form(text: "new"))
    let second = await flow.coordinator.position
    #expect(shown(first) == ["old 1"])
    #expect(shown(second) == ["new 2"])
    #expect(first.questions.map(\.id) == second.questions.map(\.id))
    try await context.update(Form(text: "newer"))
    #expect(shown(await flow.coordinator.position) == ["newer 3"])
    try await flow.answer("x")
    _ = await flow.result
    #expect(
      await flow.lines == ["launched", "moved -→a", "asked a", "updated a 2", "updated a 3", "answered", "finished"])
  }

  @Test("an update of another prompt type throws wrongPromptType; nothing has changed")
  func wrongType() async throws {
    let handed = Handover<StepContext>()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          handed.give(context)
          return try await context.ask(Form(text: "old"))
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    let context = try #require(await handed.value())
    #expect(await code { try await context.update(Choice()) } == .wrongPromptType)
    #expect(shown(await flow.coordinator.position) == ["old 1"])
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("an update without an open question throws notActive")
  func noneOpen() async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          "\(await code { try await context.update(Form(text: "x")) }?.description ?? "-")"
        }
      }, with: "")
    #expect(try await flow.result.get() == "notActive")
  }

  @Test("an update of a visit that is over throws notActive, also when a later visit has a question open")
  func over() async throws {
    let handed = Handover<StepContext>()
    let flow = launch(
      Flow {
        Step.scripted("a") { input, context in
          handed.give(context)
          return input
        }
        Step("b") { Asker() }
      }, with: "")
    _ = try await flow.coordinator.settled()
    let context = try #require(await handed.value())
    #expect(await code { try await context.update(Form(text: "x")) } == .notActive)
    #expect(await code { try await context.ask(Form(text: "x")) } == .notActive)
    #expect(await code { try await context.once("k") { _ in } } == .notActive)
    #expect(await code { try await context.backUp() } == .notActive)
    #expect(await code { try await context.abandon("x") } == .notActive)
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("a context of an earlier visit of the same place is over, too")
  func earlierVisit() async throws {
    let contexts = Contexts()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          contexts.add(context)
          return try await context.ask(Form(text: "a"))
        }
        Step("b") { Asker() }
      }, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.backUp()
    _ = try await flow.coordinator.settled()
    let first = try #require(contexts.all.first)
    #expect(contexts.all.count == 2)
    #expect(await code { try await first.update(Form(text: "x")) } == .notActive)
    #expect(await code { try await first.once("k") { _ in } } == .notActive)
    #expect(shown(await flow.coordinator.position) == ["a 1"])
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("ask with updates shows each element as a new revision; after the last one the question stays open with it")
  func sequence() async throws {
    let (updates, source) = AsyncStream<Form>.makeStream()
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in try await context.ask(Form(text: "0"), updates: updates) }
      }, with: "")
    _ = try await flow.coordinator.settled()
    source.yield(Form(text: "1"))
    source.yield(Form(text: "2"))
    source.finish()
    let event = await event("updated a 3", of: flow.coordinator)
    #expect(event.map { shown($0.position) } == ["2 3"])
    try await flow.answer("x")
    #expect(try await flow.result.get() == "x")
  }

  @Test("ask with updates has stopped reading when it returns, answered or left", arguments: ["answered", "left"])
  func stopsReading(how: String) async throws {
    let (updates, source) = AsyncStream<Form>.makeStream()
    let stopped = Checkpoint()
    source.onTermination = { _ in stopped.mark() }
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          do {
            let answer = try await context.ask(Form(text: "0"), updates: updates)
            #expect(stopped.arrivals == 1)
            return answer
          } catch {
            #expect(stopped.arrivals == 1)
            throw error
          }
        }
      }, with: "")
    _ = try await flow.coordinator.settled()
    if how == "answered" { try await flow.answer("x") } else { flow.run.cancel() }
    _ = await flow.result
    #expect(stopped.arrivals == 1)
  }

  @Test("an ask with updates that is refused reads nothing")
  func refused() async throws {
    let (updates, source) = AsyncStream<Form>.makeStream()
    source.yield(Form(text: "1"))
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          _ = try await context.ask(Form(text: "0"), key: "k")
          _ = try await context.ask(Form(text: "0"), key: "k", updates: updates)
          return ""
        }
      }, with: "")
    try await flow.answer("x")
    #expect(await flow.code == .duplicateKey)
    #expect(!(await flow.lines.contains { $0.hasPrefix("updated") }))
  }
}

private final class Contexts: Sendable {
  private let contexts = Lock<[StepContext]>([])
  func add(_ context: StepContext) { contexts.withLock { $0.append(context) } }
  var all: [StepContext] { contexts.withLock { $0 } }
}
