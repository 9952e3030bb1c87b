public import ActorFlow

// Functions that change a flow. Each returns when the change is in the store.
extension FlowHost {
  /// Answers an open question.
  ///
  /// The guards of the prompt run in the calling task: `authorize(_:)`, `validate(_:)`, `authorize(_:answering:)`. An
  /// error of theirs, best a `Refusal`, is thrown here, and the question stays open.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a view or an inbox.
  ///   - id: The flow that asks.
  ///   - answer: A value of the prompt's `Answer` type.
  ///   - principal: The principal who answers.
  ///   - revision: The revision of the prompt that the answerer saw; `nil` accepts whichever is shown.
  ///   - key: An idempotency key: the same answer sent again under one key changes nothing and returns the flow as it
  ///     is. Answers are the same if the bytes of their JSON and the principal are. A `Set` has other bytes in another
  ///     process. A flow remembers its latest 1,000 keys. A key has at most 256 UTF-8 bytes.
  /// - Returns: The flow as it was stored with the answer, or later. The flow may go on: see ``settled(_:within:)``.
  /// - Throws: A `FlowError`: `noSuchFlow`; `noSuchQuestion`, also for a question of another flow, `questionClosed`
  ///   or `staleRevision`, each with what is open instead in `FlowError.openQuestions`; `wrongAnswerType`;
  ///   `principalNeeded`; `keyReused` if the key came with another request; `flowEnded`; `suspended` if the flow is
  ///   suspended because a step failed, or no registered version fits it; `tooLarge` if the key is, or if the flow's
  ///   state would have more bytes than requests may fill (see <doc:Hosting#How-large-a-flow-may-be>); `hostStopping` if
  ///   the host has stopped. Errors of the store, such as a ``FlowStoreError`` with the code `leased` if another host
  ///   still runs the flow after a wait. With the code `unavailable` nothing of the request was written; with
  ///   `outcomeUnknown` that is not known. If another host takes the flow during the request, the request is repeated
  ///   on the flow as it is then. `CancellationError` only if the calling task is cancelled.
  @discardableResult
  public func answer<A: Codable & Sendable>(
    _ question: Question.ID, of id: FlowID, with answer: A, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    let request = HostRequest(
      "answer \(question)", try PackedValue(answer, with: shared.values).bytes, key: key, by: principal)
    return try await perform(request, on: id) { flow in
      try await reopen(question, of: flow)
      try await flow.coordinator.answer(question, with: answer, by: principal, revision: revision, cause: request)
    }
  }

  /// Answers the one open question that shows a `P`.
  ///
  /// - Throws: As ``answer(_:of:with:by:revision:key:)``; `ambiguousQuestion` if several are open.
  @discardableResult
  public func answer<P: Prompt>(
    _ prompt: P.Type, of id: FlowID, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView where P.Answer: Codable {
    let request = HostRequest(
      "answer \(P.self)", try PackedValue(answer, with: shared.values).bytes, key: key, by: principal)
    return try await perform(request, on: id) { flow in
      begin(flow)
      for question in await flow.coordinator.questions { try await flow.coordinator.reopened(question) }
      try refuseStandingStill(flow)
      try await flow.coordinator.answer(P.self, with: answer, by: principal, cause: request)
    }
  }

  /// Answers an open question with JSON. The JSON is decoded where the question was asked, so a server can take answers
  /// for any flow without knowing its steps.
  ///
  /// - Throws: As ``answer(_:of:with:by:revision:key:)``; `wrongAnswerType`, with the underlying `DecodingError`, if
  ///   the bytes are not JSON or not an answer to this prompt; `tooLarge` for more than
  ///   ``FlowHost/Options/maximumAnswerBytes``.
  @discardableResult
  public func answer(
    _ question: Question.ID, of id: FlowID, json: some Sequence<UInt8> & Sendable, by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil
  ) async throws -> FlowView {
    let limit = shared.options.maximumAnswerBytes
    let bytes = Array(json.prefix(limit + 1))
    guard bytes.count <= limit else {
      throw FlowError(.tooLarge, "the answer has more than \(limit) bytes", flow: id)
    }
    let request = HostRequest("answer \(question)", bytes, key: key, by: principal)
    return try await perform(request, on: id) { flow in
      try await reopen(question, of: flow)
      let open = try await flow.coordinator.openQuestion(question)
      try await answer(
        open, showing: open.prompt, of: flow, json: bytes, by: principal, revision: revision, request)
    }
  }

  private nonisolated func answer<P: Prompt>(
    _ question: Question, showing prompt: P, of flow: LiveFlow, json: [UInt8], by principal: Principal?,
    revision: Int?, _ request: HostRequest
  ) async throws {
    let answer: P.Answer
    do {
      answer = try StepBody.cast(
        StoredValue(PackedValue(type: "JSON", bytes: json), codec: shared.values), to: P.Answer.self)
    } catch let error as FlowError {
      throw FlowError(
        .wrongAnswerType, "the JSON cannot be decoded as \(P.Answer.self), the answer type of the prompt \(P.self)",
        flow: flow.id, step: question.step, underlying: error.underlyingErrors)
    }
    try await flow.coordinator.answer(
      question.id, with: answer, by: principal, revision: revision, cause: request)
  }

  /// Sends a signal to the step of a flow that waits for it, or to the first step that will.
  ///
  /// The key makes the signal idempotent. The same value sent again under one key, to the same signal and by the same
  /// principal, is a `duplicate`. This also holds if it was received long ago, at another host, or if the flow has
  /// ended. Values are the same if the bytes of their JSON are. Another signal, or an answer, may have the same key.
  ///
  /// A flow can compare the values of its latest 1,000 signals. It remembers the keys of its latest 10,000, as far as
  /// these fit in 1 MiB. Any signal under one of the older keys is a `duplicate`.
  ///
  /// Signals that no step has received are dropped when the flow is abandoned, or is rolled back after a failure. From
  /// then on a new signal gets `Delivery.flowEnded`. Backing up drops no signals.
  ///
  /// - Parameters:
  ///   - value: The value to send.
  ///   - signal: The signal as which the value is sent.
  ///   - id: The flow.
  ///   - key: The idempotency key; for a message of another system, the message's own id.
  ///   - principal: The principal who sends the signal.
  /// - Returns: The fate of the signal, which is in the store by then.
  /// - Throws: As ``answer(_:of:with:by:revision:key:)``, except for a flow that has ended; so `keyReused` if the key
  ///   came with another value. `signalsFull` if no step waits for the signal, and 1,000 signals or 1 MiB of them wait
  ///   to be received. `tooLarge` also if the signal's name has more than 256 bytes, or the signal more than 1 MiB.
  @discardableResult
  public func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    let packed = try PackedValue(value, with: shared.values)
    let request = HostRequest.signal(signal.name, packed.bytes, key: key, by: principal)
    var delivery = Delivery.duplicate
    do {
      _ = try await perform(request, on: id) { flow in
        delivery = .duplicate
        // Only the key of an old signal is remembered, not its value. Any signal under that key is a duplicate.
        if await flow.coordinator.hasCome(key, of: signal.name), try view(of: flow, after: request) == nil { return }
        delivery = try await send(value, to: signal, of: flow, key: key, size: packed.size, request)
        // Another signal under this key was committed first.
        if delivery == .duplicate { _ = try view(of: flow, after: request) }
        begin(flow)
      }
    } catch let error as FlowError where error.code == .flowEnded { return .flowEnded }
    // The request was found in the store when the outcome of its commit was not known.
    if case .unknown = request.fate { return .accepted }
    return delivery
  }

  /// Sends a signal. If there is no room to buffer it, a step may still wait for just this one: then the flow is
  /// activated first, because the condition of a wait is known only once the step waits again.
  private func send<Value: Codable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of flow: LiveFlow, key: String, size: Int, _ request: HostRequest
  ) async throws -> Delivery {
    let coordinator = flow.coordinator
    do { return try await coordinator.sendNumbered(value, to: signal, key: key, size: size, cause: request) } catch let
      error as FlowError where error.code == .signalsFull
    {
      begin(flow)
      guard try await coordinator.waitsAgain(for: signal.name) else { throw error }
      return try await coordinator.sendNumbered(value, to: signal, key: key, size: size, cause: request)
    }
  }

  /// Backs up to an earlier step and returns when the flow has landed there, as `FlowCoordinator.backUp(to:)` does.
  ///
  /// If the flow is passivated on the way, because the store fails, the host stops or another host takes the flow, this
  /// returns a view that is `runnable`. The request is in the store, and the flow lands when it is activated.
  ///
  /// - Throws: As `FlowCoordinator.backUp(to:)` does, and as ``answer(_:of:with:by:revision:key:)``.
  @discardableResult
  public func backUp(
    _ id: FlowID, to step: StepID? = nil, from question: Question.ID? = nil, by principal: Principal? = nil,
    key: String? = nil
  ) async throws -> FlowView {
    let request = HostRequest(
      "backUp \(step?.path ?? "") \(question?.description ?? "")", [], key: key, by: principal, isLeave: true)
    return try await perform(request, on: id) { flow in
      try await flow.coordinator.backUp(to: step, from: question, cause: request) { begin(flow) }
    }
  }

  /// Ends a flow, and returns when it has ended and its effects are undone, newest first. A flow that is suspended
  /// because a step failed can be abandoned, too.
  ///
  /// With `rollingBack` false no `backUp` is called, and the effects stay. A flow that is too large for any other
  /// request can be abandoned. If the flow is passivated on the way, the returned view is `runnable`, as with
  /// ``backUp(_:to:from:by:key:)``, and the rollback goes on later.
  ///
  /// - Throws: `tooLarge` for a reason of more than 1,024 UTF-8 bytes. As
  ///   `FlowCoordinator.abandon(reason:rollingBack:)` does, and as ``answer(_:of:with:by:revision:key:)``.
  @discardableResult
  public func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    guard reason.utf8.count <= StateLimit.reasonBytes else {
      throw FlowError(.tooLarge, "the reason of an abandon has at most \(StateLimit.reasonBytes) bytes", flow: id)
    }
    let request = HostRequest(
      "abandon \(rollingBack)", Array(reason.utf8), key: key, by: principal, isLeave: true)
    return try await perform(request, on: id, evenStopped: true) { flow in
      try await flow.coordinator.abandon(reason: reason, rollingBack: rollingBack, cause: request) { begin(flow) }
    }
  }

  /// Retries the step that failed, or the `backUp`s that threw.
  ///
  /// A flow that is suspended because a step failed goes on: the step is entered again with its input, and its records
  /// and answers are replayed. In a flow that has ended, only the `backUp`s that threw are called again, newest first,
  /// with the records of their steps. The flow is `runnable` meanwhile, and then has the same ending as before.
  ///
  /// - Throws: A `FlowError` with the code `notSuspended` if the flow is not suspended, or `flowEnded` if it has ended
  ///   and nothing is left to undo; as ``answer(_:of:with:by:revision:key:)``.
  @discardableResult
  public func retry(_ id: FlowID, by principal: Principal? = nil, key: String? = nil) async throws -> FlowView {
    let request = HostRequest("retry", [], key: key, by: principal, isLeave: true)
    let view = try await perform(request, on: id, evenStopped: true, evenEnded: true) { flow in
      let machine = flow.committer.state.machine
      if machine.ending != nil {
        guard try await flow.committer.undoAgain(for: request) else { throw hasEnded(flow) }
      } else {
        guard machine.fault != nil else {
          throw FlowError(.notSuspended, "the flow is not suspended, so there is nothing to retry", flow: id)
        }
        try await flow.committer.free(for: request)
      }
      // The flow in memory does not know of the change.
      _ = flow.close(evenIfUsed: true)
    }
    if view.status == .runnable, let flow = try? await take(id) {
      begin(flow)
      await release(flow)
    }
    return view
  }

  private func reopen(_ question: Question.ID, of flow: LiveFlow) async throws {
    guard question.flow == flow.id else {
      throw FlowError(
        .noSuchQuestion, "the question \(question.debugDescription) belongs to another flow", flow: flow.id
      ).listing(await flow.coordinator.questionsToAnswer)
    }
    begin(flow)
    try await flow.coordinator.reopened(question)
    // The flow may have failed before it asked the question again.
    try refuseStandingStill(flow)
  }
}
