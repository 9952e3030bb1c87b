import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The events that follow from a commit or a request.
extension HostObservation {
  /// Reports a write that is in the store.
  func report(_ write: FlowWrite, of trace: TraceContext, as revision: Revision, since start: Date) {
    let bytes = write.snapshot.body.count + write.newValues.reduce(0) { $0 + $1.bytes.count }
    let commit = HostEvent.Commit(
      revision: revision, bytes: bytes, entries: write.history.count, requests: write.requests,
      duration: time(since: start))
    let snapshot = write.snapshot
    report(
      .committed(commit),
      of: Subject(flow: write.id, definition: snapshot.definition, version: snapshot.version, trace: trace))
  }

  /// Reports what the events of a commit say.
  ///
  /// - Parameter tasks: The questions that were open before the commit.
  func report(
    _ events: [NavigationEvent], committedAs status: FlowSnapshot.Status, after tasks: [OpenTask],
    by principal: String?, of subject: Subject
  ) {
    for event in events {
      switch event.change {
      case .launched: report(.started(by: principal), of: subject)
      case .asked(let question):
        let asked = ObservedQuestion(
          number: question.id.number, step: question.step, prompt: type(of: question.prompt).promptName)
        report(.asked(asked), of: subject)
      case .answered(let question, let answerer):
        let task = tasks.first { $0.question == question.description }
        let answered = ObservedQuestion(
          number: question.number, step: task?.step ?? event.position.step ?? "", prompt: task?.prompt ?? "")
        report(
          .answered(answered, by: answerer?.id ?? principal, after: task.map { time(since: $0.askedAt) }), of: subject)
      case .suspended(let step, let error): report(.suspended(step, HostEvent.Failure(error)), of: subject)
      default: break
      }
    }
    if status.isTerminal, !events.isEmpty { report(.ended(status), of: subject) }
  }
}

extension FlowCommitter {
  /// The flow, for the events about it.
  var subject: HostObservation.Subject {
    HostObservation.Subject(
      flow: id, definition: definition.name, version: definition.version, trace: state.trace)
  }
}

extension FlowHost {
  /// Makes a request, and reports its outcome.
  ///
  /// - Parameter asks: Whether the closure only asks whether the request is allowed, so that only its error is an end.
  func reporting<Result>(
    _ request: FlowWrite.Request, on id: FlowID, _ definition: Definition? = nil, trace: TraceContext = TraceContext(),
    asks: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    guard let observation = shared.observation else { return try await body() }
    let start = shared.clock.now
    var subject = HostObservation.Subject(flow: id, trace: trace)
    if let definition { (subject.definition, subject.version) = (definition.name, definition.version) }
    do {
      let result = try await body()
      // The flow may be out of memory again.
      if let view = result as? FlowView {
        (subject.definition, subject.version, subject.trace) = (view.definition, view.version, view.trace)
      }
      if !asks {
        observation.report(.requestEnded(request, .returned, after: observation.time(since: start)), of: subject)
      }
      return result
    } catch {
      observation.report(
        .requestEnded(request, HostEvent.Outcome(of: error), after: observation.time(since: start)),
        of: live[id]?.committer.subject ?? subject)
      throw error
    }
  }
}
