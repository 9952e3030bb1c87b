import ActorFlow
import ActorFlowHosting
import SwiftProtobuf
@testable import TemporalFlows
import TemporalProtocol
import Testing

@Suite struct RunStateTests {
  private func event(_ id: Int64, _ attributes: TemporalHistoryEvent.OneOf_Attributes?) -> TemporalHistoryEvent {
    var event = TemporalHistoryEvent()
    event.eventID = id
    event.attributes = attributes
    return event
  }

  private func started(_ input: TemporalPayloads) -> TemporalHistoryEvent {
    var started = TemporalWorkflowStartedAttributes()
    started.workflowType.name = "checkout"
    started.workflowTaskTimeout.seconds = 3
    started.input = input
    return event(1, .workflowStarted(started))
  }

  private func marker(_ id: Int64, revision: Int, cursor: Int64) throws -> TemporalHistoryEvent {
    var marker = TemporalMarkerRecordedAttributes()
    marker.markerName = SnapshotRecord.marker
    let record = SnapshotRecord(revision: revision, commit: CommitID(), changedAt: 1_500_000, cursor: cursor)
    let snapshot = FlowSnapshot(definition: "checkout", version: 1, status: .waiting, body: [7])
    marker.details = try record.details(
      snapshot.encoded(), history: [HistoryEntry(sequence: revision, at: .init(microseconds: 0), what: "asked")])
    return event(id, .markerRecorded(marker))
  }

  private func signal(_ id: Int64, _ name: String) -> TemporalHistoryEvent {
    var signal = TemporalWorkflowSignaledAttributes()
    signal.signalName = name
    signal.input = TemporalPayloads(.json(Array("1".utf8)))
    signal.requestID = "request-\(id)"
    return event(id, .workflowSignaled(signal))
  }

  @Test func theLatestSnapshotIsTheFlow() throws {
    var state = RunState(of: "order-1")
    let start = FlowStart(record: StartRecord(labels: ["a": "b"]), input: Array("{}".utf8))
    try state.add([started(try start.payloads()), marker(5, revision: 1, cursor: 0), marker(9, revision: 2, cursor: 0)])
    let stored = try #require(try state.stored())
    #expect(stored.revision == Revision(2))
    #expect(stored.snapshot.body == [7])
    #expect(stored.changedAt == .init(microseconds: 1_500_000))
    #expect(state.start?.record.labels == ["a": "b"])
    #expect(state.taskTimeout == .seconds(3))
    #expect(state.lastEvent == 9)
  }

  @Test func aStartOfAnotherClientIsItsInput() throws {
    var state = RunState(of: "order-1")
    try state.add([started(TemporalPayloads(.json(Array(#"{"item":"cup"}"#.utf8))))])
    #expect(state.start?.input == Array(#"{"item":"cup"}"#.utf8))
    #expect(try state.stored() == nil)
  }

  @Test func aContinuedRunBeginsWithItsSnapshot() throws {
    var state = RunState(of: "order-1")
    let record = SnapshotRecord(revision: 40, commit: CommitID(), changedAt: 0, cursor: 0)
    let snapshot = FlowSnapshot(definition: "checkout", version: 2, status: .runnable)
    try state.add([started(try record.input(snapshot.encoded()))])
    #expect(state.start == nil)
    #expect(try state.stored()?.revision == Revision(40))
    #expect(try state.stored()?.snapshot == snapshot.stored)
  }

  @Test func signalsBehindTheCursorAreToBeApplied() throws {
    var state = RunState(of: "order-1")
    try state.add([
      started(TemporalPayloads()), signal(3, "paid"), signal(4, "sent"), marker(7, revision: 1, cursor: 3),
    ])
    #expect(state.arrivals.map(\.event) == [4])
    #expect(state.arrivals.first?.key(ofRun: "run") == "request-4")
  }

  @Test func timersAreThoseThatHaveNeitherFiredNorBeenCancelled() throws {
    var state = RunState(of: "order-1")
    func timers(_ id: String) -> (
      TemporalTimerStartedAttributes, TemporalTimerFiredAttributes, TemporalTimerCanceledAttributes
    ) {
      var (started, fired, cancelled) = (
        TemporalTimerStartedAttributes(), TemporalTimerFiredAttributes(), TemporalTimerCanceledAttributes()
      )
      (started.timerID, fired.timerID, cancelled.timerID) = (id, id, id)
      return (started, fired, cancelled)
    }
    let (a, b, c) = (timers("a"), timers("b"), timers("c"))
    try state.add([
      started(TemporalPayloads()), event(2, .timerStarted(a.0)), event(3, .timerStarted(b.0)),
      event(4, .timerStarted(c.0)), event(5, .timerFired(a.1)), event(6, .timerCanceled(b.2)),
    ])
    #expect(state.timers == ["c"])
  }

  /// The events of a task that was never written down have numbers that are used again.
  @Test func aPageFromTheFirstEventOnReplacesAll() throws {
    var state = RunState(of: "order-1")
    try state.add([started(TemporalPayloads()), signal(3, "paid")])
    try state.add([started(TemporalPayloads()), try marker(3, revision: 1, cursor: 0)])
    #expect(state.arrivals.isEmpty)
    #expect(state.record?.revision == 1)
  }

  @Test func anAcceptedUpdateIsOpenUntilItIsCompleted() throws {
    var (accepted, other) = (TemporalUpdateAcceptedAttributes(), TemporalUpdateAcceptedAttributes())
    accepted.acceptedRequest.meta.updateID = "one"
    other.acceptedRequest.meta.updateID = "two"
    var completed = TemporalUpdateCompletedAttributes()
    completed.meta.updateID = "one"
    var state = RunState(of: "order-1")
    try state.add([
      started(TemporalPayloads()), event(4, .updateAccepted(accepted)), event(5, .updateAccepted(other)),
      event(6, .updateCompleted(completed)),
    ])
    #expect(state.acceptedUpdates.map(\.meta.updateID) == ["two"])
  }

  @Test func aDamagedSnapshotIsNoFlow() throws {
    var state = RunState(of: "order-1")
    let record = SnapshotRecord(revision: 1, commit: CommitID(), changedAt: 0, cursor: 0)
    var bytes = FlowSnapshot(definition: "checkout", version: 2, status: .runnable).encoded()
    bytes[bytes.count / 2] ^= 1
    try state.add([started(try record.input(bytes))])
    #expect(throws: FlowStoreError.self) { try state.stored() }
  }
}
