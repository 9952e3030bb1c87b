internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import SwiftProtobuf
internal import TemporalProtocol

/// A flow while this worker has a task for it: the flow's lease. The token of the task is the fence, for each
/// completion takes it from the server once.
///
/// A completion that asks for a new task gets it in its reply, so the lease goes on under the next token.
actor TaskSession {
  nonisolated let id: FlowID
  nonisolated let lease: FlowLease
  nonisolated let client: TemporalClient
  nonisolated let settings: SessionSettings
  nonisolated let execution: TemporalWorkflowExecution
  /// The requests that have come, for the task that carries them out.
  nonisolated let requests: AsyncStream<TaskRequest>
  /// Opened when the server has given the task to another worker, or is about to.
  nonisolated let isLost = Latch()
  /// Opened when nothing of the flow is at work under the session any more, and the store has closed it.
  nonisolated let isOver = Latch()
  private nonisolated let sink: AsyncStream<TaskRequest>.Continuation

  var token: Data
  var phase = Phase.open { didSet { if phase == .lost { isLost.open() } } }
  var state: RunState
  var stored: StoredFlow?
  /// The id of the last commit.
  var lastCommit: CommitID?
  /// The commit whose outcome is not known.
  var doubt: CommitID?
  /// The requests that were handed out and have no outcome yet, by name.
  var open: [String: OpenRequest] = [:]
  /// The names of all requests of the session, since a task may bring one again.
  private var known: Set<String> = []
  /// The outcomes that the next completion tells, oldest first.
  var outcomes: [(update: TaskRequest.Update, isAccepted: Bool, outcome: TemporalUpdateOutcome)] = []
  /// The names of the requests whose acceptance is on its way.
  var accepting: Set<String> = []
  /// The events that were applied, of those behind the cursor.
  var applied: Set<Int64> = []
  /// The reason why the task is to be failed, so that the server gives it out again.
  var failure: (any Error)?
  /// Whether this worker lacks the definition of the flow, or its version, or ends.
  var isUnserved = false
  /// The time at which the server has given out the task, or of the last completion.
  var answeredAt: ContinuousClock.Instant
  /// The time of the last completion that had a command, or of the task.
  var saidAt: ContinuousClock.Instant
  /// The flow as the list has it.
  var listed: SummaryRecord?
  private var atWork = 0
  /// How often the flow was run from a revision.
  private var workedOn: (revision: Revision, count: Int)?
  private var settlers: [CheckedContinuation<Void, Never>] = []
  private var isBusy = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  enum Phase: Sendable {
    case open
    /// This worker has ended the task.
    case closed
    /// The server has given the task to another worker, or is about to.
    case lost
  }

  struct OpenRequest: Sendable {
    let request: TaskRequest
    /// Whether the update was accepted, so that it can no longer be rejected.
    var isAccepted: Bool
  }

  init(
    _ task: TemporalPollWorkflowTaskQueueResponse, _ state: RunState, lease: FlowLease, client: TemporalClient,
    settings: SessionSettings, givenAt time: ContinuousClock.Instant = .now
  ) throws {
    (id, self.lease, self.client, self.settings) = (lease.id, lease, client, settings)
    execution = task.workflowExecution
    (requests, sink) = AsyncStream.makeStream(of: TaskRequest.self)
    (token, answeredAt, saidAt) = (task.taskToken, time, time)
    self.state = state
    stored = try state.stored()
    lastCommit = state.record?.commit
    listed = try? state.memo.fields[SummaryRecord.key]?.decoded(as: SummaryRecord.self)
  }

  var isOpen: Bool { phase == .open }

  // MARK: - Requests

  /// Hands out the requests that have come with a task.
  func receive(_ messages: [TemporalProtocolMessage]) {
    for message in messages {
      guard let request = try? TemporalUpdateRequest(serializedBytes: message.body.value) else { continue }
      receive(request, message: (message.id, message.eventID))
    }
    for request in state.acceptedUpdates { receive(request, message: nil) }
    for arrival in state.arrivals { hand(TaskRequest(arrival, ofRun: execution.runID)) }
  }

  private func receive(_ request: TemporalUpdateRequest, message: (id: String, event: Int64)?) {
    do { hand(try TaskRequest(request, message: message)) } catch {
      let update = TaskRequest.Update(request: request, message: message, arguments: UpdateArguments(), json: [])
      guard known.insert(TaskRequest.name(of: update)).inserted else { return }
      let refusal =
        error as? TemporalFlowError
        ?? TemporalFlowError(.invalid, "the arguments of the update cannot be read: \(type(of: error))")
      outcomes.append((update, message == nil, .failure(TemporalFailure(refusal))))
    }
  }

  private func hand(_ request: TaskRequest) {
    guard known.insert(request.name).inserted else { return }
    let isAccepted = if case .update(let update) = request.source { update.message == nil } else { true }
    open[request.name] = OpenRequest(request: request, isAccepted: isAccepted)
    atWork += 1
    sink.yield(request)
  }

  /// Notes the outcome of a request, unless a commit has carried it.
  func decide(_ request: TaskRequest, _ outcome: TemporalUpdateOutcome) {
    guard let entry = open.removeValue(forKey: request.name) else { return }
    switch request.source {
    case .update(let update): outcomes.append((update, entry.isAccepted, outcome))
    case .arrival(let arrival): applied.insert(arrival.event)
    }
  }

  /// Notes that a request can be carried out neither now nor never, so that the server is to give the task out again.
  func giveUp(because error: any Error) {
    if failure == nil { failure = error }
    if (error as? FlowError)?.code == .unmigrated || Self.isEnding(error) { isUnserved = true }
  }

  /// Whether an error says no more than that the worker ends, so that another one takes the task.
  static func isEnding(_ error: any Error) -> Bool {
    error is CancellationError || (error as? FlowError)?.code == .hostStopping
  }

  /// Notes that the code of a request has returned.
  func isDone(_ request: TaskRequest) {
    atWork -= 1
    guard atWork == 0 else { return }
    for settler in settlers { settler.resume() }
    settlers = []
  }

  /// Waits until no request is being carried out.
  func settled() async {
    while atWork > 0 { await withCheckedContinuation { settlers.append($0) } }
  }

  /// Ends the stream of requests.
  func endRequests() { sink.finish() }

  // MARK: - Work

  /// The flow with its lease, if it has something to do; `nil` if it is at rest, or the lease is over.
  func nextWork(at now: Date) -> LeasedFlow? {
    guard phase == .open, failure == nil, let stored else { return nil }
    let isDue = stored.snapshot.wakeAt.map { $0 <= now } ?? false
    guard stored.snapshot.status == .runnable || stored.snapshot.status == .waiting && isDue else { return nil }
    if workedOn?.revision != stored.revision { workedOn = (stored.revision, 0) }
    workedOn?.count += 1
    guard let count = workedOn?.count, count <= 3 else {
      giveUp(because: FlowStoreError(.unavailable, "the flow \(id) makes no progress here"))
      return nil
    }
    return LeasedFlow(lease, stored)
  }

  // MARK: - Taking turns

  /// Runs `body` while no other task completes the server's task.
  func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    if isBusy { await withCheckedContinuation { queue.append($0) } }
    isBusy = true
    defer {
      if queue.isEmpty { isBusy = false } else { queue.removeFirst().resume() }
    }
    return try await body()
  }
}

/// The settings of a worker that its sessions need.
struct SessionSettings: Sendable {
  var queue: String
  var clock: any WallClock
  var runEvents: Int
  var runBytes: Int
  var hasSearchAttributes: Bool
  /// The time after which the server takes a task away, for flows whose workflow does not say.
  var taskTimeout: Duration
  var outages: OutageLog
  /// The time for which the server holds a poll in an outage until that is over.
  var heldPoll = Duration.seconds(1)
  /// The time after which a heartbeat writes a marker, so that the server takes it for more than a heartbeat.
  var silence = Duration.seconds(60)
  /// The number of events of a run at which even a step that is at work is interrupted. Temporal terminates a workflow
  /// whose run has 51,200.
  var mostEvents: Int64 = 20_000
}

extension TemporalUpdateOutcome {
  static func failure(_ failure: TemporalFailure) -> Self {
    var outcome = Self()
    outcome.failure = failure
    return outcome
  }

  static func success(_ result: UpdateResult) -> Self {
    var outcome = Self()
    outcome.success = (try? TemporalPayload.json(encoding: result)).map { TemporalPayloads($0) } ?? TemporalPayloads()
    return outcome
  }
}
