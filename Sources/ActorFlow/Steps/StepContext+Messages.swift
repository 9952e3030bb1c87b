// Questions with a deadline, signals, updates.

// MARK: - Asking with a time limit

extension StepContext {
  /// Asks a question and waits for its answer for a limited time.
  ///
  /// When the time is over, the question is withdrawn and this returns `nil`. An answer that was accepted before is
  /// returned. A later answer is refused with ``FlowError/Code/questionClosed``, even if the position still shows the
  /// question. The time counts on the coordinator's clock, from the moment the question opens.
  ///
  /// ```swift
  /// let signed = try await context.ask(
  ///   ContractForm(), within: .seconds(345_600),
  ///   reminding: .every(.seconds(86_400), max: 3) { number in
  ///     try await context.once("reminder-\(number)") { _ in await post.remind(customer) }
  ///   })
  /// ```
  ///
  /// - Parameters:
  ///   - prompt: The content to show, and the type of the answer.
  ///   - key: The name of the answer, as in ``ask(_:key:)``.
  ///   - limit: The time for which the question stays open; pass `nil` for no limit. A limit of zero or less is over at
  ///     once, and one of more than 200 years counts as 200 years.
  ///   - reminding: The reminders while the question is open. They run in this task. If a reminder throws, the question
  ///     is withdrawn and the error is thrown here. That is not recorded: a recreated step asks again. When the clock
  ///     jumps over several intervals, all due reminders run, one after the other. When it jumps past the deadline as
  ///     well, reminders that had not begun do not run.
  /// - Throws: As ``ask(_:key:)``.
  public func ask<P: Prompt>(
    _ prompt: P, key: String? = nil, within limit: Duration?, reminding: Reminding? = nil
  ) async throws -> P.Answer? {
    try await inFlow().ask(prompt, key: key, at: stay, within: limit, reminding: reminding)
  }
}

// MARK: - Signals

extension StepContext {
  /// Waits for a signal, which is sent from outside with ``FlowCoordinator/send(_:to:key:)``.
  ///
  /// A signal that came before any step waited is returned at once: signals are buffered, in order, from the flow's
  /// start. If several branches wait for a signal, the step that waited first gets it. A wait is not a question: no
  /// back leads to it, and it is shown in ``Position/waits``.
  ///
  /// Only a `T` is received; a value of another type under the same name stays buffered for another wait.
  ///
  /// A step may wait in a child task and cancel it, for example beside a question. The wait is then over, and the
  /// signal is there for the next wait. When a visit is replayed, the step cancels the wait again: until then the wait
  /// receives nothing, and ``Position/waits`` does not show it. A signal that was received is returned even if this
  /// task was cancelled in the meantime.
  ///
  /// - Throws: `CancellationError` when the visit is left or the task cancelled; `FlowError` with the code `notActive`
  ///   after the visit, `tooLarge` if the signal's name has more than 256 UTF-8 bytes.
  public func wait<T: Sendable>(for signal: Signal<T>) async throws -> T {
    try await received(signal, matching: nil)
  }

  /// Waits for a signal whose value meets a condition: the result of this payment, and not of an earlier one.
  ///
  /// ```swift
  /// let result = try await context.wait(for: bankResult, matching: { $0.payment == payment })
  /// ```
  ///
  /// A signal goes to the wait that is open longest, of those whose type and condition it meets. A signal that meets
  /// none stays buffered for a later wait, and does not block those behind it. A step that waits again for each new
  /// payment should know that the results of the earlier ones stay in the buffer, which holds 1,000 signals.
  ///
  /// - Parameters:
  ///   - signal: The signal to wait for.
  ///   - condition: Decides whether this wait takes a value. It runs outside the flow's actor, in the task that sends
  ///     the signal or in this one, and may be called for any signal of this name and type, several times and also in a
  ///     replay. So it should be quick, depend on nothing but its argument and what the step knows from its input,
  ///     answers and records, and have no side effects.
  /// - Throws: As ``wait(for:)``.
  public func wait<T: Sendable>(
    for signal: Signal<T>, matching condition: @escaping @Sendable (T) -> Bool
  ) async throws -> T {
    try await received(signal, matching: condition)
  }

  private func received<T: Sendable>(
    _ signal: Signal<T>, matching condition: (@Sendable (T) -> Bool)?
  ) async throws -> T {
    let value = try await inFlow().wait(for: signal.name, matching: condition, at: stay, within: nil)
    guard let value else { throw CancellationError() }
    return value
  }

  /// Waits for a signal for at most `limit`, then returns `nil`. A signal that comes later is buffered for the next
  /// wait. A limit of zero or less is over at once, and one of more than 200 years counts as 200 years.
  ///
  /// - Throws: As ``wait(for:)``.
  public func wait<T: Sendable>(for signal: Signal<T>, within limit: Duration) async throws -> T? {
    try await inFlow().wait(for: signal.name, matching: nil, at: stay, within: limit)
  }

  /// Waits for a signal whose value meets a condition for at most `limit`, then returns `nil`.
  ///
  /// The condition is that of ``wait(for:matching:)``, the limit that of ``wait(for:within:)``.
  ///
  /// - Throws: As ``wait(for:)``.
  public func wait<T: Sendable>(
    for signal: Signal<T>, matching condition: @escaping @Sendable (T) -> Bool, within limit: Duration
  ) async throws -> T? {
    try await inFlow().wait(for: signal.name, matching: condition, at: stay, within: limit)
  }
}

// MARK: - Updates for earlier steps

extension StepContext {
  /// Hands an update to the nearest earlier step of type `S` that is on the stack. The flow does not move.
  ///
  /// ``ReceivingStep/receive(_:)`` runs in this task, so leaving either visit waits for it. A step never receives its
  /// own update.
  ///
  /// - Throws: The error of `receive`; `FlowError` with the code `notActive` if no earlier step is an `S`, or after the
  ///   visit; `CancellationError` while the visit is being left.
  public func send<S: ReceivingStep>(_ update: S.Update, to type: S.Type) async throws {
    try await inFlow().send(update, to: type, from: stay)
  }

  /// Backs up to the nearest earlier step of type `S`, which receives the update when everything above it is
  /// compensated, and before its `proceed` is called again.
  ///
  /// An error of ``ReceivingStep/receive(_:)`` then fails that step.
  ///
  /// - Throws: `CancellationError` when the request was accepted. `CancellationError` as well when the visit was
  ///   already being left; the request then has no effect. `FlowError` with the code `cannotBackUp` if no earlier step
  ///   is an `S` or a back to it is not allowed, and nothing has changed; `notActive` after the visit.
  public func backUp<S: ReceivingStep>(to type: S.Type, delivering update: S.Update) async throws -> Never {
    try await inFlow().backUp(to: type, delivering: update, from: stay)
    throw CancellationError()
  }
}
