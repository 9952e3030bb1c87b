import ActorFlow
import Testing

@Suite("Rule 13: four different endings") struct Rule13EndingTests {
  private func asking() -> Launched<String> {
    launch(
      Flow {
        Step.scripted("a") { _, context in
          let answer = try await context.ask(Form(text: "a"))
          switch answer {
          case "cancel": throw CancellationError()
          case "fail": throw Failure("own")
          case "flow error": throw FlowError(.abandoned, "pretended")
          default: return answer
          }
        }
      }, with: "")
  }

  @Test("finished: the output, `.finished`, ended(finished)")
  func finished() async throws {
    let flow = asking()
    try await flow.answer("x")
    #expect(try await flow.result.get() == "x")
    let events = await flow.events
    #expect(events.last?.change.line == "finished")
    #expect(events.last?.position.status == .ended(.finished))
    #expect(await flow.coordinator.position.status == .ended(.finished))
  }

  @Test("failed: the step's own error, `.failed`, ended(failed)")
  func failed() async throws {
    let flow = asking()
    try await flow.answer("fail")
    #expect(await flow.error as? Failure == Failure("own"))
    let events = await flow.events
    #expect(events.suffix(2).map(\.change.line) == ["failed a", "rolledBack 0"])
    #expect(events.suffix(2).map(\.position.status) == [.rollingBack, .ended(.failed)])
    guard case .failed("a", let error)? = events.dropLast().last?.change else {
      Issue.record("no failed event")
      return
    }
    #expect(error as? Failure == Failure("own"))
  }

  @Test("abandoned: a FlowError with the reason, `.abandoned`, ended(abandoned)")
  func abandoned() async throws {
    let flow = asking()
    _ = try await flow.coordinator.settled()
    try await flow.coordinator.abandon(reason: "why")
    let error = await flow.error as? FlowError
    #expect(error?.code == .abandoned)
    #expect(error?.message == "why")
    let events = await flow.events
    #expect(events.suffix(2).map(\.change.line) == ["abandoned why", "rolledBack 0"])
    #expect(events.suffix(2).map(\.position.status) == [.rollingBack, .ended(.abandoned(reason: "why"))])
  }

  @Test("cancelled: CancellationError, `.cancelled`, ended(cancelled)")
  func cancelled() async throws {
    let flow = asking()
    _ = try await flow.coordinator.settled()
    flow.run.cancel()
    #expect(await flow.error is CancellationError)
    let events = await flow.events
    #expect(events.suffix(2).map(\.change.line) == ["cancelled", "rolledBack 0"])
    #expect(events.suffix(2).map(\.position.status) == [.rollingBack, .ended(.cancelled)])
  }

  @Test("a step that throws CancellationError without a cancellation has failed; the caller gets it wrapped")
  func unasked() async throws {
    let flow = asking()
    try await flow.answer("cancel")
    let error = await flow.error as? FlowError
    #expect(error?.code == .stepFailed)
    #expect(error?.step == "a")
    #expect(error?.underlying is CancellationError)
    #expect(await flow.lines.suffix(2) == ["failed a", "rolledBack 0"])
    #expect(await flow.coordinator.position.status == .ended(.failed))
  }

  @Test("a step that cancels its own child and rethrows the error has failed")
  func ownChild() async throws {
    let flow = launch(
      Flow {
        Step.scripted("a") { _, context in
          let child = Task { try await context.ask(Form(text: "a")) }
          child.cancel()
          return try await child.value
        }
      }, with: "")
    #expect(await flow.code == .stepFailed)
    #expect(await flow.coordinator.position.status == .ended(.failed))
  }

  @Test("an error that looks like an ending is a failure, and reaches the caller unchanged")
  func pretended() async throws {
    let flow = asking()
    try await flow.answer("flow error")
    #expect((await flow.error as? FlowError)?.message == "pretended")
    #expect(await flow.coordinator.position.status == .ended(.failed))
  }

  @Test("a factory and a map that throw CancellationError have failed", arguments: ["factory", "map"])
  func outsideSteps(place: String) async throws {
    let flow = Flow<String, String> {
      Step("a") { () throws -> Automatic in
        if place == "factory" { throw CancellationError() }
        return Automatic()
      }.map { value throws -> String in
        if place == "map" { throw CancellationError() }
        return value
      }
    }
    #expect(await code { try await FlowCoordinator().run(flow, with: "") } == .stepFailed)
  }

  @Test("a run whose caller was cancelled before it began throws, runs no step code and publishes nothing")
  func cancelledBefore() async throws {
    let (coordinator, trace) = (FlowCoordinator(), Trace())
    let flow = Flow {
      Step("a") { () -> Automatic in
        trace.add("made")
        return Automatic(trace)
      }
    }
    let run = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await coordinator.run(flow, with: "")
    }
    #expect(await error(of: run) is CancellationError)
    #expect(trace.all.isEmpty)
    #expect(await coordinator.position.status == .idle)
    // The coordinator is unchanged: its first run is run 1, and its events begin with 1.
    #expect(try await coordinator.run(flow, with: "") == "a")
    let events = await allEvents(of: coordinator)
    #expect(events.first?.run == 1)
    #expect(events.first?.sequence == 1)
  }
}
