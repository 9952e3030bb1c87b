/// The circumstances in which a step is reached: for ``SkippableStep/skip(_:context:)``, and for the closure of
/// ``FlowComponent/guarded(by:)``.
public struct EntryContext: Sendable {
  /// The flow that has reached the step.
  public let flow: FlowID
  /// The principal that began the run; `nil` if none was given.
  public let startedBy: Principal?
  /// The principal of the latest answer or action that the run has accepted; `nil` before the first one, and if that
  /// one was anonymous.
  public let answeredBy: Principal?

  package init(flow: FlowID, participants: Participants) {
    self.flow = flow
    startedBy = participants.startedBy
    answeredBy = participants.answeredBy
  }
}

/// The principals that have taken part in a run.
package struct Participants: Sendable, Equatable {
  package var startedBy: Principal?
  package var answeredBy: Principal?

  package init(startedBy: Principal? = nil, answeredBy: Principal? = nil) {
    self.startedBy = startedBy
    self.answeredBy = answeredBy
  }

  /// Participants behind a reference, because most runs have none.
  package final class Box: Sendable {
    package let participants: Participants

    package init(_ participants: Participants) {
      self.participants = participants
    }
  }
}
