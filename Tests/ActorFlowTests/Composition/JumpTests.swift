import ActorFlow
import Testing

@Suite("Starting in the middle") struct JumpTests {
  private let trace = Trace()

  private func automatic(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }

  private var flow: Flow<String, String> {
    Flow("f") {
      automatic("a")
      Flow {
        automatic("b")
        automatic("c")
      }.retry(2)
      Parallel {
        automatic("x")
        automatic("y")
      } join: {
        $0 + $1
      }
      Step("number") { (text: String) in text.count }
      Step("text") { (number: Int) in "\(number)" }
    }
  }

  @Test("a run begins at the named step, with the given value; the steps before it are not on the stack")
  func middle() async throws {
    let coordinator = FlowCoordinator()
    let output = try await coordinator.run(flow, with: "-", startingAt: "c", input: "+")
    #expect(output == "6")
    #expect(trace.all.first == "c:proceed(+)")
    let events = await allEvents(of: coordinator)
    #expect(events[1].change.line == "moved -→c" && !events[1].position.canBackUp)
  }

  @Test("a value of another type is refused with both types, an unknown step with its name, before anything runs")
  func refused() async throws {
    let coordinator = FlowCoordinator()
    let wrong = await error { try await coordinator.run(flow, with: "-", startingAt: "text", input: "+") }
    #expect(
      wrong?.code == .typeMismatch && wrong?.message.contains("Int") == true
        && wrong?.message.contains("String") == true)
    let unknown = await error { try await coordinator.run(flow, with: "-", startingAt: "z", input: "+") }
    #expect(unknown?.code == .noSuchStep)
    #expect(await code { try await coordinator.run(flow, with: "-", startingAt: "x", input: "+") } == .noSuchStep)
    #expect(await code { try await coordinator.run(flow, with: "-", startingAt: "parallel", input: "") } == .noSuchStep)
    #expect(trace.all.isEmpty)
    #expect(await coordinator.position.status == .idle)
  }

  @Test("a scope around the step begins with it: another attempt begins there as well")
  func scope() async throws {
    let count = Count()
    let flow = Flow("f") {
      Flow {
        automatic("a")
        Step.scripted("b") { input, _ in
          if count.next() == 1 { throw Failure("b") }
          return input + "b"
        }
        automatic("c")
      }.retry(2)
    }
    #expect(try await FlowCoordinator().run(flow, with: "-", startingAt: "b", input: "+") == "+bc")
    #expect(trace.all == ["c:proceed(+b)"] && count.now == 2)
  }

  @Test("a carrying around the whole flow carries the flow's input; one that begins behind a step is refused")
  func carrying() async throws {
    let whole = Flow("f") {
      automatic("a")
      automatic("b")
    }.carrying { "\($0)|\($1)" }
    #expect(try await FlowCoordinator().run(whole, with: "-", startingAt: "b", input: "+") == "-|+b")
    let inner = Flow("f") {
      automatic("a")
      Flow {
        automatic("b")
        automatic("c")
      }.carrying { "\($0)|\($1)" }
    }
    #expect(
      await code { try await FlowCoordinator().run(inner, with: "-", startingAt: "c", input: "+") } == .noSuchStep)
  }

  private func error(_ body: () async throws -> some Any) async -> FlowError? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? FlowError }
  }
}
