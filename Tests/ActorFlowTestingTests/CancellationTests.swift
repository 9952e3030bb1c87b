import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct CancellationTests {
  /// Whether an instance is still alive.
  private final class InstanceTracker: Sendable {
    private let state = Lock<[Weak]>([])
    private struct Weak: Sendable { weak let step: (any FlowStep)? }
    func keep<S: FlowStep>(_ step: S) -> S {
      state.withLock { $0.append(Weak(step: step)) }
      return step
    }
    var alive: Int { state.withLock { $0.filter { $0.step != nil }.count } }
    /// Whether no step is left, now or once the last calls of steps have unwound.
    func isEmpty() async -> Bool {
      for _ in 0..<100_000 where alive > 0 { await Task.yield() }
      return alive == 0
    }
    var made: Int { state.withLock { $0.count } }
  }

  @Test("a test that is cancelled while it waits throws CancellationError, and leaves nothing behind")
  func cancelledWhileWaiting() async throws {
    let tracker = InstanceTracker()
    let flow = Flow { Step("silent") { tracker.keep(StepDouble<Int, Int>(.waiting)) } }
    let (waiting, signal) = AsyncStream.makeStream(of: FlowCoordinator.self)
    let test = Task {
      try await testFlow(flow, with: 1) { tester in
        try await tester.expect(.moved(to: "silent"))
        signal.yield(tester.coordinator)
        signal.finish()
        try await tester.finish()
      }
    }
    var coordinator: FlowCoordinator?
    for await running in waiting { coordinator = running }
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    #expect(await coordinator?.position.status == .ended(.cancelled))
    #expect(tracker.made == 1)
    #expect(await tracker.isEmpty())
  }

  @Test("every helper that waits stops waiting when the test is cancelled")
  func everyHelper() async throws {
    let helpers: [@Sendable (FlowTester<Int>) async throws -> Void] = [
      { _ = try await $0.question(AddressForm.self) },
      { try await $0.expect(.updated(AddressForm.self)) },
      { try await $0.failure() },
      { try await $0.skipRest() },
      { try await $0.backUp() },
      { try await $0.refusal(.moving) { _ = try await $0.settled() } },
    ]
    for helper in helpers {
      let flow = Flow {
        Step("shipping") { StepDouble<Int, Int>(.asking(CardForm()) { $0 }) }
        Step("silent") { StepDouble<Int, Int>(.waiting) }
      }
      let test = Task {
        try await testFlow(flow, with: 1) { tester in
          try await tester.answer(CardForm.self, with: 1)
          try await tester.expect(.moved(to: "silent"))
          withUnsafeCurrentTask { $0?.cancel() }
          try await helper(tester)
        }
      }
      await #expect(throws: CancellationError.self) { try await test.value }
    }
  }

  @Test("a test that was cancelled before it began runs no step")
  func cancelledBefore() async throws {
    let tracker = InstanceTracker()
    let test = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await testFlow(Flow { Step("a") { tracker.keep(StepDouble<Int, Int>(.returning(1))) } }, with: 1) { _ in }
    }
    await #expect(throws: CancellationError.self) { try await test.value }
    #expect(tracker.made == 0)
  }

  @Test("a flow that still runs when the body throws is ended and rolled back before the test is over")
  func bodyThrows() async throws {
    let tracker = InstanceTracker()
    let undone = Lock<[String]>([])
    let waiting = Lock<StepDouble<Int, Int>?>(nil)
    let flow = Flow {
      Step("a") {
        tracker.keep(StepDouble<Int, Int>(.returning(1), onBackUp: { _ in undone.withLock { $0.append("a") } }))
      }
      Step("b") {
        let double = StepDouble<Int, Int>(.waiting, onBackUp: { _ in undone.withLock { $0.append("b") } })
        waiting.withLock { $0 = double }
        return tracker.keep(double)
      }
    }
    await #expect(throws: Declined.self) {
      try await testFlow(flow, with: 1) { tester in
        try await tester.expect(.moved(to: "a"), .moved(to: "b"))
        await waiting.withLock { $0.take() }?.hasBegun()
        throw Declined()
      }
    }
    #expect(undone.withLock { $0 } == ["b", "a"])
    #expect(await tracker.isEmpty())
  }

  @Test("1,000 concurrent tests, each cancelled at some moment, leave no step behind")
  func manyTests() async throws {
    let tracker = InstanceTracker()
    let flow = Flow {
      Step("shipping") { tracker.keep(StepDouble<Int, Int>(.asking(CardForm()) { $0 })) }
      Step("silent") { tracker.keep(StepDouble<Int, Int>(.waiting)) }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let test = Task {
            try await testFlow(flow, with: 1, patience: Patience(.seconds(600))) { tester in
              try await tester.answer(CardForm.self, with: 1)
              try await tester.expect(.moved(to: "silent"))
              try await tester.finish()
            }
          }
          for _ in 0..<(number % 20) { await Task.yield() }
          test.cancel()
          await #expect(throws: CancellationError.self) { try await test.value }
        }
      }
    }
    #expect(await tracker.isEmpty())
  }
}
