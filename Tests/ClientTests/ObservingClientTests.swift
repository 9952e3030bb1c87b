import ActorFlow
import ActorFlowHosting
import Synchronization
import Testing

/// Observers as a client writes them whose package has none of the upcoming features that this package enables.
@Suite("Observers of a plain client", .timeLimit(.minutes(15))) struct ObservingClientTests {
  @TaskLocal static var span = "none"

  final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  /// Sets a task-local value around each step.
  struct Tracing: StepObserver {
    let log: Log
    func observe(_ event: HostEvent) {
      if case .stepEnded(_, .returned, _) = event.kind { log.add("returned") }
    }
    func around(_ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
      try await ObservingClientTests.$span.withValue(step.step.name) { try await body() }
      log.add("after \(step.step.name)")
    }
  }

  /// An observer with state of its own.
  actor Counting: StepObserver {
    private(set) var steps = 0
    private func count() { steps += 1 }
    nonisolated func observe(_ event: HostEvent) {}
    nonisolated(nonsending) func around(
      _ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
      await count()
      try await body()
    }
  }

  /// An observer whose state belongs to the main actor.
  @MainActor final class Watching: StepObserver {
    private(set) var steps = 0
    nonisolated init() {}
    private func count() { steps += 1 }
    nonisolated func observe(_ event: HostEvent) {}
    nonisolated(nonsending) func around(
      _ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
      await count()
      try await body()
    }
  }

  @Test("they run around each step, whose code sees their task-local values")
  func around() async throws {
    let (log, counting) = (Log(), Counting())
    let watching = Watching()
    var options = FlowHost.Options()
    options.observers = [Tracing(log: log), counting, watching]
    let host = try FlowHost(store: MemoryFlowStore(), options: options)
    let flows = try await host.register(
      Flow<Int, Int>("f") {
        Step("one") { (number: Int, _: StepContext) async throws in
          log.add("one in \(ObservingClientTests.span)")
          return number + 1
        }
        Step("two") { (number: Int) in number * 2 }
      })
    try await flows.start(id: "x", with: 1)
    _ = try await host.flow("x").settled(within: .seconds(600))
    #expect(try await flows.outcome(of: "x") == .finished(4))
    #expect(log.all == ["one in one", "after one", "returned", "after two", "returned"])
    #expect(await counting.steps == 2)
    #expect(await watching.steps == 2)
    #expect(await host.health().lastObserverFault == nil)
    try await host.shutDown()
  }
}
