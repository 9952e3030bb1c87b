import ActorFlow
import ActorFlowTesting
import Testing

@Suite("Scopes around failures") struct FailureScopeTests {
  private let trace = Trace()

  private func automatic(_ name: String) -> Step<String, String> { Step(name) { Automatic(trace) } }

  /// Fails this many times, then makes its name.
  private func failing(_ name: String, _ times: Int) -> Step<String, String> {
    let count = Count()
    return .scripted(name, backUp: { [trace] _ in trace.add("\(name):backUp") }) { [trace] input, context in
      trace.add("\(name):proceed(\(input)) \(try await context.once("k") { key in key })")
      if count.next() <= times { throw Failure(name) }
      return input + name
    }
  }

  @Test("a retry around one step keeps its place, its records and its keys; no backUp runs between attempts")
  func retryOne() async throws {
    let flow = Flow("f") {
      automatic("a")
      failing("b", 2).retry(3)
    }
    let run = launch(flow, with: "-")
    #expect(try await run.result.get() == "-ab")
    #expect(trace.all[0] == "a:proceed(-)" && trace.all.count == 4)
    #expect(trace.all.dropFirst().allSatisfy { $0.hasPrefix("b:proceed(-a) test/f/b/2/k/") })
    #expect(Set(trace.all.dropFirst()).count == 1)
    let lines = await run.lines
    #expect(
      lines == [
        "launched", "moved -→a", "moved a→b", "caught b retry, attempt 2", "caught b retry, attempt 3", "finished",
      ])
  }

  @Test("a retry around several steps compensates them before the next attempt")
  func retrySeveral() async throws {
    let flow = Flow("f") {
      automatic("a")
      Flow {
        automatic("b")
        failing("c", 1)
      }.retry(2)
      automatic("d")
    }
    let run = launch(flow, with: "-")
    #expect(try await run.result.get() == "-abcd")
    #expect(
      trace.all.map { $0.split(separator: " ")[0] } == [
        "a:proceed(-)", "b:proceed(-a)", "c:proceed(-ab)", "c:backUp", "b:backUp", "b:proceed(-a)", "c:proceed(-ab)",
        "d:proceed(-abc)",
      ])
    let lines = await run.lines
    #expect(
      lines == [
        "launched", "moved -→a", "moved a→b", "moved b→c", "caught c retry, attempt 2", "unwound a 0", "moved a→b",
        "moved b→c", "moved c→d", "finished",
      ])
  }

  @Test("a flow whose attempts are used up fails with the step's own error")
  func usedUp() async throws {
    let run = launch(Flow("f") { failing("b", 9).retry(3) }, with: "-")
    #expect(await run.error as? Failure == Failure("b"))
    #expect(trace.all.count == 4 && trace.all.last == "b:backUp")
  }

  @Test("a recovery gets the error after everything inside is compensated, and makes the part's output")
  func recover() async throws {
    let flow = Flow("f") {
      Flow {
        automatic("b")
        failing("c", 9)
      }.recover { [trace] error in
        trace.add("recover \(error)")
        return "r"
      }
      automatic("d")
    }
    let run = launch(flow, with: "-")
    #expect(try await run.result.get() == "rd")
    #expect(Array(trace.all.suffix(4)) == ["c:backUp", "b:backUp", "recover c", "d:proceed(r)"])
    #expect(await run.lines.contains("unwound - 0"))
  }

  @Test("a pause between attempts is measured by the run's clock, counts as settled, and ends when the flow is left")
  func backoff() async throws {
    let flow = Flow("f") { failing("b", 2).retry(3, backoff: .exponential(from: .seconds(1))) }
    let clock = ManualClock()
    let run = launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(1))
    while trace.all.count < 2 { await Task.yield() }
    _ = try await run.coordinator.settled()
    try await run.coordinator.abandon()
    #expect(await run.code == .abandoned)
    #expect(trace.all.last == "b:backUp")
  }

  @Test("a timeout leaves the part, compensates it, and fails with timedOut; a recovery around it gets that error")
  func timeout() async throws {
    let clock = ManualClock()
    let flow = Flow("f") {
      automatic("a")
      Step("b") { Asker(trace) }.timeout(.seconds(30))
    }
    let run = launch(flow, with: "-", on: FlowCoordinator(id: "test", clock: clock))
    _ = try await run.coordinator.settled()
    clock.advance(by: .seconds(30))
    #expect(await run.code == .timedOut)
    #expect(trace.all == ["a:proceed(-)", "b:proceed(-a)", "b:backUp", "a:backUp"])
    #expect(
      await run.lines == [
        "launched", "moved -→a", "moved a→b", "asked b", "leaving b timedOut", "unwound a 0", "failed b",
        "rolledBack 0",
      ])
  }
}
