public import ActorFlow
public import ActorFlowHosting
internal import Foundation
internal import GRPCCore
internal import TemporalProtocol

// Requests, each an update of Temporal's under the request's key. Each returns when its change is stored.
extension TemporalFlows {
  /// Answers an open question with JSON.
  ///
  /// The answer is acknowledged in the same completion that stores it, so an acknowledged answer is never lost. If no
  /// worker answers in time, the request is repeated under its key until ``Options/requestTime`` is over.
  ///
  /// - Parameters:
  ///   - question: The question's id, from a view.
  ///   - json: The answer as JSON.
  ///   - principal: The principal who answers.
  ///   - revision: The revision of the prompt that the answerer saw; `nil` accepts whichever is shown.
  ///   - key: An idempotency key; the same answer sent again under one key changes nothing. It is the id of the update.
  /// - Returns: The flow's revision in which the answer is stored, or a later one.
  /// - Throws: ``TemporalFlowError``: with the code of the `FlowError` that the worker's host has thrown;
  ///   `notAllowed` or `invalid` for a `Refusal`; `flowEnded`, `noSuchFlow`; `keyReused`. Before the server is called:
  ///   `tooLarge` for the value, or for a key of more than 256 bytes; `notStorable` for an empty key. `unavailable` if
  ///   nothing could be sent, `outcomeUnknown` if no worker has answered.
  @discardableResult
  public func answer(
    _ question: Question.ID, json: some Sequence<UInt8> & Sendable, by principal: Principal? = nil,
    revision: Int? = nil, key: String? = nil
  ) async throws -> Revision {
    let arguments = UpdateArguments(key: key, question: "\(question)", revision: revision, by: principal)
    return try await update(.answer, question.flow, arguments, json: Array(json)).revision
  }

  /// Answers an open question with a value, as ``answer(_:json:by:revision:key:)``.
  @discardableResult
  public func answer<Answer: Encodable & Sendable>(
    _ question: Question.ID, with answer: Answer, by principal: Principal? = nil, revision: Int? = nil,
    key: String? = nil
  ) async throws -> Revision {
    try await self.answer(
      question, json: try TemporalPayload.encoder.encode(answer), by: principal, revision: revision, key: key)
  }

  /// Sends a signal, which must be declared where the worker registers the flow: `stores: .signal(…)`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - signal: The signal.
  ///   - id: The flow.
  ///   - key: The idempotency key.
  ///   - principal: The principal who sends the signal.
  /// - Returns: The fate of the signal, which is stored by then.
  /// - Throws: As ``answer(_:json:by:revision:key:)``, except for a flow that has ended.
  @discardableResult
  public func send<Value: Encodable & Sendable>(
    _ value: Value, to signal: Signal<Value>, of id: FlowID, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    try await send(json: try TemporalPayload.encoder.encode(value), to: signal.name, of: id, key: key, by: principal)
  }

  /// Sends a signal whose value is given as JSON, as ``send(_:to:of:key:by:)``.
  @discardableResult
  public func send(
    json: some Sequence<UInt8> & Sendable, to signal: String, of id: FlowID, key: String, by principal: Principal? = nil
  ) async throws -> Delivery {
    let arguments = UpdateArguments(key: key, signal: signal, by: principal)
    do {
      return switch try await update(.send, id, arguments, json: Array(json)).delivery {
      case "duplicate": .duplicate
      case "flowEnded": .flowEnded
      default: .accepted
      }
    } catch let error as TemporalFlowError where error.code == .flowEnded { return .flowEnded }
  }

  /// Backs up to an earlier step. Returns when the request is stored: see ``settled(_:after:within:)`` for the landing.
  ///
  /// - Parameters:
  ///   - id: The flow.
  ///   - step: The step to back up to; `nil` for the previous one.
  ///   - question: The question that the caller sees; if it is no longer open, nothing is left.
  ///   - reason: The reason, for the history.
  ///   - principal: The principal who asks for it.
  ///   - key: An idempotency key, as for an answer.
  /// - Throws: As ``answer(_:json:by:revision:key:)``.
  @discardableResult
  public func backUp(
    _ id: FlowID, to step: StepID? = nil, from question: Question.ID? = nil, reason: String = "",
    by principal: Principal? = nil, key: String? = nil
  ) async throws -> Revision {
    let arguments = UpdateArguments(
      key: key, question: question.map { "\($0)" }, step: step?.path, reason: reason, by: principal)
    return try await update(.backUp, id, arguments).revision
  }

  /// Ends the flow, and rolls it back unless told otherwise. Returns when the request is stored.
  ///
  /// - Throws: As ``answer(_:json:by:revision:key:)``.
  @discardableResult
  public func abandon(
    _ id: FlowID, reason: String = "", rollingBack: Bool = true, by principal: Principal? = nil, key: String? = nil
  ) async throws -> Revision {
    let arguments = UpdateArguments(key: key, reason: reason, rollsBack: rollingBack, by: principal)
    return try await update(.abandon, id, arguments).revision
  }

  /// Retries the step that failed, or the `backUp`s that threw. Returns when the request is stored.
  ///
  /// The workflow of a flow that has ended stays open while a `backUp` has failed, so that it can be retried. For a flow
  /// that has finished, call ``compensateAgain(_:step:reason:by:key:)``.
  ///
  /// - Throws: As ``answer(_:json:by:revision:key:)``; `notSuspended`.
  @discardableResult
  public func retry(
    _ id: FlowID, reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> Revision {
    try await update(.retry, id, UpdateArguments(key: key, reason: reason, by: principal)).revision
  }

  /// Calls the `backUp`s again that have thrown, as `HostedFlow.compensateAgain` does. Returns when the last has ended and
  /// is stored.
  ///
  /// The flow may be open or have ended, and nothing else of it changes. When a flow that has ended owes no `backUp` any
  /// more, its workflow ends.
  ///
  /// - Parameters:
  ///   - id: The flow.
  ///   - step: The step whose `backUp`s are called: its whole path, or the last part. `nil` calls all of them.
  ///   - reason: The reason, for the history.
  ///   - principal: The principal who asks for it.
  ///   - key: An idempotency key, as for an answer. It counts as used also if a `backUp` has thrown again.
  /// - Throws: As ``answer(_:json:by:revision:key:)``; `rollbackFailed` if a `backUp` has thrown again, and can be called
  ///   another time under another key; `notActive` if none has failed.
  @discardableResult
  public func compensateAgain(
    _ id: FlowID, step: StepID? = nil, reason: String = "", by principal: Principal? = nil, key: String? = nil
  ) async throws -> Revision {
    let arguments = UpdateArguments(key: key, step: step?.path, reason: reason, by: principal)
    return try await update(.compensateAgain, id, arguments).revision
  }
}

// MARK: - Updates

extension TemporalFlows {
  private struct Applied {
    let revision: Revision
    let delivery: String?
  }

  private func update(
    _ verb: UpdateVerb, _ id: FlowID, _ given: UpdateArguments, json: [UInt8]? = nil
  ) async throws -> Applied {
    var arguments = given
    try RequestTexts.checkExists(id)
    if let key = given.key { try RequestTexts.check(key: key) }
    try Self.check(json ?? [])
    let key = given.key ?? "\(CommitID())"
    arguments.key = key
    var request = TemporalUpdateWorkflowExecutionRequest()
    request.namespace = client.namespace
    request.workflowExecution.workflowID = "\(id)"
    request.waitPolicy.lifecycleStage = .completed
    // Keys of answers and of each signal differ from one another, and those of updates do not.
    request.request.meta.updateID = verb == .send ? "send \(given.signal ?? "") \(key)" : key
    request.request.meta.identity = client.identity
    request.request.input.name = verb.rawValue
    request.request.input.args = TemporalPayloads(try .json(encoding: arguments))
    if let json { request.request.input.args.payloads.append(.json(json)) }
    switch try await outcome(of: request).value {
    case .success(let payloads):
      guard let result = try payloads.payloads.first?.decoded(as: UpdateResult.self) else {
        throw TemporalFlowError(.unavailable, "the outcome of the update is not that of a flow's worker")
      }
      guard result.digest == request.request.digest else {
        throw TemporalFlowError(.keyReused, "the key \"\(key)\" was used by another request")
      }
      return Applied(revision: Revision(result.revision), delivery: result.delivery)
    case .failure(let failure): throw failure.flowError
    case nil: throw TemporalFlowError(.outcomeUnknown, "the update has no outcome yet; repeat it under its key")
    }
  }

  /// Refuses a value of which the server would say only that it is too large.
  ///
  /// - Throws: `TemporalFlowError` with the code `tooLarge`.
  static func check(_ json: [UInt8]) throws {
    guard json.count > TaskSession.snapshotBytes else { return }
    throw TemporalFlowError(
      .tooLarge,
      "the value has \(json.count) bytes; at most \(TaskSession.snapshotBytes) are taken. Keep large values elsewhere, "
        + "and their names in the flow")
  }

  /// Sends an update until it has an outcome. An update that is only admitted is not stored, and is lost with the
  /// server's memory: it is sent again under its id.
  private func outcome(of request: TemporalUpdateWorkflowExecutionRequest) async throws -> TemporalUpdateOutcome {
    let end = ContinuousClock.now + options.requestTime
    var pauses = CallPauses()
    // Whether an attempt may have been sent, so that the request may be applied yet. Otherwise the last error says why not.
    var (isSent, unsent): (Bool, (any Error)?) = (false, nil)
    while true {
      do {
        let left = max(.milliseconds(100), end - .now)
        let reply = try await client.call(within: min(left, .seconds(20))) {
          try await $0.updateWorkflowExecution(request, metadata: $1, options: $2)
        }
        if reply.hasOutcome { return reply.outcome }
        isSent = true
      } catch {
        try Task.checkCancellation()
        let outcome = CallOutcome(error)
        if outcome == .unknown || outcome == .gone { isSent = true }
        switch outcome {
        case .gone:
          do {
            if let outcome = try await pastOutcome(of: request) { return outcome }
          } catch let error as TemporalFlowError where error.code == .unavailable {
            throw TemporalFlowError(.outcomeUnknown, "\(error.message); repeat the request under its key")
          }
          // A run has ended with the update on its way, and another one goes on.
          try await pauses.wait()
        // The flow's task has failed some times, because its workers have died: it is given out again after a pause.
        case .refused where (error as? RPCError)?.code == .failedPrecondition && ContinuousClock.now < end:
          try await Task.sleep(for: .milliseconds(250))
        case .refused where isSent:
          throw TemporalFlowError(
            .outcomeUnknown,
            "the server refuses the request, which may have been done before; repeat it under its key: "
              + RPCError.text(error))
        case .refused: throw TemporalFlowError.ofCall(error)
        case .unsent where !isSent:
          guard client.hasConnected, ContinuousClock.now < end else { throw TemporalFlowError.ofCall(error) }
          unsent = error
          try await pauses.wait()
        case .unsent, .unknown:
          guard ContinuousClock.now < end else {
            throw TemporalFlowError(
              .outcomeUnknown,
              "no worker has answered in \(options.requestTime); repeat the request under its key: \(RPCError.text(error))"
            )
          }
          try await pauses.wait()
        }
      }
      guard ContinuousClock.now < end else {
        if let unsent, !isSent { throw TemporalFlowError.ofCall(unsent) }
        throw TemporalFlowError(
          .outcomeUnknown, "no worker has answered in \(options.requestTime); repeat the request under its key")
      }
    }
  }

  /// Returns the outcome of an update that a workflow has had before it ended; `nil` if the workflow has a run that
  /// goes on.
  ///
  /// - Throws: `TemporalFlowError`: `flowEnded` only if the latest run is closed, `noSuchFlow`.
  private func pastOutcome(of request: TemporalUpdateWorkflowExecutionRequest) async throws -> TemporalUpdateOutcome? {
    var poll = TemporalPollWorkflowExecutionUpdateRequest()
    poll.namespace = client.namespace
    poll.identity = client.identity
    poll.updateRef.workflowExecution = request.workflowExecution
    poll.updateRef.updateID = request.request.meta.updateID
    poll.waitPolicy.lifecycleStage = .completed
    do {
      let reply = try await client.repeating { [poll] in
        try await client.call { try await $0.pollWorkflowExecutionUpdate(poll, metadata: $1, options: $2) }
      }
      if reply.hasOutcome { return reply.outcome }
    } catch  where CallOutcome(error) == .gone {
      // The workflow has never had the update, or does not exist.
    } catch { throw TemporalFlowError.ofCall(error) }
    let id = FlowID(request.workflowExecution.workflowID)
    switch try await describe(id).workflowExecutionInfo.status {
    case .running, .continuedAsNew: return nil
    default: break
    }
    throw TemporalFlowError(.flowEnded, "the flow \"\(id)\" has ended")
  }
}
