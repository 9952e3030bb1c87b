import ActorFlow
import ActorFlowHosting
import Foundation
import InMemoryTracing
import Synchronization
import Tracing

/// The question of the flow that the tests observe. Its text is a secret.
struct Approval: Prompt, Codable {
  typealias Answer = String
  let text: String
}

/// A bank whose answer is an error with a secret, if it is closed.
actor Bank {
  struct Closed: Error { let account = "SECRET-ACCOUNT" }
  var isOpen = true
  /// The span in which each charge came.
  private(set) var callers: [String?] = []

  func close() { isOpen = false }
  func charge() throws {
    callers.append(ServiceContext.current?.inMemorySpanContext?.spanID)
    if !isOpen { throw Closed() }
  }
}

/// Reserves goods, and frees them again.
actor Reserve: FlowStep {
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.once("hold") { _ in }
    return input
  }

  func backUp(context: RollbackContext) {}
}

/// A flow that has an effect, asks, has another effect, and can be compensated.
func orderFlow(_ bank: Bank) -> Flow<String, String> {
  Flow("order") {
    Step("reserve", Reserve.init)
    Step("approve") { (input: String, context: StepContext) in
      try await context.ask(Approval(text: "SECRET-QUESTION about \(input)"))
    }
    Step("pay") { (answer: String, context: StepContext) in
      try await context.once("charge") { _ in try await bank.charge() }
      return answer
    }
  }
}

/// A clock that only the test moves. No sleeper is woken: the tests let hosts catch up.
final class DayClock: WallClock {
  private let time = Mutex(Date(timeIntervalSince1970: 1_767_225_600))

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }

  func sleep(until deadline: Date) async throws {
    guard deadline > now else { return }
    let (stream, end) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(end) {}
    try Task.checkCancellation()
  }

  func pause(for duration: Duration) async throws { try Task.checkCancellation() }
}

/// A store, a clock and a bank that outlive hosts.
struct World {
  let clock = DayClock()
  let store: MemoryFlowStore
  let bank = Bank()

  init() { store = MemoryFlowStore(clock: clock) }

  /// Runs the body with a new host, as a process would, stops the host, and returns what the body has returned.
  func host<Result>(
    _ name: String, observedBy observers: [any HostObserver],
    _ body: (FlowHost, RegisteredFlow<String, String>) async throws -> Result
  ) async throws -> Result {
    var options = FlowHost.Options()
    options.observers = observers
    let host = try FlowHost(store: store, clock: clock, owner: name, options: options)
    let result = try await body(host, try await host.register(orderFlow(bank)))
    try await host.shutDown()
    return result
  }

  /// Starts the flow `order-17` at one host, and answers it at another a day later.
  func wholeFlow(observedBy observers: (String) -> any HostObserver) async throws {
    try await host("monday", observedBy: [observers("monday")]) { host, orders in
      try await orders.start(id: "order-17", with: "SECRET-INPUT", by: Principal(id: "ann"))
      _ = try await host.flow("order-17").settled()
    }
    clock.advance(by: 86_400)
    try await host("tuesday", observedBy: [observers("tuesday")]) { host, _ in
      try await host.flow("order-17").answer(
        Approval.self, with: "SECRET-ANSWER", by: Principal(id: "bob"), key: "click-1")
      _ = try await host.flow("order-17").settled()
    }
  }
}
