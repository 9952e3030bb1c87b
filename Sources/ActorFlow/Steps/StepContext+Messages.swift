// Questions with a deadline, signals, updates.

// MARK: - Asking for a while

extension StepContext {
  /// Asks a question and waits for its answer, but not for ever.
  ///
  /// When the time is over, the question is withdrawn and this returns nil; an answer that was accepted before is
  /// returned, and one that comes later is refused with ``FlowError/Code/questionClosed``, even if the question still
  /// stands in the position. The time counts on the coordinator's clock, from the moment the question opens.
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
  ///   - prompt: What to show, and the type of the answer.
  ///   - key: The name of the answer, as in ``ask(_:key:)``.
  ///   - limit: How long the question stays open; nil: until it is answered. Zero and less are over at once, and more
  ///     than 200 years counts as that.
  ///   - reminding: What to do while nobody answers. It runs in this task; what it throws is thrown here, and the
  ///     question is withdrawn. That is not remembered: a step that is made anew asks again. Where the clock jumps over several intervals, all reminders that have become due run,
  ///     one after the other; where it jumps past the deadline, too, those that had not begun do not.
  /// - Throws: As ``ask(_:key:)``.
  public func ask<P: Prompt>(
    _ prompt: P, key: String? = nil, within limit: Duration?, reminding: Reminding? = nil
  ) async throws -> P.Answer? {
    try await inFlow().ask(prompt, key: key, at: stay, within: limit, reminding: reminding)
  }
}

// MARK: - Signals

extension StepContext {
  /// Waits for a signal, which somebody outside sends with ``FlowCoordinator/send(_:to:key:)``.
  ///
  /// A signal that came before anybody waited is returned at once: signals are kept, in order, from the flow's start. Of
  /// several steps that wait for one, in branches, the one that waited first gets it. A wait is no question: nobody
  /// backs up to it, and it is shown in ``Position/waits``.
  ///
  /// Only a `T` is received; what came under the same name with another type waits for somebody else.
  ///
  /// A step may wait in a child task and cancel it, for example beside a question. The wait is then over, and the signal is
  /// there for the next one. Where a visit is replayed the step gives it up again: until then the wait receives nothing,
  /// and ``Position/waits`` does not show it. A signal that was received is returned even if this task was cancelled in
  /// the meantime.
  ///
  /// - Throws: `CancellationError` when the visit is left or the task cancelled; `FlowError` with the code `notActive`
  ///   after the visit, `tooLarge` if the signal's name has more than 256 UTF-8 bytes.
  public func wait<T: Sendable>(for signal: Signal<T>) async throws -> T {
    guard let value = try await inFlow().wait(for: signal.name, as: T.self, at: stay, within: nil) else {
      throw CancellationError()
    }
    return value
  }

  /// Waits for a signal, but not longer than `limit`; then returns nil. A signal that comes later is kept for the next
  /// wait. A limit of zero or less is over at once, and one of more than 200 years counts as that.
  ///
  /// - Throws: As ``wait(for:)``.
  public func wait<T: Sendable>(for signal: Signal<T>, within limit: Duration) async throws -> T? {
    try await inFlow().wait(for: signal.name, as: T.self, at: stay, within: limit)
  }
}

// MARK: - Updates for earlier steps

extension StepContext {
  /// Hands an update to the nearest earlier step of type `S` that is on the stack. The flow does not move.
  ///
  /// ``ReceivingStep/receive(_:)`` runs in this task, so leaving this visit or that one waits for it. A step never
  /// receives its own update.
  ///
  /// - Throws: What `receive` threw; `FlowError` with the code `notActive` if no earlier step is an `S`, or after the
  ///   visit; `CancellationError` while the visit is being left.
  public func send<S: ReceivingStep>(_ update: S.Update, to type: S.Type) async throws {
    try await inFlow().send(update, to: type, from: stay)
  }

  /// Leaves this step by backing up to the nearest earlier step of type `S`, which receives the update when everything
  /// above it is undone, and before its `proceed` is called again.
  ///
  /// What ``ReceivingStep/receive(_:)`` then throws fails that step.
  ///
  /// - Throws: `CancellationError` when the request was accepted, and when the visit was being left already: the request
  ///   is then void. `FlowError` with the code `cannotBackUp` if no earlier step is an `S` or one may not go back there,
  ///   and nothing has changed; `notActive` after the visit.
  public func backUp<S: ReceivingStep>(to type: S.Type, delivering update: S.Update) async throws -> Never {
    try await inFlow().backUp(to: type, delivering: update, from: stay)
    throw CancellationError()
  }
}
