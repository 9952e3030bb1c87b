internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import GRPCCore
internal import TemporalProtocol

// The one call that ends a task.
extension TaskSession {
  /// The result of a completion.
  enum Completion: Sendable {
    case done
    /// The server has given the task to another worker; nothing was done.
    case lost
    /// The server has refused the commands; nothing was done, and the task is over.
    case refused(String)
    /// The completion may have been done or not.
    case unknown(any Error)
  }

  /// The time after which the server takes the task away.
  var taskTimeout: Duration { state.taskTimeout ?? settings.taskTimeout }

  /// Completes the task with commands, the outcomes that are known, and, if it goes on here or elsewhere, the acceptance
  /// of the updates that have none. A server rejects an update that a completion says nothing about.
  ///
  /// A completion that fails is repeated with the same token, which the server takes once. So it is done at most once,
  /// however often the stream of the call is closed in the middle.
  ///
  /// - Parameters:
  ///   - commands: The commands, which follow those of the outcomes.
  ///   - goesOn: Whether the reply is to bring a new task, so that the lease goes on.
  ///   - handsOver: Whether another task is to be created, for any worker.
  ///   - commit: The commit that the commands write, if they do.
  func complete(
    _ commands: [TemporalCommand], goesOn: Bool, handsOver: Bool = false, as commit: CommitID? = nil
  ) async throws -> Completion {
    var reply = TaskReply()
    accepting = []
    try tell(&reply, accepts: goesOn || handsOver)
    var request = TemporalRespondWorkflowTaskCompletedRequest()
    request.namespace = client.namespace
    request.identity = client.identity
    request.taskToken = token
    request.commands = reply.commands + commands
    request.messages = reply.messages
    (request.returnNewWorkflowTask, request.forceCreateNewWorkflowTask) = (goesOn, goesOn || handsOver)
    let told = outcomes.count
    switch await send(request) {
    case .success(let response):
      if !request.commands.isEmpty { saidAt = .now }
      try await isCompleted(told: told, goesOn: goesOn, events: request.commands.isEmpty ? 0 : nil, response)
      return .done
    case .failure(let failure):
      switch failure.outcome {
      case .gone where failure.mayBeDone:
        guard let commit else { break }
        let found = try? await client.readFlowCommit(id)
        // The reply was lost, and with it a new task. The server gives that out again when its time is over.
        phase = goesOn || found != commit ? .lost : .closed
        // Another worker may have committed since, behind this commit: then the last commit tells nothing of it.
        guard found == commit else { return .unknown(failure.error) }
        outcomes.removeFirst(told)
        return .done
      case .gone: break
      case .refused:
        phase = .closed
        return .refused(RPCError.text(failure.error))
      // The server has taken the task away by now.
      case .unsent: break
      case .unknown: return .unknown(failure.error)
      }
      phase = .lost
      return .lost
    }
  }

  private func tell(_ reply: inout TaskReply, accepts: Bool) throws {
    for entry in outcomes {
      if case .failure(let failure)? = entry.outcome.value, !entry.isAccepted, let message = entry.update.message {
        try reply.reject(entry.update, message, failure)
        continue
      }
      if !entry.isAccepted { try reply.accept(entry.update) }
      try reply.complete(entry.update, with: entry.outcome)
    }
    for (name, entry) in open where accepts && !entry.isAccepted {
      guard case .update(let update) = entry.request.source else { continue }
      try reply.accept(update)
      accepting.insert(name)
    }
  }

  /// - Parameter events: The number of events that the commands have written; `nil` if it is not known.
  private func isCompleted(
    told: Int, goesOn: Bool, events: Int64?, _ response: TemporalRespondWorkflowTaskCompletedResponse
  ) async throws {
    outcomes.removeFirst(told)
    for name in accepting { open[name]?.isAccepted = true }
    // Those that were decided while their acceptance was on its way: an update is accepted once.
    for index in outcomes.indices where accepting.contains(TaskRequest.name(of: outcomes[index].update)) {
      outcomes[index].isAccepted = true
    }
    accepting = []
    answeredAt = .now
    guard goesOn, !response.workflowTask.taskToken.isEmpty else {
      phase = goesOn ? .lost : .closed
      return
    }
    await take(response.workflowTask, after: events)
  }

  /// Goes on under the token of another task of the flow.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - events: The number of events that the commands of the completion before have written, if it is known. If nothing
  ///     else has come since, the history need not be read: a long step has thousands of heartbeats in it.
  func take(_ task: TemporalPollWorkflowTaskQueueResponse, after events: Int64? = nil) async {
    token = task.taskToken
    answeredAt = .now
    // The completion itself, and the schedule and the start of the new task, are three events.
    if let events, task.startedEventID == state.lastEvent + 3 + events {
      state.pass(to: task.startedEventID)
      return receive(task.messages)
    }
    do {
      var newer = state
      try await client.add(task, to: &newer)
      state = newer
    } catch {
      // The commits go on; what has come is found with the next task.
      giveUp(because: error)
    }
    receive(task.messages)
  }

  private struct Failure: Error {
    let error: any Error
    let outcome: CallOutcome
    /// Whether an earlier attempt may have been done.
    let mayBeDone: Bool
  }

  /// Sends the completion until its outcome is known, or the server has long taken the task away.
  private func send(
    _ request: TemporalRespondWorkflowTaskCompletedRequest
  ) async -> Result<TemporalRespondWorkflowTaskCompletedResponse, Failure> {
    let client = client
    let end = ContinuousClock.now + taskTimeout + .seconds(1)
    var (pauses, mayBeDone) = (CallPauses(), doubt != nil)
    while true {
      do {
        // A commit is made also for a task that was cancelled.
        let response = try await shielded {
          try await client.call { try await $0.respondWorkflowTaskCompleted(request, metadata: $1, options: $2) }
        }
        settings.outages.isAnswered()
        return .success(response)
      } catch {
        let outcome = CallOutcome(error)
        switch outcome {
        case .gone, .refused:
          settings.outages.isAnswered()
          return .failure(Failure(error: error, outcome: outcome, mayBeDone: mayBeDone))
        case .unsent: break
        case .unknown: mayBeDone = true
        }
        settings.outages.hasFailed(.completion, error)
        guard ContinuousClock.now < end else {
          return .failure(Failure(error: error, outcome: mayBeDone ? .unknown : .unsent, mayBeDone: mayBeDone))
        }
        await pause(for: pauses.take())
      }
    }
  }
}

extension TemporalClient {
  /// The id of the commit that a flow has last; `nil` if it has none.
  func readFlowCommit(_ id: FlowID) async throws -> CommitID? {
    try await readRun(of: id)?.record?.commit
  }
}
