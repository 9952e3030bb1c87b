public import ActorFlow

/// A definition that a host has: starts flows of it, and tells what became of them.
public struct HostedFlow<Input: Sendable, Output: Sendable>: Sendable {
  let host: FlowHost
  let definition: Definition

  /// Starts a flow, and returns when it is in the store.
  ///
  /// Starting it again with the same input changes nothing: a request that was sent twice starts one flow. The same input
  /// has the same JSON, or is `==` to what the first one is read as, if its type is `Equatable`. So a `Set`, or a
  /// `Dictionary` whose keys are no strings, is the same in another process, too; in a type that is not `Equatable` it is
  /// not.
  ///
  /// - Parameters:
  ///   - id: The flow's name, for example an order number.
  ///   - input: What the first step is given.
  ///   - labels: What to find the flow by.
  ///   - principal: Who starts it, for the history.
  /// - Returns: The flow as it is in the store.
  /// - Throws: A `FlowError` with the code `alreadyStarted` if there is a flow of this id with another input or of
  ///   another definition; `notStorable`; `tooLarge` if its state has more bytes than requests may fill; `notRunning` if
  ///   the host has stopped. What the store throws; with the code `outcomeUnknown` nobody knows whether it was started, and
  ///   it can be started again.
  @discardableResult
  public func start(
    id: FlowID, with input: Input, labels: [String: String] = [:], by principal: Principal? = nil
  ) async throws -> FlowView {
    try await host.start(definition, id: id, with: input, as: Input.self, labels: labels, by: principal)
  }

  /// What became of a flow.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`, or `typeMismatch` if what it has made is no `Output`.
  public func outcome(of id: FlowID) async throws -> Outcome<Output> {
    let (stored, state) = try await host.stored(id)
    switch state.status(indexedAs: stored.snapshot.status) {
    case .finished:
      guard let output = state.machine.output else { return .open }
      return .finished(try StepBody.cast(StoredValue(output, codec: host.office.values), to: Output.self))
    case .abandoned:
      guard case .abandoned(let reason)? = state.machine.ending else { return .abandoned(reason: "") }
      return .abandoned(reason: reason)
    case .cancelled: return .cancelled
    case .failed: return .failed((state.machine.fault?.error ?? state.machine.failure)?.message ?? "a step failed")
    default: return .open
    }
  }
}

extension HostedFlow where Input == Void {
  /// Starts a flow that needs no input.
  @discardableResult
  public func start(
    id: FlowID, labels: [String: String] = [:], by principal: Principal? = nil
  ) async throws -> FlowView {
    try await start(id: id, with: (), labels: labels, by: principal)
  }
}

/// What became of a hosted flow.
@nonexhaustive public enum Outcome<Output: Sendable>: Sendable {
  /// It goes on.
  case open
  /// Its last step returned this.
  case finished(Output)
  /// It was abandoned, for this reason.
  case abandoned(reason: String)
  /// A step failed, and said this.
  case failed(String)
  /// It was cancelled.
  case cancelled
}

extension Outcome: Equatable where Output: Equatable {}
