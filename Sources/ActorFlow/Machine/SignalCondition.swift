/// The condition that a step sets for the value of a signal.
///
/// The condition is a user's code. So a coordinator calls it outside its turns, and gives the machine the verdicts.
package final class SignalCondition: Sendable {
  /// Whether a value of the right type meets the condition. A stored value that can no longer be read counts as meeting
  /// it: the step that receives it throws an error that names both types, as without a condition.
  package let isMet: @Sendable (any Sendable) -> Bool

  package init<Value: Sendable>(_ condition: @escaping @Sendable (Value) -> Bool) {
    isMet = { value in
      guard let value = try? StepBody.cast(value, to: Value.self) else { return true }
      return condition(value)
    }
  }
}

extension FlowMachine {
  /// Returns the open waits for a signal that have a condition.
  package func conditions(on signal: String) -> [(wait: Int, condition: SignalCondition)] {
    var conditions: [(wait: Int, condition: SignalCondition)] = []
    for (number, track) in signals.queues[signal] ?? [] {
      guard let condition = waiting(number, on: track)?.condition else { continue }
      conditions.append((number, condition))
    }
    return conditions
  }

  /// Returns the buffered signals that a wait may take if they meet its condition, oldest first.
  package func buffered<Value>(
    _ signal: String, as type: Value.Type
  ) -> [(number: Int, value: any Sendable)] {
    signals.buffer.filter { $0.signal.hasBytes(of: signal) && StepBody.isValue($0.value, of: type) }.map {
      ($0.number, $0.value)
    }
  }

  /// Returns the index of the oldest buffered signal that a wait takes. Signals of another type, or that do not meet the
  /// condition, are meant for other waits, and do not block those behind them.
  ///
  /// - Parameter judge: Returns whether a signal meets the condition; `nil` to call the condition itself.
  /// - Throws: The error of `judge`.
  func indexOfBuffered<Value>(
    _ signal: String, as type: Value.Type, matching condition: SignalCondition?, judging judge: SignalBuffer.Judge?
  ) throws -> Int? {
    for (index, buffered) in signals.buffer.enumerated()
    where buffered.signal.hasBytes(of: signal) && StepBody.isValue(buffered.value, of: type) {
      guard let condition else { return index }
      if try judge?(buffered.number) ?? condition.isMet(buffered.value) { return index }
    }
    return nil
  }
}

extension SignalBuffer {
  /// Returns whether the buffered signal, or the open wait, of this number meets a condition.
  package typealias Judge = (_ number: Int) throws -> Bool
}
