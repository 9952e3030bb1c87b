import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The observers of a host. There is none of these if a host has no observers, so that each event costs one check then.
final class HostObservation: Sendable {
  private let observers: [any HostObserver]
  private let aroundSteps: [any StepObserver]
  private let aroundEffects: [any EffectObserver]
  private let host: String
  private let clock: any WallClock
  private let limit: Duration
  private let last = Lock<FlowHost.Health.Failure?>(nil)

  /// The facts about a flow that each of its events has.
  struct Subject: Sendable {
    var flow: FlowID?
    var definition: String?
    var version: Int?
    var trace = TraceContext()
  }

  init?(_ options: FlowHost.Options, of host: String, clock: any WallClock) {
    guard !options.observers.isEmpty else { return nil }
    observers = options.observers
    aroundSteps = observers.compactMap { $0 as? any StepObserver }
    aroundEffects = observers.compactMap { $0 as? any EffectObserver }
    (self.host, self.clock, limit) = (host, clock, options.observerTime)
  }

  /// The latest fault of an observer.
  var lastFault: FlowHost.Health.Failure? { last.withLock { $0 } }

  func report(_ kind: HostEvent.Kind, of subject: Subject = Subject()) {
    let event = HostEvent(
      at: clock.now, host: host, flow: subject.flow, definition: subject.definition, version: subject.version,
      trace: subject.trace, kind: kind)
    for observer in observers { observer.observe(event) }
  }

  /// Returns the observation of a flow's code.
  func code(of subject: Subject) -> FlowObservation {
    FlowObservation { [self] step, visit, isReplay, body in
      let observed = ObservedStep(
        flow: subject.flow ?? "", definition: subject.definition ?? "", version: subject.version ?? 0, step: step,
        visit: visit, isReplay: isReplay, trace: subject.trace)
      report(.stepBegan(observed), of: subject)
      let start = clock.now
      do {
        let layers = aroundSteps.map { observer in
          { (body: Body) in try await observer.around(observed, body) } as Layer
        }
        let output = try await run(body, within: layers[...], subject)
        report(.stepEnded(observed, .returned, after: time(since: start)), of: subject)
        return output
      } catch {
        report(.stepEnded(observed, HostEvent.Outcome(of: error), after: time(since: start)), of: subject)
        throw error
      }
    } runEffect: { [self] step, key, effect in
      let observed = ObservedEffect(
        flow: subject.flow ?? "", definition: subject.definition ?? "", version: subject.version ?? 0, step: step,
        key: key, trace: subject.trace)
      report(.effectBegan(step, key: key), of: subject)
      let layers = aroundEffects.map { observer in
        { (body: Body) in try await observer.around(observed, body) } as Layer
      }
      return try await run(
        { [self] in
          let start = clock.now
          return try await effect { [self] error in
            let outcome = error.map(HostEvent.Outcome.init(of:)) ?? .returned
            report(.effectEnded(step, key: key, outcome, after: time(since: start)), of: subject)
          }
        }, within: layers[...], subject)
    } beginCompensation: { [self] step in
      let start = clock.now
      return { [self] error in
        let outcome = error.map(HostEvent.Outcome.init(of:)) ?? .returned
        report(.compensationEnded(step, outcome, after: time(since: start)), of: subject)
      }
    } timerFired: { [self] late in
      report(.timerFired(late: late), of: subject)
    }
  }

  func time(since start: Date) -> Duration { max(.zero, Duration(from: start, to: clock.now)) }

  // MARK: - Around code

  private typealias Body = nonisolated(nonsending) () async throws -> Void
  /// The `around` of one observer, for one step or effect.
  private typealias Layer = @Sendable (Body) async throws -> Void

  /// Runs code within the `around` of observers, the first outermost.
  private func run(
    _ body: @escaping @Sendable () async throws -> any Sendable, within layers: ArraySlice<Layer>, _ subject: Subject
  ) async throws -> any Sendable {
    guard let outermost = layers.first else { return try await body() }
    let call = AroundCall { [self] in try await run(body, within: layers.dropFirst(), subject) }
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            try await outermost { try await call.runOnce() }
            call.returned(nil)
          } catch { call.returned(error) }
        }
        await wait(for: call.hasBegun)
        // The observer has not called the body: it has returned, or is late, or the task was cancelled meanwhile.
        await call.runIfOpen()
        await call.hasEnded()
        if !Task.isCancelled { await wait(for: call.hasReturned) }
        if !Task.isCancelled { call.noteLate() }
        group.cancelAll()
      }
    } onCancel: {
      call.cancel()
    }
    if !Task.isCancelled { call.noteOwnCancellation() }
    if let (fault, error) = call.fault { note(fault, error, of: subject) }
    return try call.output()
  }

  private func note(_ fault: ObserverFault, _ error: (any Error)?, of subject: Subject) {
    let failure = FlowHost.Health.Failure(
      error: error ?? FlowError(.notActive, "an observer's `around` broke its rules: \(fault)", flow: subject.flow),
      at: clock.now, flow: subject.flow)
    last.withLock { $0 = failure }
    report(.observerFailed(fault, error.map(HostEvent.Failure.init)), of: subject)
  }

  /// Waits for an event of a call, for the time that observers have.
  private func wait(for event: AsyncEvent) async {
    let end = clock.date(after: limit)
    await withTaskGroup { [clock] group in
      group.addTask { await clock.rest(until: end, isCounted: false) }
      group.addTask { await event.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}
