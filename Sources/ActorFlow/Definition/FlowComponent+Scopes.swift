// Scopes: wrappers that react to failures and time limits of a part of a flow. None of them reacts to a leave: a back,
// an abandon or a cancelled caller passes through them as if they were not there. Of several scopes around one part,
// the innermost acts first.
extension FlowComponent {
  /// Fails the component with ``FlowError/Code/timedOut`` if it does not end in time.
  ///
  /// The time starts when the component is entered, and it runs while a question is open. It starts again when the
  /// component is entered again: inside a ``retry(_:backoff:)`` it applies to each attempt, around one to all attempts
  /// together. When it is over, the running step is cancelled and awaited, and the places inside are compensated,
  /// newest first. Then the error propagates as if the component had thrown it: to a retry or a ``recover(_:)`` around
  /// the component; without one the flow fails. An answer that comes after the time throws
  /// ``FlowError/Code/questionClosed``, even if the step has not been left yet.
  ///
  /// - Parameter duration: A time of zero or less is over on entering: the component fails at once, and a step that has
  ///   begun is cancelled.
  public func timeout(_ duration: Duration) -> Flow<Input, Output> {
    Flow(segments: [.enter(.timeout(duration.bounded))] + flow.segments + [.leave])
  }

  /// Tries the component again when it fails, with its original input.
  ///
  /// Around a single step, all attempts belong to one entering: the step keeps its place, its instance, its records and
  /// its idempotency keys, and `backUp` is not called between two attempts. So a completed `once` is not repeated.
  /// Around anything else, the places inside are compensated, newest first, before the next attempt, which makes new
  /// ones. The error of the last attempt propagates as if it had been the only one.
  ///
  /// ```swift
  /// Step("payment") { PaymentStep(gateway) }
  ///   .retry(3, backoff: .exponential(from: .milliseconds(100)))
  /// ```
  ///
  /// - Parameters:
  ///   - attempts: The number of attempts in all; less than 1 counts as 1.
  ///   - backoff: The pause between two attempts. A leave ends the pause.
  public func retry(_ attempts: Int, backoff: Backoff = .none) -> Flow<Input, Output> {
    Flow(segments: [.enter(.retry(attempts: max(1, attempts), backoff))] + flow.segments + [.leave])
  }

  /// Replaces the output of the component when it fails.
  ///
  /// The places inside are compensated first, newest first. Then `recovery` runs with the error, in the flow's task.
  /// Its result is passed on as if the component had produced it. If it throws, the component fails with that error
  /// instead.
  ///
  /// ```swift
  /// Step("rate") { RateStep() }.recover { error in Rate.standard }
  /// ```
  public func recover(_ recovery: @escaping @Sendable (any Error) async throws -> Output) -> Flow<Input, Output> {
    Flow(segments: [.enter(.recover { error in try await recovery(error) })] + flow.segments + [.leave])
  }

  /// Runs `release` once for each passage through the component, however the passage ends.
  ///
  /// ```swift
  /// Flow {
  ///   Step("reserve") { ReserveStep(seats) }
  ///   Step("pay", PayStep.init)
  /// }
  /// .finally("release") { (order: Order) in await seats.release(order.seat) }
  /// ```
  ///
  /// A passage ends in one of two ways:
  /// - The component ends with its output. `release` runs before the next component is entered. No back leads into the
  ///   component any more: it is passed over, and its steps are compensated, without `release`.
  /// - The component is left: its failure, an abandon, a cancelled caller, a back to before it, a branch that is no
  ///   longer needed. `release` runs when the steps inside are compensated, and before those in front are. An abandon
  ///   that leaves the effects of steps runs it, too.
  ///
  /// So a round of a loop, and an attempt of a ``retry(_:backoff:)`` around the component, each run it once. A run
  /// that starts inside the component is a passage, too; it must start at the first step, or at the first component
  /// of the flow, because the component's input is unknown otherwise.
  ///
  /// `release` runs in a task that is not cancelled. It handles its own errors, because the caller may be gone. In a
  /// durable flow it runs at least once: its end is recorded, and if the process dies before that, it runs again.
  ///
  /// - Parameters:
  ///   - name: A name that no other step or `finally` beside it has. It is no step, but a durable flow stores under its
  ///     path that the end is owed.
  ///   - release: Gets the input with which the component was entered; a closure without a parameter works, too.
  public func finally(
    _ name: String = "finally", _ release: @escaping @Sendable (Input) async -> Void
  ) -> Flow<Input, Output> {
    let finalizer = Finalizer(name: name.isEmpty ? "finally" : name, types: StepTypes(Input.self, Input.self)) {
      await release(try StepBody.cast($0, to: Input.self))
    }
    return Flow(segments: [.enterFinally(finalizer)] + flow.segments + [.leaveFinally])
  }

  /// Runs `release` once for each passage through the component, without the component's input.
  @_documentation(visibility: internal)
  public func finally(
    _ name: String = "finally", _ release: @escaping @Sendable () async -> Void
  ) -> Flow<Input, Output> {
    finally(name) { _ in await release() }
  }

  /// Abandons the flow, with a rollback, when the component has waited for an answer or a signal for this long.
  ///
  /// The component is idle while one of its steps has an open question or waits for a signal; in a fork, while any of
  /// its branches does. The time starts when the first of these opens. It starts again with each answer or action that
  /// is accepted inside the component, with each signal that one of its waits receives, and after a back. The time is
  /// paused while nothing is open: while a step works, or while the flow pauses before another attempt.
  ///
  /// If a question or a wait runs out of its own time, or the step gives it up, the time does not start again but
  /// continues with the next one. Nor does the time start again when the flow itself acts: with an update, a reminder,
  /// an effect's action, or another question beside an open one.
  ///
  /// The limit is exact: from the end of the time on, an answer or an action throws ``FlowError/Code/questionClosed``
  /// to the answerer, and a signal gets ``Delivery/flowEnded``, even if the flow has not been left yet. In a hosted
  /// flow the time also runs while no host does.
  ///
  /// Unlike ``timeout(_:)`` this is a leave, not a failure: no ``recover(_:)`` or ``retry(_:backoff:)`` sees it, and
  /// `run` throws ``FlowError/Code/abandoned``. The whole flow is abandoned, even if the component is in a branch.
  ///
  /// - Parameter duration: With zero or less, no answer can come in time: the flow is abandoned as soon as a question
  ///   or a wait of the component is open.
  public func expires(afterIdle duration: Duration) -> Flow<Input, Output> {
    Flow(segments: [.enter(.expiry(duration.bounded))] + flow.segments + [.leave])
  }
}
