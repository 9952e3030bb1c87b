import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Steps named by errors outside a step") struct ErrorStepTests {
  private let clock = ManualClock()

  private func failing(_ name: String) -> Step<String, String> {
    .scripted(name) { _, _ in throw Failure(name) }
  }

  private func blamed<I, O>(_ flow: Flow<I, O>, with input: I) async -> StepID? {
    for event in await launch(flow, with: input).events {
      if case .failed(let step, _) = event.change { return step }
    }
    return nil
  }

  @Test("a factory in a branch for each element: the path has the element's number")
  func factory() async {
    struct Unlucky: Error {}
    let flow = Flow("f") {
      ForEach({ (count: Int) in Array(0..<count) }) {
        Step("a") { (number: Int) in "\(number)" }
        Step("b") {
          if true { throw Unlucky() }
          return Asker()
        }
      }
    }
    #expect(await blamed(flow, with: 1) == "f/each/0/b")
  }

  @Test("the closure that finds the elements of an inner fork: the fork's path has the outer element's number")
  func elements() async {
    let flow = Flow("f") {
      ForEach({ (count: Int) in Array(0..<count) }) {
        ForEach({ (_: Int) -> [Int] in throw Failure("elements") }) { Step("a") { (number: Int) in number } }
      }
    }
    #expect(await blamed(flow, with: 1) == "f/each/0/each")
  }

  @Test("a choice that stands first and takes no value: the flow around it")
  func choice() async throws {
    let flow = Flow("f") {
      Switch {
        Case("one", where: { (number: Int) in number == 1 }) { Step("a") { (number: Int) in number } }
      }
    }
    #expect(await blamed(flow, with: 2) == "f")
    let unnamed = Switch {
      Case("one", where: { (number: Int) in number == 1 }) { Step("a") { (number: Int) in number } }
    }
    #expect(await blamed(unnamed.flow, with: 2) == "switch")
    let empty = try unnamed.flow.removing("a")
    #expect(await blamed(empty, with: 2) == "switch")
  }

  @Test("a timeout in the pause before another attempt of the first step: that step")
  func timeout() async throws {
    let flow = Flow("f") { failing("a").retry(2, backoff: .constant(.seconds(60))).timeout(.seconds(30)) }
    let run = launch(flow, with: "-", on: FlowCoordinator(clock: clock))
    _ = await event("caught a retry, attempt 2 after 60.0 seconds", of: run.coordinator)
    try await run.coordinator.settled()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(30))
    let error = try #require(await run.error as? FlowError)
    #expect(error.code == .timedOut && error.step == "f/a")
  }
}
