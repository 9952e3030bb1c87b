public import ActorFlow

/// A flow definition that is registered with a host. It starts flows, and returns their outcomes.
public struct RegisteredFlow<Input: Sendable, Output: Sendable>: Sendable {
  let host: FlowHost
  let definition: Definition

  /// The definition's name.
  package var name: String { definition.name }

  /// Draws the definition with the position of a flow.
  package var diagram: @Sendable (DiagramFormat, FlowView) -> String { definition.diagram }

  /// Starts a flow, and returns when it is in the store.
  ///
  /// Starting it again with the same input changes nothing, so a request that is sent twice starts one flow. Inputs are
  /// the same if their JSON is. Inputs of an `Equatable` type are also the same if they are `==` after decoding. So a
  /// `Set`, or a `Dictionary` whose keys are not strings, is the same in another process, unless it is in a type that
  /// is not `Equatable`.
  ///
  /// - Parameters:
  ///   - id: The flow's id, for example an order number. At most 512 UTF-8 bytes, without U+0000.
  ///   - input: The input of the first step.
  ///   - labels: The labels by which the flow is found. Keys and values have at most 512 UTF-8 bytes, and no U+0000.
  ///   - effectSeed: A business identity, such as `"order 17"`, from which the idempotency keys of the flow's effects
  ///     are made, in place of 96 random bits. If the flow is deleted and the start is delivered again, the effects have
  ///     their old keys, and the providers that know those repeat nothing. Two flows with the same id and seed have the
  ///     same keys, so never reuse a seed for a purchase that is to be paid again. Not secret: providers see a digest.
  ///   - again: Whether to begin although a flow of this id was deleted a short time ago, see
  ///     ``FlowHost/Options/rememberEnded``. The new flow has new idempotency keys, so everything is done, and paid,
  ///     again. A flow of this id that is in the store is returned all the same.
  ///   - trace: A small context for traces. The flow keeps it, and hands it to its steps, as `StepContext.trace`, and to
  ///     observers. It does not tell two starts apart: a start that is repeated with another context is the same.
  ///   - principal: The principal who starts the flow, for the history.
  /// - Returns: The flow as it is in the store.
  /// - Throws: A `FlowError` with the code `alreadyStarted` if there is a flow of this id with another input or of
  ///   another definition, or if one was deleted and is remembered; `notStorable` if the input, the id or a label cannot
  ///   be stored, or the trace context is not empty and the store is written in a format before 8; `tooLarge` if the id
  ///   or a label is, the trace context has more than 1,024 bytes, or the flow's state has more bytes than requests may
  ///   fill;
  ///   `hostStopping` if the host has stopped. Errors of the store. With the code `outcomeUnknown` it is not known whether the flow
  ///   was started; you can start it again.
  @discardableResult
  public func start(
    id: FlowID, with input: Input, labels: [String: String] = [:], effectSeed: String? = nil, again: Bool = false,
    trace: TraceContext = TraceContext(), by principal: Principal? = nil
  ) async throws -> FlowView {
    try await host.start(
      definition, id: id, with: input, as: Input.self, labels: labels, effectSeed: effectSeed, again: again,
      trace: trace, by: principal)
  }

  /// Returns the outcome of a flow so far.
  ///
  /// - Parameters:
  ///   - id: The flow's id.
  ///   - principal: The principal who looks, for the guard ``FlowHost/Options/access``.
  /// - Throws: A `FlowError` with the code `noSuchFlow`; `typeMismatch` if the flow's output is not an `Output`; `redacted`
  ///   if the flow has finished and was redacted; `erased` if the key of its data was erased.
  ///   Errors of the store.
  public func outcome(of id: FlowID, by principal: Principal? = nil) async throws -> Outcome<Output> {
    try await host.flow(id, by: principal).allow(.look)
    let (stored, state) = try await host.stored(id)
    switch state.status(indexedAs: stored.snapshot.status) {
    case .finished:
      guard !state.isRedacted else {
        throw FlowError(.redacted, "the flow has finished and was redacted, so its output is gone", flow: id)
      }
      guard let output = state.machine.output else { return .open }
      return .finished(try StepBody.cast(StoredValue(output, codec: host.shared.values), to: Output.self))
    case .abandoned:
      guard case .abandoned(let reason)? = state.machine.ending else { return .abandoned(reason: "") }
      return .abandoned(reason: reason)
    case .cancelled: return .cancelled
    case .suspended: return .suspended(state.machine.fault?.error.message ?? "a step failed")
    case .failed: return .failed(state.machine.failure?.message ?? "a step failed")
    default: return .open
    }
  }
}

extension RegisteredFlow where Input == Void {
  /// Starts a flow that needs no input, as ``start(id:with:labels:effectSeed:again:trace:by:)`` does.
  @discardableResult
  public func start(
    id: FlowID, labels: [String: String] = [:], effectSeed: String? = nil, again: Bool = false,
    trace: TraceContext = TraceContext(), by principal: Principal? = nil
  ) async throws -> FlowView {
    try await start(id: id, with: (), labels: labels, effectSeed: effectSeed, again: again, trace: trace, by: principal)
  }
}

/// The outcome of a hosted flow.
@nonexhaustive public enum Outcome<Output: Sendable>: Sendable {
  /// The flow has no outcome yet.
  case open
  /// The last step returned this output.
  case finished(Output)
  /// The flow was abandoned for this reason.
  case abandoned(reason: String)
  /// A step failed with this message. The flow stands still until it is retried or abandoned.
  case suspended(String)
  /// A step failed with this message, and the flow has ended.
  case failed(String)
  /// The flow was cancelled.
  case cancelled
}

extension Outcome: Equatable where Output: Equatable {}
