import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The worker of the article about hosting, compiled and run.

struct Worker {
  let host: FlowHost
  let store: any LeasingFlowStore
  let clock: any WallClock

  func run() async throws {
    let epoch = try await store.attach(owner: "worker-1", for: .seconds(30))  // a name that no host has
    try await withThrowingTaskGroup { group in
      group.addTask { try await beat(epoch) }
      group.addTask { try await work(epoch) }
      defer { group.cancelAll() }
      try await group.next()  // neither returns: the first error ends both
    }
  }

  private func beat(_ epoch: Epoch) async throws {
    while true {
      try await clock.sleep(until: clock.now.addingTimeInterval(10))
      _ = try await store.beat(epoch, for: .seconds(30))
    }
  }

  private func work(_ epoch: Epoch) async throws {
    var pause = 0.1
    while true {
      if let leased = try await store.claimDue(under: epoch, serving: ["approval": 1...1], limit: 1).first {
        do {
          try await host.work(on: leased)  // gives the lease back, also when it throws
          pause = 0.1
          continue
        } catch let error as FlowError where error.code == .unmigrated {
          // Nothing has changed. The flow is claimed again after the pause.
        }
      }
      try await clock.sleep(until: clock.now.addingTimeInterval(pause))
      pause = min(pause * 2, 10)
    }
  }
}

/// Decides by itself after a day without an answer.
private let approval = Flow<Expense, Bool>("approval") {
  Step("decide") { (expense: Expense, context: StepContext) in
    try await context.ask(Decision(expense: expense, assignees: ["ann"]), within: .seconds(86_400))?.isApproved ?? false
  }
}

@Suite("Snippets: a worker") struct WorkerSnippets {
  @Test("a worker without a running host brings due flows to their ends, and stops when it is cancelled")
  func worker() async throws {
    let clock = ManualWallClock()
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let approvals = try await host.register(approval)
    for number in 1...3 {
      try await approvals.start(id: FlowID("expense-\(number)"), with: Expense(purpose: "train", cents: number))
      _ = try await host.flow(FlowID("expense-\(number)")).settled()
    }
    await host.isQuiet()
    clock.advance(by: .seconds(86_400))
    let worker = Worker(host: host, store: store, clock: clock)
    let running = Task { try await worker.run() }
    try await clock.waitForSleepers(2)  // it beats, and nothing is due
    for number in 1...3 {
      #expect(try await approvals.outcome(of: FlowID("expense-\(number)")) == .finished(false))
    }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }
}
