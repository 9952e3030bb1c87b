import ActorFlow

// Functions that change a flow. Each returns when the change is in the store.
extension FlowHost {
  @discardableResult
  func answer<A: Codable & Sendable>(
    _ question: Question.ID, of id: FlowID, with answer: A, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil, in pending: PendingWrite? = nil
  ) async throws -> FlowView {
    let request = HostRequest(
      .answer, "\(question)", try PackedValue(answer, with: shared.values).bytes, key: key, by: principal, in: pending)
    return try await perform(request, on: id) { flow in
      try await reopen(question, of: flow)
      try await flow.coordinator.answer(question, with: answer, by: principal, revision: revision, cause: request)
    }
  }

  @discardableResult
  func answer<P: Prompt>(
    _ prompt: P.Type, of id: FlowID, with answer: P.Answer, by principal: Principal? = nil, key: String? = nil,
    in pending: PendingWrite? = nil
  ) async throws -> FlowView where P.Answer: Codable {
    let request = HostRequest(
      .answer, "\(P.self)", try PackedValue(answer, with: shared.values).bytes, key: key, by: principal, in: pending)
    return try await perform(request, on: id) { flow in
      try beginAsking(flow)
      for question in await flow.coordinator.questions { try await flow.coordinator.reopened(question) }
      try refuseStandingStill(flow)
      try await flow.coordinator.answer(P.self, with: answer, by: principal, cause: request)
    }
  }

  @discardableResult
  func answer(
    _ question: Question.ID, of id: FlowID, json: some Sequence<UInt8> & Sendable, by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil, in pending: PendingWrite? = nil
  ) async throws -> FlowView {
    let limit = shared.options.maximumAnswerBytes
    let bytes = Array(json.prefix(limit + 1))
    guard bytes.count <= limit else {
      throw FlowError(.tooLarge, "the answer has more than \(limit) bytes", flow: id)
    }
    let request = HostRequest(.answer, "\(question)", bytes, key: key, by: principal, in: pending)
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

  @discardableResult
  func send<Value: Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil,
    in pending: PendingWrite? = nil
  ) async throws -> Delivery {
    let packed = try PackedValue(value, with: shared.values)
    let request = HostRequest.signal(signal.name, packed.bytes, key: key, by: principal, in: pending)
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
  private func send<Value: Sendable>(
    _ value: Value, to signal: Signal<Value>, of flow: LiveFlow, key: String, size: Int, _ request: HostRequest
  ) async throws -> Delivery {
    let coordinator = flow.coordinator
    do { return try await coordinator.sendNumbered(value, to: signal, key: key, size: size, cause: request) } catch let
      error as FlowError where error.code == .signalsFull
    {
      try beginAsking(flow)
      guard try await coordinator.waitsAgain(for: signal.name) else { throw error }
      return try await coordinator.sendNumbered(value, to: signal, key: key, size: size, cause: request)
    }
  }

  @discardableResult
  func backUp(
    _ id: FlowID, to step: StepID? = nil, from question: Question.ID? = nil, reason: String = "",
    by principal: Principal? = nil, key: String? = nil, in pending: PendingWrite? = nil
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a back", of: id)
    let request = HostRequest(
      .backUp, "\(step?.path ?? "") \(question?.description ?? "")", [], key: key, by: principal, reason: reason,
      isLeave: true, in: pending)
    return try await perform(request, on: id) { flow in
      try await flow.coordinator.backUp(to: step, from: question, cause: request) { begin(flow) }
    }
  }

  @discardableResult
  func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil,
    in pending: PendingWrite? = nil
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of an abandon", of: id)
    let request = HostRequest(
      .abandon, "\(rollingBack)", [], key: key, by: principal, reason: reason, isLeave: true, in: pending)
    return try await perform(request, on: id, evenStopped: true) { flow in
      try await flow.coordinator.abandon(reason: reason, rollingBack: rollingBack, cause: request) { begin(flow) }
    }
  }

  @discardableResult
  func retry(
    _ id: FlowID, reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a retry", of: id)
    let request = HostRequest(.retry, "", [], key: key, by: principal, reason: reason, isLeave: true)
    let view = try await perform(request, on: id, evenStopped: true, evenEnded: true) { flow in
      try await beside(flow) {
        if flow.hasEnded {
          guard try await flow.committer.undoAgain(for: request) else { throw hasEnded(flow) }
        } else {
          guard flow.isSuspended else {
            throw FlowError(.notSuspended, "the flow is not suspended, so there is nothing to retry", flow: id)
          }
          try await flow.committer.free(for: request)
        }
      }
      // The flow in memory does not know of the change.
      _ = flow.close(evenIfUsed: true)
      await flow.passivate()
    }
    // The request is done. A flow that cannot be activated now is runnable, so a poll activates it.
    if view.status == .runnable { await goOn(id) }
    return view
  }

  func reopen(_ question: Question.ID, of flow: LiveFlow) async throws {
    guard question.flow == flow.id else {
      throw FlowError(
        .noSuchQuestion, "the question \(question.debugDescription) belongs to another flow", flow: flow.id
      ).listing(await flow.coordinator.questionsToAnswer)
    }
    try beginAsking(flow)
    try await flow.coordinator.reopened(question)
    // The flow may have failed before it asked the question again.
    try refuseStandingStill(flow)
  }

  /// Activates a flow whose questions are to be asked again.
  ///
  /// - Throws: If no step of the flow runs, so that nothing is asked: a `FlowError` with the code `suspended`;
  ///   `CancellationError`, after which the request is repeated, if another request has closed the flow.
  func beginAsking(_ flow: LiveFlow) throws {
    begin(flow)
    guard !flow.isBegun, !flow.hasEnded else { return }
    try refuseStandingStill(flow)
    throw CancellationError()
  }
}
