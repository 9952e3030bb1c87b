import ActorFlow
import ActorFlowHosting
import GRPCCore
import SwiftProtobuf
import Synchronization
@testable import TemporalFlows
import TemporalProtocol

/// The server of one workflow, in memory and without time: it writes down what completions say, takes each token once,
/// and refuses an update that is accepted twice.
final class InMemoryServer: Sendable {
  /// The fate of a completion.
  enum Fate: Sendable {
    case taken
    /// The completion is done, and the connection is closed before the reply.
    case takenWithoutReply
    case refused(RPCError.Code)
    /// No connection takes the completion.
    case unsent
  }

  static let unsent = UnsentCall(server: "127.0.0.1:7233", isFirst: false, cause: nil)

  struct State: Sendable {
    var events: [TemporalHistoryEvent] = []
    /// The number of the token that is taken.
    var token = 1
    /// The updates that come with the next task.
    var updates: [TemporalProtocolMessage] = []
    var completions: [TemporalRespondWorkflowTaskCompletedRequest] = []
    /// The messages of the tasks that were failed.
    var failures: [String] = []
    /// The reasons why completions were refused.
    var problems: [String] = []
    /// The states in which the workflow is described, the last one again and again.
    var statuses: [TemporalWorkflowExecutionStatus] = [.running]
    var descriptions = 0
    /// The errors of updates, the last one again and again.
    var updateErrors: [any Error] = [RPCError(code: .notFound, message: "workflow execution already completed")]
    /// Whether no poll is answered, and no question for the version.
    var isDown = false
    /// The number of calls that were not answered.
    var failedCalls = 0
  }

  let id: FlowID
  private let state: Mutex<State>
  /// Called before a completion is carried out, with its number from 1.
  private let hook = Mutex<(@Sendable (Int, TemporalRespondWorkflowTaskCompletedRequest) async -> Fate)?>(nil)

  init(_ id: FlowID, definition: String, input: String, taskTimeout: Duration = .seconds(60)) throws {
    self.id = id
    var started = TemporalWorkflowStartedAttributes()
    started.workflowType.name = definition
    started.taskQueue.name = "queue"
    started.workflowTaskTimeout = .init(of: taskTimeout)
    started.input = try FlowStart(record: StartRecord(), input: Array(input.utf8)).payloads()
    state = Mutex(State())
    write(.workflowStarted(started))
  }

  var now: State { state.withLock { $0 } }
  var client: TemporalClient { TemporalClient(service: self) }

  func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  func onCompletion(_ body: @escaping @Sendable (Int, TemporalRespondWorkflowTaskCompletedRequest) async -> Fate) {
    hook.withLock { $0 = body }
  }

  /// The task that is out, as a poll gets it.
  func task() -> TemporalPollWorkflowTaskQueueResponse { state.withLock { Self.task(of: id, &$0) } }

  /// Takes the task away from its worker, and gives it out again.
  func timeOut() -> TemporalPollWorkflowTaskQueueResponse {
    state.withLock { state in
      state.token += 1
      return Self.task(of: id, &state)
    }
  }

  private static func task(of id: FlowID, _ state: inout State) -> TemporalPollWorkflowTaskQueueResponse {
    var task = TemporalPollWorkflowTaskQueueResponse()
    task.taskToken = .init("\(state.token)".utf8)
    (task.workflowExecution.workflowID, task.workflowExecution.runID) = ("\(id)", "run")
    task.history.events = state.events
    task.startedEventID = Int64(state.events.count)
    (task.messages, state.updates) = (state.updates, [])
    return task
  }

  /// Writes an event down.
  func write(_ attributes: TemporalHistoryEvent.OneOf_Attributes) {
    state.withLock { Self.write(attributes, &$0) }
  }

  /// Writes an event down that has nothing but its kind.
  func write(_ kind: TemporalEventType) {
    state.withLock { Self.write(kind, &$0) }
  }

  private static func write(_ attributes: TemporalHistoryEvent.OneOf_Attributes, _ state: inout State) {
    var event = TemporalHistoryEvent()
    event.eventID = Int64(state.events.count + 1)
    event.attributes = attributes
    state.events.append(event)
  }

  private static func write(_ kind: TemporalEventType, _ state: inout State) {
    var event = TemporalHistoryEvent()
    (event.eventID, event.eventType) = (Int64(state.events.count + 1), kind)
    state.events.append(event)
  }

  // MARK: - Completions

  func complete(
    _ request: TemporalRespondWorkflowTaskCompletedRequest
  ) async throws -> TemporalRespondWorkflowTaskCompletedResponse {
    let number = state.withLock { state in
      state.completions.append(request)
      return state.completions.count
    }
    let fate = await hook.withLock(\.self)?(number, request) ?? .taken
    if case .refused(let code) = fate { throw RPCError(code: code, message: "refused") }
    if case .unsent = fate { throw Self.unsent }
    let response = try state.withLock { state in
      guard request.taskToken == .init("\(state.token)".utf8) else {
        throw RPCError(code: .notFound, message: "Workflow task not found.")
      }
      do {
        Self.write(.workflowTaskCompleted, &state)
        try Self.carryOut(request, &state)
      } catch {
        state.problems.append("\(error)")
        throw error
      }
      state.token += 1
      for kind in [TemporalEventType.workflowTaskScheduled, .workflowTaskStarted]
      where request.forceCreateNewWorkflowTask { Self.write(kind, &state) }
      var response = TemporalRespondWorkflowTaskCompletedResponse()
      if request.returnNewWorkflowTask { response.workflowTask = Self.task(of: id, &state) }
      return response
    }
    if case .takenWithoutReply = fate { throw RPCError(code: .unavailable, message: "Stream unexpectedly closed.") }
    return response
  }

  private static func carryOut(_ request: TemporalRespondWorkflowTaskCompletedRequest, _ state: inout State) throws {
    for message in request.messages where message.id.hasSuffix("/reject") {
      guard !isAccepted(message.protocolInstanceID, state) else { throw invalid("an accepted update is rejected") }
    }
    for command in request.commands {
      switch command.attributes {
      case .recordMarker(let marker):
        var recorded = TemporalMarkerRecordedAttributes()
        (recorded.markerName, recorded.details) = (marker.markerName, marker.details)
        write(.markerRecorded(recorded), &state)
      case .protocolMessage(let reference):
        guard let message = request.messages.first(where: { $0.id == reference.messageID }) else {
          throw invalid("a command names a message that is not there")
        }
        try carryOut(message, &state)
      default: break
      }
    }
  }

  private static func carryOut(_ message: TemporalProtocolMessage, _ state: inout State) throws {
    let bytes = message.body.value
    if message.id.hasSuffix("/accept") {
      guard !isAccepted(message.protocolInstanceID, state) else { throw invalid("an update is accepted twice") }
      var accepted = TemporalUpdateAcceptedAttributes()
      accepted.acceptedRequest = try TemporalUpdateAcceptance(serializedBytes: bytes).acceptedRequest
      write(.updateAccepted(accepted), &state)
    } else {
      guard isAccepted(message.protocolInstanceID, state) else { throw invalid("an update is completed unaccepted") }
      let response = try TemporalUpdateResponse(serializedBytes: bytes)
      var completed = TemporalUpdateCompletedAttributes()
      (completed.meta, completed.outcome) = (response.meta, response.outcome)
      write(.updateCompleted(completed), &state)
    }
  }

  private static func isAccepted(_ update: String, _ state: State) -> Bool {
    state.events.contains {
      guard case .updateAccepted(let accepted) = $0.attributes else { return false }
      return accepted.acceptedRequest.meta.updateID == update
    }
  }

  private static func invalid(_ message: String) -> RPCError { RPCError(code: .invalidArgument, message: message) }
}

extension InMemoryServer.State {
  /// The snapshots that were written down, oldest first.
  var snapshots: [FlowSnapshot] {
    get throws {
      try events.compactMap { event in
        guard case .markerRecorded(let marker) = event.attributes, marker.markerName == SnapshotRecord.marker else {
          return nil
        }
        return try FlowSnapshot(decoding: SnapshotRecord.read(marker.details).1)
      }
    }
  }

  /// The ids of the updates that were completed, in order.
  var completedUpdates: [String] {
    events.compactMap { event in
      if case .updateCompleted(let completed) = event.attributes { completed.meta.updateID } else { nil }
    }
  }
}

extension TemporalRespondWorkflowTaskCompletedRequest {
  /// The kinds of the messages, such as `accept` and `complete`, of an update.
  func says(of update: String) -> [String] {
    messages.filter { $0.protocolInstanceID == update }.map { String($0.id.dropFirst(update.count + 1)) }
  }

  /// Whether the workflow is ended.
  var endsWorkflow: Bool { commands.contains { $0.commandType == .completeWorkflowExecution } }
}
