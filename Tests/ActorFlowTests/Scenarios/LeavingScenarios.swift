import ActorFlow
import Testing

/// The step that a back leaves.
@Suite("Scenarios: leaving") struct LeavingScenarios {
  @Test("SC-044 the step that is left by a back is cancelled, compensated and released")
  func cancelledAndDisposed() async throws {
    let trace = Trace()
    let counter = LiveCounter()
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("b") {
        let token = counter.token()
        return Scripted { (input: String, context) in
          do {
            return try await context.ask(Form(text: input))
          } catch {
            trace.add("b:\(type(of: error)) \(Task.isCancelled)")
            throw error
          }
        } backUp: { _ in
          withExtendedLifetime(token) { trace.add("b:backUp") }
        }
      }
    }
    _ = try await running(flow, with: "s") { coordinator in
      try await coordinator.answerNext("1", at: "a")
      #expect(try await coordinator.focus() == "b")
      #expect(counter.now == 1)
      #expect(try await coordinator.backUpAndSettle() == "a")
      #expect(counter.now == 0)
      try await coordinator.abandon(rollingBack: false)
    }
    #expect(trace.all == ["a:proceed(s)", "b:CancellationError true", "b:backUp", "a:backUp", "a:proceed(s)"])
  }

  @Test("FS-28 a long-running step that is backed up over is cancelled, and its late result is ignored")
  func lateResult() async throws {
    let trace = Trace()
    let (begun, stubborn) = (Checkpoint(), Checkpoint())
    let flow = Flow {
      Step("a") { Asker(trace) }
      Step("long") {
        Scripted { (input: String, _) in
          begun.open()
          await stubborn.pass()  // not related to the cancellation
          trace.add("long:returns \(Task.isCancelled)")
          return "late"
        }
      }
      Step("c") { Automatic(trace) }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      await begun.pass()
      async let back: Void = coordinator.backUp()
      let leaving = try await firstEvent(of: coordinator) { $0.change.line == "leaving long back" }
      guard case .leaving(let visit, _) = leaving.position.status else { throw Refused() }
      #expect(visit.step == "long")
      stubborn.open()
      try await back
      try await coordinator.answerNext("2", at: "a")
    }
    #expect(try result.get() == "latec")
    #expect(
      trace.all == [
        "a:proceed(s)", "long:returns true", "a:backUp", "a:proceed(s)", "long:returns false", "c:proceed(late)",
      ])
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "moved a→long", "leaving long back", "backedUp long→a 0", "moved a→long",
        "moved long→c", "finished",
      ])
  }

  @Test("TC-01 a step that is left while its task runs is cancelled, without any code of its own")
  func cancelled() async throws {
    let working = LiveCounter()
    let begun = Checkpoint()
    let flow = Flow {
      Step("a") { Asker() }
      Step("busy") { (input: String) in
        async let one: Void = waitForever(holding: working.token())
        async let other: Void = waitForever(holding: working.token())
        begun.open()
        _ = try await (one, other)
        return input
      }
    }
    let coordinator = FlowCoordinator()
    let result = try await running(flow, with: "s", on: coordinator) { coordinator in
      try await coordinator.answerNext("1", at: "a")
      await begun.pass()
      try await coordinator.backUp()
      #expect((working.now, working.ever) == (0, 2))
      #expect(try await coordinator.focus() == "a")
      try await coordinator.abandon()
    }
    #expect(code(of: result) == .abandoned)
    #expect(
      await moves(of: coordinator) == [
        "launched", "moved -→a", "moved a→busy", "leaving busy back", "backedUp busy→a 0", "leaving a abandoned",
        "abandoned ", "rolledBack 0",
      ])
  }
}
