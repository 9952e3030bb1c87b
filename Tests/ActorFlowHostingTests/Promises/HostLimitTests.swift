import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Limits of hosted flows", .timeLimit(.minutes(15))) struct HostLimitTests {
  private let store = MemoryFlowStore()

  /// Asks again and again, and counts the answers; an empty answer does not count.
  private let counting = Flow<Int, Int>("counting") {
    Loop {
      Step("ask") { (count: Int, context: StepContext) -> Again<Int, Int> in
        let answer = try await context.ask(Form(text: "\(count)"))
        return answer == "end" ? .done(count) : .again(count + 1)
      }
      .onBackUp(.settling)
    }
  }

  @Test("a time beyond the representable range does not trap: the flow waits for its answer")
  func endless() async throws {
    let clock = ManualWallClock()
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let flow = Flow<String, String>("patient") {
      Step("first") { Asker() }
      Step("second") { Asker() }.timeout(.seconds(Int64.max))
    }
    try await host.register(flow).start(id: "p", with: "-")
    clock.advance(by: .seconds(60))
    try await host.answerNext("p", #""y""#)
    #expect(try await host.flow("p").settled().steps == ["patient/second"])
    try await host.answerNext("p", #""z""#)
    #expect(try await host.flow("p").settled().status == .finished)
  }

  @Test("a flow remembers its latest 1,000 keys; a request under an older key has no second effect either")
  func keys() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(counting)
    try await flows.start(id: "f", with: 0)
    var questions: [Question.ID] = []
    for number in 0...1_000 {
      let question = try #require(try await host.flow("f").settled().questions.first?.id)
      questions.append(question)
      try await host.flow("f").answer(question, with: "more", key: "key \(number)")
    }
    let view = try await host.flow("f").settled()
    await host.isQuiet()
    // The first of 1,001 is forgotten: a repetition is refused as any answer to a closed question.
    #expect(
      await code { try await host.flow("f").answer(questions[0], with: "more", key: "key 0") } == .questionClosed)
    // The latest 1,000 are known: a repetition changes nothing, and another value is refused.
    for number in [1, 2, 500, 1_000] {
      let key = "key \(number)"
      let again = try await host.flow("f").answer(questions[number], with: "more", key: key)
      #expect(again.revision == view.revision)
      #expect(await code { try await host.flow("f").answer(questions[number], with: "less", key: key) } == .keyReused)
    }
    #expect(try await host.flow("f").view().revision == view.revision)
    try await host.answerNext("f", "\"end\"")
    #expect(try await flows.outcome(of: "f") == .finished(1_001))
  }

  /// Asks, and appends the answer.
  private let growing = Flow<String, String>("growing") {
    Step("ask") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: ""))) }
    Step("more") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: ""))) }
  }

  private static let huge = String(repeating: "x", count: FlowSnapshot.maximumBytes + 1)

  @Test("a start whose state is over 4 MiB is refused, and there is no flow")
  func start() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(growing)
    let error = await #expect(throws: FlowError.self) { try await flows.start(id: "f", with: Self.huge) }
    #expect(error?.code == .tooLarge && error?.flow == "f")
    #expect(error?.message.contains("of at most 3932160") == true)
    #expect(try await store.load("f") == nil)
    #expect(await host.live.isEmpty)
    try await flows.start(id: "f", with: "-")
    #expect(try await host.flow("f").settled().status == .waiting)
  }

  @Test("a flow whose own state grows over 4 MiB is suspended with the reason, and can be retried")
  func state() async throws {
    let host = FlowHost(store: store)
    let size = Sizes()
    let flows = try await host.register(
      Flow<String, Int>("growing") {
        Step("ask") { (_: String, context: StepContext) in try await context.ask(Form(text: "")) }
        Step("fill") { (text: String) in String(repeating: text, count: size.next()) }
        Step("count") { (text: String) in text.count }
      })
    try await flows.start(id: "f", with: "-")
    try await host.answerNext("f", "\"x\"")
    await host.isQuiet()
    let view = try await host.flow("f").view()
    #expect(view.status == .suspended && view.steps == ["growing/fill"])
    #expect(view.failure?.contains("of at most 4128768") == true)
    #expect(try await host.list(FlowQuery(status: [.suspended])).flows.map(\.id) == ["f"])
    #expect(await code { try await host.flow("f").backUp() } == .suspended)
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().status == .finished)
    #expect(try await flows.outcome(of: "f") == .finished(2))
    let history = try await host.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    #expect(history.map(\.what).filter { ["suspended", "retried"].contains($0) } == ["suspended", "retried"])
  }

  @Test("a value that cannot be stored, and that registration could not check, suspends the flow")
  func unstorable() async throws {
    struct Opaque: Sendable {}
    let host = FlowHost(store: store)
    try await host.register(
      Flow<String, String>("opaque") {
        Parallel {
          Step("left") { (text: String) in text }.map { _ in Opaque() }
          Step("right") { (text: String, context: StepContext) in try await context.ask(Form(text: text)) }
        } join: {
          $1
        }
      }
    ).start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    let view = try await host.flow("f").view()
    #expect(view.status == .suspended)
    #expect(view.failure?.contains("a value of type Opaque cannot be stored") == true)
    try await host.flow("f").retry()
    #expect(try await host.flow("f").settled().status == .suspended)
  }

  @Test("an answer that makes the state larger than 4 MiB is refused with nothing written; a smaller one is accepted")
  func answer() async throws {
    let host = FlowHost(store: store)
    let flows = try await host.register(growing)
    try await flows.start(id: "f", with: "-")
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    await host.isQuiet()
    let before = try await store.load("f")
    let error = await #expect(throws: FlowError.self) { try await host.flow("f").answer(question, with: Self.huge) }
    #expect(error?.code == .tooLarge && error?.flow == "f")
    #expect(try await store.load("f") == before)
    #expect(try await host.flow("f").settled().questions.map(\.id) == [question])
    try await host.flow("f").answer(question, with: "1")
    try await host.answerNext("f", "\"2\"")
    #expect(try await flows.outcome(of: "f") == .finished("-12"))
  }
}

/// Makes too large an output the first time.
private final class Sizes: Sendable {
  private let isAsked = Lock(false)
  func next() -> Int {
    isAsked.withLock { isAsked in
      defer { isAsked = true }
      return isAsked ? 2 : FlowSnapshot.maximumBytes
    }
  }
}
