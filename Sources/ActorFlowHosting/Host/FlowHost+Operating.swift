import ActorFlow

// The verbs of an operator. Each is one commit, and stands in the history with its principal and reason.
extension FlowHost {
  @discardableResult
  func note(_ id: FlowID, _ text: String, by principal: Principal?, key: String?) async throws -> FlowView {
    guard !text.isEmpty else {
      throw FlowError(.notStorable, "the note is empty; give it a text", flow: id)
    }
    try HostRequest.check(text, "the note", of: id)
    let remark = HostRequest.Remark(what: "noted", detail: text)
    let request = HostRequest(
      .note, "", Array(text.utf8), key: key, by: principal, isLeave: true, remark: remark)
    return try await perform(request, on: id, evenStopped: true, evenEnded: true) { flow in
      try await write(remark, of: request, to: flow)
    }
  }

  /// Writes the entry of a request that changes nothing else.
  private func write(_ remark: HostRequest.Remark, of request: HostRequest, to flow: LiveFlow) async throws {
    var isWritten = false
    // A note activates no flow. The machine of a flow that is not in use has not asked and waited again yet.
    var isLeftAlone: Bool {
      let status = flow.committer.stored?.snapshot.status
      return request.kind == .note && !flow.isBegun && !flow.committer.isMoving
        && (status == .waiting || status == .runnable)
    }
    while !isWritten {
      if !flow.hasEnded, !flow.isSuspended, !isLeftAlone {
        do { return try await flow.coordinator.note(cause: request) } catch let error as FlowError {
          // The flow has ended meanwhile.
          guard error.code == .flowEnded else { throw error }
        }
      }
      isWritten = try await beside(flow) {
        // Another request may have let the flow go on.
        guard flow.hasEnded || flow.isSuspended || isLeftAlone else { return false }
        try await flow.committer.remark(remark, for: request)
        return true
      }
    }
    // The flow in memory does not know of the change.
    _ = flow.close(evenIfUsed: true)
    await flow.passivate()
  }

  /// Calls `body`, which writes a flow that is suspended or has ended, while the flow's coordinator commits nothing. One
  /// caller follows the other, and sees what the one before has stored.
  ///
  /// - Throws: `CancellationError`, after which the request is repeated, if a branch of the suspended flow may still run:
  ///   the end of its `backUp` could not be stored any more. The errors of `body`.
  nonisolated func beside<Result>(_ flow: LiveFlow, _ body: () async throws -> Result) async throws -> Result {
    try await flow.coordinator.betweenCommits {
      if flow.isBegun, flow.isSuspended {
        await flow.passivate()
        throw CancellationError()
      }
      return try await body()
    }
  }

  @discardableResult
  func reassign(
    _ id: FlowID, _ question: Question.ID, to assignees: [String], reason: String, by principal: Principal?,
    revision: Int?, key: String?
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of an assignment", of: id)
    guard !assignees.isEmpty else {
      throw FlowError(.notStorable, "the question is assigned to nobody; name at least one person", flow: id)
    }
    for assignee in assignees { try StoredText.check(assignee, "an assignee", flow: id) }
    var writer = ByteWriter()
    for assignee in assignees { writer.string(assignee) }
    let request = HostRequest(
      .reassign, "\(question)", writer.bytes, key: key, by: principal, reason: reason)
    return try await perform(request, on: id) { flow in
      try await reopen(question, of: flow)
      try await flow.coordinator.reassign(question, to: assignees, revision: revision, cause: request)
    }
  }

  @discardableResult
  func complete(
    _ id: FlowID, _ step: StepID, output json: some Sequence<UInt8> & Sendable, reason: String,
    by principal: Principal?, key: String?
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a completion", of: id)
    let bytes = try bytes(of: json, "the output", of: id, step)
    let request = HostRequest(
      .complete, step.path, Self.payload(bytes), key: key, by: principal, reason: reason)
    return try await perform(request, on: id, evenStopped: true) { flow in
      try await flow.coordinator.complete(step, json: bytes, cause: request)
      begin(flow)
    }
  }

  @discardableResult
  func enter(
    _ id: FlowID, _ step: StepID, input json: some Sequence<UInt8> & Sendable, reason: String,
    by principal: Principal?, key: String?
  ) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of an entering", of: id)
    let bytes = try bytes(of: json, "the input", of: id, step)
    let request = HostRequest(
      .enter, step.path, Self.payload(bytes), key: key, by: principal, reason: reason)
    return try await perform(request, on: id, evenStopped: true) { flow in
      try await flow.coordinator.enter(step, json: bytes, cause: request)
      begin(flow)
    }
  }

  @discardableResult
  func refresh(_ id: FlowID, reason: String, by principal: Principal?, key: String?) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a refresh", of: id)
    let request = HostRequest(
      .refresh, "", [], key: key, by: principal, reason: reason, isLeave: true,
      remark: HostRequest.Remark(what: "refreshed", detail: reason))
    let view = try await perform(request, on: id) { flow in
      guard flow.committer.state.machine.tracks.contains(where: { $0.question != nil }) else {
        throw FlowError(.notActive, "no question of the flow is open, so there is nothing to refresh", flow: id)
      }
      try await flow.coordinator.note(cause: request)
      // The steps ask again when the flow is activated.
      try await passivateAfterEffects(flow)
    }
    return await askedAgain(id) ?? view
  }

  @discardableResult
  func move(_ id: FlowID, reason: String, by principal: Principal?, key: String?) async throws -> FlowView {
    try HostRequest.check(reason, "the reason of a move", of: id)
    let remark = HostRequest.Remark(what: "movedByHand", detail: reason)
    let request = HostRequest(
      .move, "", [], key: key, by: principal, reason: reason, isLeave: true, remark: remark)
    var hasMoved = false
    let view = try await perform(request, on: id, evenStopped: true) { flow in
      // The flow in memory has its new version already: its next commit stores that.
      guard flow.committer.isMoving else { return }
      hasMoved = true
      try await write(remark, of: request, to: flow)
      // The steps of the new version ask again when the flow is activated.
      if !flow.hasEnded, !flow.isSuspended { try await passivateAfterEffects(flow) }
    }
    return hasMoved && view.status == .runnable ? await askedAgain(id) ?? view : view
  }

  /// Passivates a flow that is in use. An effect under way ends first, and its record is stored.
  func passivateAfterEffects(_ flow: LiveFlow) async throws {
    flow.isSetAside = true
    guard flow.isBegun else { return await flow.passivate() }
    while await !flow.coordinator.passivateToYield() {
      try await flow.coordinator.passivatable()
      if await flow.coordinator.passivateIfIdle() { break }
      await Task.yield()
    }
    _ = flow.close(evenIfUsed: true)
    await flow.passivate()
  }

  /// Activates a flow, and waits until its open questions are asked again.
  ///
  /// - Returns: The flow as it was stored then; `nil` if it cannot be activated here: another host has it, or activates it
  ///   at its next poll.
  func askedAgain(_ id: FlowID) async -> FlowView? {
    do {
      let flow = try await take(id)
      do {
        try beginAsking(flow)
        for question in await flow.coordinator.questions { try await flow.coordinator.reopened(question) }
        try await flow.coordinator.waitForCommits()
      } catch {
        // The flow was suspended or passivated meanwhile, or the caller waits no longer: the request is done.
        await release(flow)
        return nil
      }
      let view = flow.committer.view
      await release(flow)
      return view
    } catch {
      shared.note(error, in: .activating, of: id)
      return nil
    }
  }

  private func bytes(
    of json: some Sequence<UInt8>, _ what: String, of id: FlowID, _ step: StepID
  ) throws(FlowError) -> [UInt8] {
    let limit = shared.options.maximumAnswerBytes
    let bytes = Array(json.prefix(limit + 1))
    guard bytes.count <= limit else {
      throw FlowError(.tooLarge, "\(what) has more than \(limit) bytes", flow: id, step: step)
    }
    return bytes
  }

  /// The payload of a request with a value. That of `Void` has no bytes, and the digest tells a reason from a value by
  /// there being one.
  private static func payload(_ json: [UInt8]) -> [UInt8] { json.isEmpty ? Array("null".utf8) : json }
}
