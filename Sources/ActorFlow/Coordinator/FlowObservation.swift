/// The observation of a durable flow's code by its host. The closures are called in the tasks in which the code runs.
///
/// A class, so that the walk's frame has room for one reference, and nothing else if there are no observers.
package final class FlowObservation: Sendable {
  /// Runs the body of a step exactly once, and returns its output or throws its error. The body may run in a child task.
  package typealias RunStep =
    @Sendable (
      _ step: StepID, _ visit: VisitID, _ isReplay: Bool, _ body: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> any Sendable
  /// Runs an effect exactly once: its work and what records the work's result. Returns its value or throws its error. The
  /// effect may run in another task. It calls its argument when the work has ended.
  package typealias RunEffect =
    @Sendable (
      _ step: StepID?, _ key: String, _ effect: @escaping @Sendable (EndEffect) async throws -> any Sendable
    ) async throws -> any Sendable
  /// Notes that the work of an effect has ended, with its error if it threw.
  package typealias EndEffect = @Sendable ((any Error)?) -> Void
  /// Notes that a `backUp` begins. Returns the closure that notes its end, with its error if it threw.
  package typealias BeginCompensation = @Sendable (_ step: StepID) -> @Sendable ((any Error)?) -> Void

  let runStep: RunStep
  let runEffect: RunEffect
  let beginCompensation: BeginCompensation
  let timerFired: @Sendable (Duration) -> Void

  /// - Parameters:
  ///   - runStep: Runs the body of a step.
  ///   - runEffect: Runs a `once` or an `attempt`.
  ///   - beginCompensation: Called before a `backUp` or a `finally`.
  ///   - timerFired: Called when a timer has fired, with the time by which it was late.
  package init(
    runStep: @escaping RunStep, runEffect: @escaping RunEffect,
    beginCompensation: @escaping BeginCompensation,
    timerFired: @escaping @Sendable (Duration) -> Void
  ) {
    (self.runStep, self.runEffect) = (runStep, runEffect)
    (self.beginCompensation, self.timerFired) = (beginCompensation, timerFired)
  }
}

extension FlowCoordinator {
  nonisolated var observation: FlowObservation? { settings.persistence?.observation }

  /// The code of a step, under observation if there is one.
  nonisolated func proceed(of place: Place, on track: TrackID) -> StepBody.Proceed {
    // A step that only asks has no code to observe.
    guard let observation, place.node.body.question == nil else { return place.node.body.proceed }
    return { [self] _, _, context in try await proceed(place, context, on: track, under: observation) }
  }

  private nonisolated func proceed(
    _ place: Place, _ context: StepContext, on track: TrackID, under observation: FlowObservation
  ) async throws -> any Sendable {
    let isReplay = await isReplay(on: track)
    return try await observation.runStep(place.visit.info.id, place.visit.id, isReplay) { [self] in
      // The step's own task is the one in which its body runs, and may be a child of the walk's.
      await noteWalker(of: track)
      return try await place.node.body.proceed(place.instance, place.input, context)
    }
  }

  private func isReplay(on track: TrackID) -> Bool { withState { $0.machine.isReplay(on: track) } }

  /// Runs a `backUp`, and reports its end, unless it threw because one of its own inputs could not be committed.
  nonisolated func observed(
    compensating place: Place, on track: TrackID, _ work: () async throws -> Void
  ) async -> Result<Void, any Error> {
    let end = observation?.beginCompensation(place.visit.info.id)
    do {
      try await work()
      end?(nil)
      return .success(())
    } catch {
      if let end, await self[track].loss == nil { end(error) }
      return .failure(error)
    }
  }

  /// Runs an effect, under observation if there is one.
  nonisolated func observed<T: Sendable>(
    _ key: String, _ scope: RecordScope, _ effect: @escaping @Sendable (FlowObservation.EndEffect) async throws -> T
  ) async throws -> T {
    guard let observation else { return try await effect { _ in } }
    let value = try await observation.runEffect(await step(of: scope.stay), key) { try await effect($0) }
    return try StepBody.cast(value, to: T.self)
  }
}
