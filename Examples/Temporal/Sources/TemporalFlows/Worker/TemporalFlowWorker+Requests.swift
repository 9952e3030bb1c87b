internal import ActorFlow
internal import ActorFlowHosting
internal import Logging
internal import TemporalProtocol

// The requests of a task, as calls of the host.
extension TemporalFlowWorker {
  func perform(_ request: TaskRequest, of session: TaskSession) async {
    do {
      let outcome: TemporalUpdateOutcome
      switch request.source {
      case .update(let update): outcome = .success(try await apply(update, to: session.id))
      case .arrival(let arrival):
        try await apply(arrival, to: session)
        outcome = TemporalUpdateOutcome()
      }
      await session.decide(request, outcome)
    } catch {
      guard let refusal = TemporalFlowError.refusal(error, ofAnswer: request.carried.kind == .answer) else {
        return await session.giveUp(because: error)
      }
      if case .arrival = request.source {
        // An event is written down, so its sender cannot be told. A full buffer may have room later.
        if refusal.code.rawValue == "\(FlowError.Code.signalsFull)" { return await session.giveUp(because: error) }
        log("an event of another system is refused", session.id, error)
      }
      await session.decide(request, .failure(TemporalFailure(refusal)))
    }
  }

  private func apply(_ update: TaskRequest.Update, to id: FlowID) async throws -> UpdateResult {
    let flow = host.flow(id)
    let (arguments, digest) = (update.arguments, update.request.digest)
    let (by, key, reason) = (arguments.by, arguments.key ?? update.id, arguments.reason ?? "")
    func question() throws -> Question.ID? {
      guard let text = arguments.question else { return nil }
      guard let question = Question.ID(text) else {
        throw TemporalFlowError(
          TemporalFlowError.Code(rawValue: "noSuchQuestion"), "the id of the question is malformed")
      }
      return question
    }
    let view: FlowView
    switch UpdateVerb(rawValue: update.request.input.name) {
    case .answer:
      guard let asked = try question() else {
        throw TemporalFlowError(TemporalFlowError.Code(rawValue: "noSuchQuestion"), "the answer names no question")
      }
      view = try await flow.answer(asked, json: update.json, by: by, revision: arguments.revision, key: key)
    case .send:
      let delivery = try await flow.send(json: update.json, to: arguments.signal ?? "", key: key, by: by)
      return UpdateResult(
        revision: try await flow.view().revision.number, delivery: "\(delivery)", digest: digest)
    case .backUp:
      view = try await flow.backUp(
        to: arguments.step.map { StepID($0) }, from: try question(), reason: reason, by: by, key: key)
    case .abandon:
      view = try await flow.abandon(reason: reason, rollingBack: arguments.rollsBack ?? true, by: by, key: key)
    case .retry: view = try await flow.retry(reason: reason, by: by, key: key)
    case .compensateAgain:
      let step = arguments.step.map { StepID($0) }
      view = try await flow.compensateAgain(step, reason: reason, by: by, key: key)
      // The host says it once. A worker that died before it could tell the sender leaves that to this one.
      guard !view.undoFailures.contains(where: { $0.isOwed && (step == nil || $0.step == step) }) else {
        throw TemporalFlowError(
          TemporalFlowError.Code(rawValue: "rollbackFailed"), "a `backUp` has failed again; the flow's view says which")
      }
    case nil: throw TemporalFlowError(TemporalFlowError.Code(rawValue: "noSuchVerb"), "a flow takes no such update")
    }
    return UpdateResult(revision: view.revision.number, delivery: nil, digest: digest)
  }

  private func apply(_ arrival: RunState.Arrival, to session: TaskSession) async throws {
    let flow = host.flow(session.id)
    let key = arrival.key(ofRun: session.execution.runID)
    switch arrival.kind {
    case .signal(let name, let json): _ = try await flow.send(json: json, to: name, key: key)
    case .cancel(let cause):
      do { _ = try await flow.abandon(reason: cause.isEmpty ? "cancelled in Temporal" : cause, key: key) } catch let
        error
        as FlowError where error.code == .flowEnded
      {
        // The flow has ended by itself.
      }
    }
  }
}
