import ActorFlow

/// The world of the puppets: it stops them where the driver wants them stopped, and records their actions.
final class Stage: Sendable {
  /// The code of the flow that has stopped and waits for a command.
  enum Spot: Sendable, Hashable {
    case make(Int), skip(Int), proceed(Int), effect, backUp(Int)
    /// The run has returned.
    case end
  }

  /// A puppet's action.
  enum Line: Sendable, Hashable {
    case make(Int), skip(Int, String)
    /// Step, instance, input.
    case proceed(Int, Int, String)
    /// Step, instance, reason.
    case backUp(Int, Int, String)
    case got(String), refused(String)
    /// The key in the step, and the name of its idempotency key.
    case effect(String, String)
    case undo(String)
  }

  fileprivate struct State: Sendable {
    var lines: [Line] = []
    var arrivals = 0
    var spot: Spot?
    var stops = 0
    var puppet: (stop: Int, waiter: CheckedContinuation<Command, any Error>)?
    var driver: (arrivals: Int, waiter: CheckedContinuation<Void, any Error>)?
    var names: [String: String] = [:]
    /// The effects that have happened in the world and were not compensated, by idempotency key.
    var world: Set<String> = []
    var instances: [WeakActor] = []
    var made = 0
    var contexts: [StepContext] = []
    var asking: Task<String, any Error>?
    /// Whether it must give up as soon as it is known.
    var givesUp = false
    var busy = 0
    var violations: [String] = []
  }
  private let state = Lock(State())
  private let autopilot: Autopilot?

  /// - Parameter autopilot: Plays the driver, so that puppets never wait for one.
  init(autopilot: Autopilot? = nil) {
    self.autopilot = autopilot
  }

  // MARK: The puppets' side

  func trace(_ line: Line) { state.withLock { $0.lines.append(line) } }

  func report(_ text: String) { state.withLock { $0.violations.append(text) } }

  /// Begins a piece of a step's code; only one piece may execute at a time.
  func enter() {
    state.withLock { state in
      state.busy += 1
      if state.busy > 1 { state.violations.append("two steps run at once, after \(state.lines.suffix(3))") }
    }
  }

  func leave() { state.withLock { $0.busy -= 1 } }

  func newInstance() -> Int {
    state.withLock { state in
      state.made += 1
      return state.made
    }
  }

  func watch(_ instance: any Actor) { state.withLock { $0.instances.append(WeakActor(actor: instance)) } }

  func keep(_ context: StepContext) { state.withLock { $0.contexts.append(context) } }

  /// The task that asks, or nil when it has ended.
  func keep(_ asking: Task<String, any Error>?) {
    let isLate = state.withLock { state in
      state.asking = asking
      defer { state.givesUp = false }
      return state.givesUp
    }
    if isLate { asking?.cancel() }
  }

  /// Returns a short name for an idempotency key: `#1`, `#2`… in the order of first use.
  func name(of id: String) -> String {
    state.withLock { state in
      let name = state.names[id] ?? "#\(state.names.count + 1)"
      state.names[id] = name
      return name
    }
  }

  func happened(_ id: String) { state.withLock { _ = $0.world.insert(id) } }

  func undone(_ id: String) { state.withLock { _ = $0.world.remove(id) } }

  /// Waits for the driver's next command.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, unless it `isDeaf`.
  func stop(at spot: Spot, isDeaf: Bool) async throws -> Command {
    if let autopilot { return try await autopilot.command(at: spot, isDeaf: isDeaf) }
    let stop = state.withLock { state in
      state.stops += 1
      return state.stops
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard isDeaf || !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        let driver = state.withLock { state in
          if state.puppet != nil { state.violations.append("\(spot) is reached while the flow is stopped elsewhere") }
          state.puppet = (stop, continuation)
          return state.arrive(at: spot)
        }
        driver?.resume()
        if !isDeaf, Task.isCancelled { giveUp(stop) }
      }
    } onCancel: {
      if !isDeaf { giveUp(stop) }
    }
  }

  private func giveUp(_ stop: Int) {
    let puppet = state.withLock { state -> CheckedContinuation<Command, any Error>? in
      guard let puppet = state.puppet, puppet.stop == stop else { return nil }
      state.puppet = nil
      return puppet.waiter
    }
    puppet?.resume(throwing: CancellationError())
  }

  fileprivate func withState<Result>(_ body: (inout State) -> Result) -> Result { state.withLock(body) }
}

// MARK: - The driver's side

extension Stage {
  var lines: [Line] { withState { $0.lines } }
  var violations: [String] { withState { $0.violations } }
  var arrivals: Int { withState { $0.arrivals } }
  var spot: Spot? { withState { $0.spot } }
  /// The names of the effects that have happened in the world and were not compensated.
  var world: Set<String> { withState { state in Set(state.world.map { state.names[$0] ?? $0 }) } }
  var contexts: [StepContext] { withState { $0.contexts } }
  var livingInstances: Int { withState { state in state.instances.count { $0.actor != nil } } }

  /// Releases the stopped puppet.
  func send(_ command: Command) {
    let puppet = withState { state in
      defer { state.puppet = nil }
      return state.puppet?.waiter
    }
    puppet?.resume(returning: command)
  }

  /// Makes the puppet that asks give up.
  func giveUpAsking() {
    let asking = withState { state in
      // The question may be open before its task is known.
      state.givesUp = state.asking == nil
      return state.asking
    }
    asking?.cancel()
  }

  /// The run has returned.
  func end() { withState { $0.arrive(at: .end) }?.resume() }

  /// Waits until the flow's code has stopped for the `count`th time.
  func arrival(_ count: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
        let isThere = withState { state in
          if state.arrivals < count { state.driver = (count, waiter) }
          return state.arrivals >= count
        }
        if isThere { waiter.resume() } else if Task.isCancelled { stopWaiting() }
      }
    } onCancel: {
      stopWaiting()
    }
  }

  private func stopWaiting() {
    let waiter = withState { state in
      defer { state.driver = nil }
      return state.driver?.waiter
    }
    waiter?.resume(throwing: CancellationError())
  }
}

extension Stage.State {
  fileprivate mutating func arrive(at spot: Stage.Spot) -> CheckedContinuation<Void, any Error>? {
    arrivals += 1
    self.spot = spot
    guard let driver, driver.arrivals <= arrivals else { return nil }
    self.driver = nil
    return driver.waiter
  }
}

private struct WeakActor: Sendable {
  weak let actor: (any Actor)?
}
