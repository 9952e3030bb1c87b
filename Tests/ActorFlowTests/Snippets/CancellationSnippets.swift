import ActorFlow
import Testing

/// The code of the article "Cancellation".
enum CancellationSnippets {
  struct Printed: Prompt {
    typealias Answer = Int
    var page: Int
  }
  struct PaperJam: Error {}

  actor PrintStep: FlowStep {
    func proceed(_ pages: Int, context: StepContext) async throws -> Int {
      var sheets = 0
      for page in 1...pages {
        try Task.checkCancellation()  // left in the meantime: stop here
        sheets += try await context.ask(Printed(page: page))  // throws when the step is left: let it through
        if sheets > 10 { throw PaperJam() }
      }
      return sheets
    }
    func backUp(context: RollbackContext) {}
  }

  static func ending(of run: () async throws -> Int) async -> String {
    do {
      return "finished: \(try await run())"
    } catch let error as FlowError where error.code == .abandoned {
      return "abandoned: \(error.message)"
    } catch is CancellationError {
      return "cancelled"
    } catch {
      return "failed: \(error)"
    }
  }

  static func start(_ flow: Flow<Int, Int>, on coordinator: FlowCoordinator, printing pages: Int) {
    Task { try await coordinator.run(flow, with: pages) }  // the handle is dropped, and the flow runs on
  }

  static func stop(_ coordinator: FlowCoordinator) async {
    let stopping = Task { try await coordinator.abandon(reason: "closing time") }
    stopping.cancel()  // stops the wait; the flow still ends
    _ = await stopping.result
  }
}

@Suite("Article: cancellation") struct CancellationSnippetTests {
  typealias Code = CancellationSnippets

  private func ending(
    printing pages: Int, _ body: @escaping @Sendable (FlowCoordinator, Task<String, Never>) async throws -> Void
  ) async throws -> String {
    let coordinator = FlowCoordinator()
    let flow = Flow { Step("print") { Code.PrintStep() } }
    let run = Task { await Code.ending { try await coordinator.run(flow, with: pages) } }
    _ = try await coordinator.settled()
    try await body(coordinator, run)
    return await run.value
  }

  @Test("a dropped task handle keeps its flow running: it waits, is answered, and finishes")
  func dropped() async throws {
    let coordinator = FlowCoordinator()
    Code.start(Flow { Step("print") { Code.PrintStep() } }, on: coordinator, printing: 1)
    #expect(try await coordinator.settled().questions.count == 1)
    try await coordinator.answer(Code.Printed.self, with: 1)
    #expect(try await coordinator.settled().status == .ended(.finished))
  }

  @Test("finished, abandoned, cancelled and failed are four different endings for the caller of `run`")
  func endings() async throws {
    let finished = try await ending(printing: 1) { coordinator, _ in
      try await coordinator.answer(Code.Printed.self, with: 1)
    }
    #expect(finished == "finished: 1")
    let abandoned = try await ending(printing: 2) { coordinator, _ in await Code.stop(coordinator) }
    #expect(abandoned == "abandoned: closing time")
    let cancelled = try await ending(printing: 2) { _, run in run.cancel() }
    #expect(cancelled == "cancelled")
    let failed = try await ending(printing: 2) { coordinator, _ in
      try await coordinator.answer(Code.Printed.self, with: 11)
    }
    #expect(failed == "failed: PaperJam()")
  }
}
