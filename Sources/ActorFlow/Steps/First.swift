/// The first of two outcomes: the answer to a question, or the value of a signal. See
/// ``StepContext/first(of:key:or:matching:within:)``.
public enum First<Answer: Sendable, Value: Sendable>: Sendable {
  /// The question was answered, and the step no longer waits for the signal.
  case answered(Answer)
  /// The signal was received, and the question is withdrawn.
  case received(Value)
}

extension First: Equatable where Answer: Equatable, Value: Equatable {}
extension First: Hashable where Answer: Hashable, Value: Hashable {}

extension StepContext {
  /// Asks a question and waits for a signal, and returns whichever comes first. The other one is closed with it.
  ///
  /// ```swift
  /// let first = try await context.first(
  ///   of: CancelPayment(), or: bankResult, matching: { $0.payment == payment }, within: .seconds(600))
  /// switch first {
  /// case .received(let result): return result.isPaid ? .paid : .refused
  /// case .answered: return .cancelled
  /// case nil: return .late
  /// }
  /// ```
  ///
  /// An answer to a question that the signal has closed is refused with ``FlowError/Code/questionClosed``. A signal
  /// that comes after the answer is buffered for the next wait. A signal that was buffered before, and meets the
  /// condition, is returned at once; then nothing is asked.
  ///
  /// The task that calls this waits for both, and both end together: with the answer, the signal or the time limit, or
  /// when the task is cancelled or the visit left. A durable flow is passivated meanwhile; later both are open again
  /// with their identities, and the time goes on. A replay returns the same outcome. Prefer this to two child tasks
  /// that race: those decide in an order that a replay may not repeat.
  ///
  /// - Parameters:
  ///   - prompt: The content to show, and the type of the answer.
  ///   - key: The name of the answer, as in ``ask(_:key:)``.
  ///   - signal: The signal to wait for.
  ///   - condition: Decides whether the value of a signal is meant, as in ``wait(for:matching:)``; `nil` for every
  ///     value.
  ///   - limit: The time for which both stay open, as in ``ask(_:key:within:reminding:)``; `nil` for no limit.
  /// - Returns: The first outcome; `nil` if the time is over.
  /// - Throws: As ``reply(to:key:)``; `tooLarge` if the signal's name has more than 256 UTF-8 bytes.
  public func first<P: Prompt, Value: Sendable>(
    of prompt: P, key: String? = nil, or signal: Signal<Value>, matching condition: (@Sendable (Value) -> Bool)? = nil,
    within limit: Duration?
  ) async throws -> First<Reply<P.Answer>, Value>? {
    try await inFlow().first(
      of: prompt, key: key, or: signal.name, matching: condition, at: stay, within: limit)
  }

  /// Asks a question and waits for a signal without a time limit, and returns whichever comes first, as
  /// ``first(of:key:or:matching:within:)`` does.
  ///
  /// - Throws: As ``first(of:key:or:matching:within:)``.
  public func first<P: Prompt, Value: Sendable>(
    of prompt: P, key: String? = nil, or signal: Signal<Value>, matching condition: (@Sendable (Value) -> Bool)? = nil
  ) async throws -> First<Reply<P.Answer>, Value> {
    let first = try await inFlow().first(
      of: prompt, key: key, or: signal.name, matching: condition, at: stay, within: nil)
    guard let first else { throw CancellationError() }
    return first
  }
}
