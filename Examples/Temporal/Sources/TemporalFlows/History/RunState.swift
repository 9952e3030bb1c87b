internal import ActorFlow
internal import ActorFlowHosting
internal import SwiftProtobuf
internal import TemporalProtocol

/// The facts that a run's events tell: the flow as it was committed last, and what has come for it since.
struct RunState: Sendable {
  let id: FlowID
  private(set) var definition = ""
  private(set) var queue = ""
  private(set) var taskTimeout: Duration?
  /// The run that this one continues.
  private(set) var continuedRun: String?
  private(set) var memo = TemporalMemo()
  private(set) var searchAttributes = TemporalSearchAttributes()
  /// The start; `nil` in a run that continues another.
  private(set) var start: FlowStart?
  private(set) var record: SnapshotRecord?
  private var bytes: [UInt8] = []
  /// The last event that was applied to the flow, of those that other systems bring about.
  private(set) var cursor: Int64 = 0
  /// The events behind the cursor that are to be applied, in order.
  private(set) var arrivals: [Arrival] = []
  /// The updates that were accepted and not completed, by id, in the order of their acceptance.
  private(set) var acceptedUpdates: [TemporalUpdateRequest] = []
  /// The ids of the timers that run.
  private(set) var timers: Set<String> = []
  private(set) var lastEvent: Int64 = 0
  /// The number of tasks that were completed since the last commit.
  private(set) var idleTasks = 0
  /// The number of bytes of the events.
  private(set) var size = 0

  init(of id: FlowID) { self.id = id }

  /// An event of another system: a signal of Temporal's, or a request to cancel the workflow.
  struct Arrival: Sendable {
    let event: Int64
    let kind: Kind
    /// The id of the request that has brought the event about; empty if it had none.
    let requestID: String

    enum Kind: Sendable {
      case signal(String, [UInt8])
      case cancel(String)
    }
  }

  /// The flow as it was committed last; `nil` before its first commit.
  ///
  /// - Throws: A `FlowStoreError` with the code `corrupted` or `unsupportedFormat`.
  func stored() throws -> StoredFlow? {
    guard let record else { return nil }
    return record.stored(try FlowSnapshot(decoding: bytes), of: id)
  }

  /// Adds a page of events. Events that are known already are skipped, and a page that begins with the first event
  /// replaces all: a task that was never written down may have used the same numbers before.
  mutating func add(_ events: [TemporalHistoryEvent]) throws {
    if events.first?.eventID == 1 { self = RunState(of: id) }
    for event in events where event.eventID > lastEvent { try add(event) }
  }

  private mutating func add(_ event: TemporalHistoryEvent) throws {
    lastEvent = event.eventID
    if event.eventType == .workflowTaskCompleted { idleTasks += 1 }
    switch event.attributes {
    case .workflowStarted(let started):
      definition = started.workflowType.name
      queue = started.taskQueue.name
      if started.hasWorkflowTaskTimeout { taskTimeout = Duration(started.workflowTaskTimeout) }
      continuedRun = started.continuedExecutionRunID.isEmpty ? nil : started.continuedExecutionRunID
      (memo, searchAttributes) = (started.memo, started.searchAttributes)
      if let (record, bytes) = try SnapshotRecord.read(started.input.payloads) {
        (self.record, self.bytes) = (record, bytes)
        size += bytes.count
      } else {
        start = try FlowStart(started.input.payloads)
      }
    case .markerRecorded(let marker) where marker.markerName == SnapshotRecord.marker:
      let (record, bytes) = try SnapshotRecord.read(marker.details)
      (self.record, self.bytes, idleTasks) = (record, bytes, 0)
      size += bytes.count
      moveCursor(to: record.cursor)
    case .markerRecorded(let marker) where marker.markerName == SnapshotRecord.cursorMarker:
      if let cursor = try SnapshotRecord.cursor(marker.details) { moveCursor(to: cursor) }
    case .timerStarted(let timer): timers.insert(timer.timerID)
    case .timerFired(let timer): timers.remove(timer.timerID)
    case .timerCanceled(let timer): timers.remove(timer.timerID)
    case .workflowSignaled(let signal):
      let value = signal.input.payloads.first.map { Array($0.data) } ?? Array("null".utf8)
      arrivals.append(
        Arrival(event: event.eventID, kind: .signal(signal.signalName, value), requestID: signal.requestID))
    case .workflowCancelRequested(let request):
      arrivals.append(Arrival(event: event.eventID, kind: .cancel(request.cause), requestID: ""))
    case .updateAccepted(let accepted): acceptedUpdates.append(accepted.acceptedRequest)
    case .updateCompleted(let completed):
      acceptedUpdates.removeAll { $0.meta.updateID == completed.meta.updateID }
    default: break
    }
  }

  /// Passes over events that tell nothing, without reading them.
  mutating func pass(to event: Int64) { lastEvent = event }

  private mutating func moveCursor(to event: Int64) {
    cursor = max(cursor, event)
    arrivals.removeAll { $0.event <= cursor }
  }
}

extension Duration {
  init(_ duration: Google_Protobuf_Duration) {
    self = .seconds(duration.seconds) + .nanoseconds(Int64(duration.nanos))
  }
}

extension Google_Protobuf_Duration {
  init(of duration: Duration) {
    self.init()
    let (seconds, attoseconds) = duration.components
    (self.seconds, nanos) = (seconds, Int32(attoseconds / 1_000_000_000))
  }
}
