import ActorFlow
import Testing

@Suite("A commit of the walk's own input that fails halts the run") struct CommitHaltTests {
  /// The inputs that a walk or a rollback gives by itself, with the condition that recognizes their commit.
  enum Input: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case enter, skip, finish, fail, compensate, announce = "the ending's announcement", compensated, land, end =
      "the end"
    var testDescription: String { rawValue }

    func rule(_ trace: Trace) -> CommitHook.Rule {
      switch self {
      case .enter: { $0.position.line == "running abc" }
      case .skip: { $0.position.line == "running a" && $0.sequence == 5 }
      case .finish: { $0.ending == .finished }
      case .fail: { $0.leave?.reason == .failed }
      case .announce: { $0.position.status == .rollingBack }
      case .compensate: { $0.phase == .compensating }
      case .compensated: { $0.phase == .compensating && trace.all.last == "c:backUp" }
      case .land: { $0.phase == .walking && $0.sequence == 9 }
      case .end: { $0.ending == .abandoned(reason: "") }
      }
    }
  }

  @Test(
    "run throws the commit's error, the status is ended(failed), and nothing is rolled back", arguments: Input.allCases)
  func halts(input: Input) async throws {
    let (hook, trace) = (CommitHook(), Trace())
    let flow = hook.launch(
      Flow {
        Step("a") { Asker(trace) }
        Step("b") { Skipper(with: input == .skip ? "" : nil, trace) }
        Step.scripted("c", backUp: { _ in trace.add("c:backUp") }) { _, context in
          let answer = try await context.ask(Form(text: "c"))
          if answer == "fail" { throw Refused() }
          return answer
        }
      })
    hook.fail(input.rule(trace))
    try await flow.answer("1")
    switch input {
    case .enter, .skip: break
    case .finish: try await flow.answer("x")
    case .fail: try await flow.answer("fail")
    case .announce, .end:
      _ = try await flow.coordinator.settled()
      try? await flow.coordinator.abandon()
    case .compensate, .compensated, .land:
      _ = try await flow.coordinator.settled()
      #expect(await code { try await flow.coordinator.backUp() } == .ending)
    }
    #expect(await flow.error as? Failure == Failure("commit"))
    #expect(await flow.coordinator.position.status == .ended(.failed))
    let events = await flow.events
    guard case .failed(_, let error)? = events.last?.change else {
      Issue.record("the last event is \(events.last?.change.line ?? "none")")
      return
    }
    #expect(error as? Failure == Failure("commit"))
    #expect(events.map(\.sequence) == Array(1...events.count))
    if input == .enter || input == .skip || input == .finish || input == .fail {
      #expect(!trace.all.contains { $0.hasSuffix("backUp") })
    }
  }

  @Test("a run that is halted while another input is committed stays halted")
  func duringAnotherCommit() async throws {
    let hook = CommitHook()
    let making = Checkpoint()
    let flow = hook.launch(
      Flow {
        Step("a") { Asker() }
        Step("b") { () async -> Automatic in
          await making.pass()
          return Automatic()
        }
      })
    try await flow.answer("1")
    await making.reached()
    // The walk's commit is held up and then fails; behind it an abandon waits, whose commit is held up as well.
    hook.hold { $0.position.line == "running ab" || $0.phase == .leaving }
    hook.fail { $0.position.line == "running ab" }
    making.open()
    await hook.held.reached()
    let abandoning = await flow.filing { try await $0.abandon() }
    hook.held.openOnce()
    await hook.held.reached(2)
    // The walk has its error by now, or soon; the yields let it halt before this commit is done.
    for _ in 1...1_000 { await Task.yield() }
    hook.relax()
    _ = await abandoning.result
    #expect(await flow.error as? Failure == Failure("commit"))
    #expect(await flow.coordinator.position.status == .ended(.failed))
    let events = await flow.events
    #expect(events.map(\.sequence) == Array(1...events.count))
    #expect(events.last?.change.line == "failed a")
    #expect(events.last?.position.status == .ended(.failed))
  }

  @Test("after a halt the coordinator runs again")
  func again() async throws {
    let hook = CommitHook()
    hook.fail { $0.position.line == "running a" }
    let flow = hook.launch(Flow { Step("a") { Asker() } })
    #expect(await flow.error as? Failure == Failure("commit"))
    hook.relax()
    #expect(try await flow.coordinator.run(Flow { Step("b") { Automatic() } }, with: "x") == "xb")
  }
}
