// What watches over a part of a flow. None of these sees a leave: a back, an abandon or a cancelled caller goes through
// them as if they were not there. Where several stand around one part, the inner one acts first.
extension FlowComponent {
  /// Fails the component with ``FlowError/Code/timedOut`` when it has not ended in time.
  ///
  /// The time runs from entering the component, also while a question is open, and anew when it is entered anew: inside
  /// a ``retry(_:backoff:)`` it is for each attempt, around one for all of them. When it is over the running step is
  /// cancelled and awaited, and the places inside are compensated, newest first. Then the error goes on as one that the
  /// component threw: to a retry or a ``recover(_:)`` around it; without one the flow fails. An answer that comes after
  /// the time throws ``FlowError/Code/questionClosed``, even if the step has not been left yet.
  ///
  /// - Parameter duration: Zero and less are over on entering: the component fails at once, and a step that has begun is
  ///   cancelled.
  public func timeout(_ duration: Duration) -> Flow<Input, Output> {
    Flow(segments: [.enter(.timeout(duration.bounded))] + flow.segments + [.leave])
  }

  /// Tries the component again when it fails, with the input that it got at first.
  ///
  /// Around a single step an attempt is the same entering: the step keeps its place, its instance, its records and its
  /// idempotency keys, and there is no `backUp` between two attempts. So a `once` that is done stays done. Around
  /// anything else the places inside are compensated, newest first, before the next attempt, which makes new ones. The
  /// error of the last attempt goes on as if it had been the only one.
  ///
  /// ```swift
  /// Step("payment") { PaymentStep(gateway) }
  ///   .retry(3, backoff: .exponential(from: .milliseconds(100)))
  /// ```
  ///
  /// - Parameters:
  ///   - attempts: How many in all; less than 1 counts as 1.
  ///   - backoff: How long to wait between two attempts. A leave ends the wait.
  public func retry(_ attempts: Int, backoff: Backoff = .none) -> Flow<Input, Output> {
    Flow(segments: [.enter(.retry(attempts: max(1, attempts), backoff))] + flow.segments + [.leave])
  }

  /// Takes another value when the component fails.
  ///
  /// First the places inside are compensated, newest first; then `recovery` runs, in the flow's task, with the error.
  /// What it returns goes on as if the component had made it; what it throws fails the component instead.
  ///
  /// ```swift
  /// Step("rate") { RateStep() }.recover { error in Rate.standard }
  /// ```
  public func recover(_ recovery: @escaping @Sendable (any Error) async throws -> Output) -> Flow<Input, Output> {
    Flow(segments: [.enter(.recover { error in try await recovery(error) })] + flow.segments + [.leave])
  }

  /// Abandons the flow, with a rollback, when the component has waited for somebody outside for this long.
  ///
  /// The component is idle while one of its steps has a question open or waits for a signal; in a fork, while any of its
  /// branches does. The time begins when the first of these opens. It begins anew with each answer and action that is
  /// accepted inside the component, with each signal that one of its waits receives, and after a back. It stands still
  /// while nothing is open: while a step works, or the flow pauses before another attempt. A question or a wait whose own
  /// time is over, or that the step gives up, is no sign of life, so with the next one the time goes on. Neither is
  /// anything that the flow itself does: an update, a reminder, an effect's action, another question beside an open one.
  ///
  /// Late is late, by the clock: from the end of the time on an answer or an action throws
  /// ``FlowError/Code/questionClosed`` to the answerer, and a signal gets ``Delivery/flowEnded``, even if the flow has
  /// not been left yet. In a hosted flow the time runs on while no host does.
  ///
  /// Unlike ``timeout(_:)`` this is a leave, not a failure: no ``recover(_:)`` or ``retry(_:backoff:)`` sees it, and
  /// `run` throws ``FlowError/Code/abandoned``. It is the whole flow that is abandoned, also by a component in a branch.
  ///
  /// - Parameter duration: With zero and less nobody can answer in time: the flow is abandoned as soon as a question or a
  ///   wait of the component is open.
  public func expires(afterIdle duration: Duration) -> Flow<Input, Output> {
    Flow(segments: [.enter(.expiry(duration.bounded))] + flow.segments + [.leave])
  }
}
