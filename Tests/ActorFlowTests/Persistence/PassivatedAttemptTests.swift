import Testing

@testable import ActorFlow

@Suite("Persisted flows: attempts under way") struct PassivatedAttemptTests {
  @Test("work that throws after its flow was passivated records nothing, and runs again under its key")
  func passivated() async throws {
    let (working, trace) = (Checkpoint(), Trace())
    let flow = Flow<String, String>("f") {
      Step.scripted("a") { _, context in
        let attempt: Attempt<String>
        do {
          attempt = try await context.attempt("work") { key -> String in
            trace.add(key)
            guard trace.all.count == 1 else { return "made" }
            await working.pass()
            throw Refused()
          }
        } catch {
          trace.add("\(error is CancellationError)")
          throw error
        }
        return try attempt.get()
      }
    }
    let recorder = FlowRecorder(flow)
    let run = try await recorder.start(with: "-")
    await working.reached()
    await run.coordinator.passivate()
    let commits = recorder.all.count
    working.open()
    await run.run.value
    #expect(recorder.all.count == commits)
    let next = try recorder.resume(try #require(recorder.latest))
    #expect(try await next.result.get() == "made")
    let lines = trace.all
    #expect(lines.count == 3 && lines[1] == "true" && lines[0] == lines[2], "\(lines)")
  }

  @Test("an attempt whose failure cannot be committed throws that error, and runs again under its key")
  func uncommitted() async throws {
    let trace = Trace()
    let flow = Flow<String, String>("f") {
      Step.scripted("a") { _, context in
        try await context.attempt("work") { key -> String in
          trace.add(key)
          if trace.all.count == 1 { throw Refused() }
          return "made"
        }.get()
      }
    }
    let recorder = FlowRecorder(flow)
    let run = try await recorder.start(with: "-") { snapshot in
      if snapshot.main.focus.records.contains(where: { $0.failure != nil }) { throw Failure("the store is away") }
    }
    _ = await run.result
    let next = try recorder.resume(try #require(recorder.all.last { $0.snapshot.fault == nil }?.snapshot))
    #expect(try await next.result.get() == "made")
    #expect(trace.all.count == 2 && trace.all[0] == trace.all[1])
  }
}
