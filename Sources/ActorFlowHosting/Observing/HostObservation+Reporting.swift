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
  func report(
    _ events: [NavigationEvent], committedAs status: FlowSnapshot.Status, by principal: String?, of subject: Subject
  ) {
    for event in events {
      switch event.change {
      case .launched: report(.started(by: principal), of: subject)
      case .asked(let question):
        let asked = ObservedQuestion(
          number: question.id.number, step: question.step, prompt: type(of: question.prompt).promptName)
        report(.asked(asked), of: subject)
      case .answered(let question, let answerer):
        report(.answered(question.number, by: answerer?.id ?? principal), of: subject)
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
  /// Makes a request, and reports the error if it is refused.
  func reportingRefusal<Result>(
    of kind: FlowWrite.Request.Kind, by principal: String?, on id: FlowID, _ definition: Definition? = nil,
    _ request: () async throws -> Result
  ) async throws -> Result {
    do { return try await request() } catch {
      if let observation = shared.observation, !Task.isCancelled {
        var subject = live[id]?.committer.subject ?? HostObservation.Subject(flow: id)
        if let definition { (subject.definition, subject.version) = (definition.name, definition.version) }
        observation.report(.requestRefused(kind, by: principal, HostEvent.Failure(error)), of: subject)
      }
      throw error
    }
  }
}
