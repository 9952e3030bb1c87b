internal import ActorFlow
internal import ActorFlowHosting
internal import Foundation
internal import SwiftProtobuf
internal import TemporalProtocol

// The end of a session: the flow is at rest, or cannot go on here.
extension TaskSession {
  /// Ends the task, unless a commit has done so: with the flow's timer and its place in lists, with the end of the
  /// workflow, or with a failure, after which the server gives the task out again.
  ///
  /// - Parameter ending: The flow as it has ended, for the result of the workflow.
  func finish(_ ending: FlowView?) async {
    await alone {
      guard phase == .open else { return }
      do {
        if isUnserved, state.idleTasks < Self.mostHandovers {
          _ = try await complete([], goesOn: false, handsOver: true)
          return
        }
        if let failure { return await fail(because: failure) }
        if let stored, doubt == nil {
          try await rest(stored, ending)
        } else {
          await fail(because: FlowStoreError(.unavailable, "nothing of the flow \(id) was stored"))
        }
      } catch { await fail(because: error) }
    }
  }

  /// Notes that this worker lacks the definition of the flow, which another one may have.
  func isServedElsewhere() { isUnserved = true }

  /// The number of tasks in a row that are handed to any worker instead of being failed, while workers of two versions
  /// poll one queue. After a few failures in a row the server would pause, although the other worker is there.
  private static let mostHandovers = 20

  private func rest(_ flow: StoredFlow, _ ending: FlowView?) async throws {
    var commands: [TemporalCommand] = []
    // A heartbeat may have brought a request since the session looked for work the last time, and the server rejects an
    // update that is left out. The next task carries it out.
    let isLate = !open.isEmpty || endsWorkflow(flow) && ending == nil
    if !isLate, endsWorkflow(flow) {
      commands = try listingCommands(flow) + [endCommand(flow, ending)]
    } else if !isLate, isLong, reachedCursor == state.arrivals.last?.event ?? state.cursor,
      flow.snapshot.status != .runnable
    {
      commands = [try continueCommand(flow)]
    } else {
      if reachedCursor > state.cursor {
        commands.append(try cursorCommand())
      }
      commands += try restingCommands(flow)
    }
    _ = try await complete(commands, goesOn: false, handsOver: isLate || flow.snapshot.status == .runnable)
  }

  /// Ends the workflow of a flow whose start is refused for good.
  func refuseStart(_ error: TemporalFlowError) async {
    await alone {
      guard phase == .open else { return }
      var command = TemporalCommand()
      command.commandType = .failWorkflowExecution
      command.failWorkflow.failure = TemporalFailure(error)
      do { _ = try await complete([command], goesOn: false) } catch { await fail(because: error) }
    }
  }

  /// Fails the task. The server gives it out again, after pauses that grow.
  private func fail(because error: any Error) async {
    var request = TemporalRespondWorkflowTaskFailedRequest()
    request.namespace = client.namespace
    request.identity = client.identity
    request.taskToken = token
    request.cause = .workflowWorkerUnhandledFailure
    let message = (error as? FlowError)?.message ?? (error as? FlowStoreError)?.message ?? "\(type(of: error))"
    request.failure = TemporalFailure(TemporalFlowError(.unavailable, message))
    phase = .closed
    // If the call fails, the task times out.
    _ = try? await shielded { [client, request] in
      try await client.call { try await $0.respondWorkflowTaskFailed(request, metadata: $1, options: $2) }
    }
  }

  /// Keeps the task of a flow whose step takes long.
  ///
  /// The server limits how long a task is kept by completions that say nothing, to 30 minutes unless set. So a marker
  /// that changes nothing is written now and then.
  func beat() async {
    await alone {
      guard phase == .open, doubt == nil else { return }
      let now = ContinuousClock.now
      guard now >= answeredAt + beatInterval / 2 else { return }
      do {
        let isSilent = now < saidAt + settings.silence
        _ = try await complete(isSilent ? [] : [try cursorCommand()], goesOn: true)
      } catch { giveUp(because: error) }
    }
  }

  /// Whether the run has so many events that the server would soon terminate the workflow.
  var isTooLong: Bool { state.lastEvent >= settings.mostEvents }

  /// Ends the task although a step is at work. The step is cancelled, and begun again in a new run.
  func interrupt() async {
    await alone {
      guard phase == .open else { return }
      await fail(because: FlowStoreError(.unavailable, "the run has \(state.lastEvent) events; a new one continues it"))
      isLost.open()
    }
  }

  /// Continues the workflow in a new run before anything of the flow is run, if this run is too long for a step. Returns
  /// whether it has done so.
  func goesOnAnew() async -> Bool {
    await alone {
      guard phase == .open, isTooLong, open.isEmpty, let stored, !endsWorkflow(stored) else { return false }
      do { _ = try await complete([try continueCommand(stored)], goesOn: false) } catch { giveUp(because: error) }
      return true
    }
  }

  /// The time between two heartbeats.
  var beatInterval: Duration { taskTimeout / 3 }

  // MARK: - Commands

  /// The marker that moves the cursor to the last event that is applied.
  private func cursorCommand() throws -> TemporalCommand {
    var command = TemporalCommand()
    command.commandType = .recordMarker
    command.recordMarker.markerName = SnapshotRecord.cursorMarker
    command.recordMarker.details = try SnapshotRecord.cursorDetails(reachedCursor)
    return command
  }

  /// The commands of a flow that goes to rest: its timer, and its place in lists.
  func restingCommands(_ flow: StoredFlow) throws -> [TemporalCommand] {
    var commands: [TemporalCommand] = []
    let isTimed = flow.snapshot.status == .waiting
    let timer = isTimed ? flow.snapshot.wakeAt.map { "wake-\($0.wholeMicroseconds)" } : nil
    for old in state.timers where old != timer {
      var command = TemporalCommand()
      command.commandType = .cancelTimer
      command.cancelTimer.timerID = old
      commands.append(command)
    }
    if let timer, !state.timers.contains(timer), let wakeAt = flow.snapshot.wakeAt {
      let time = max(wakeAt.timeIntervalSince(settings.clock.now), 0.01)
      var command = TemporalCommand()
      command.commandType = .startTimer
      command.startTimer.timerID = timer
      command.startTimer.startToFireTimeout.seconds = Int64(min(time, 100 * 365 * 86_400))
      command.startTimer.startToFireTimeout.nanos = Int32(time.truncatingRemainder(dividingBy: 1) * 1e9)
      commands.append(command)
    }
    return commands + (try listingCommands(flow))
  }

  /// The commands that bring lists up to date: only if a list would show the flow elsewhere.
  private func listingCommands(_ flow: StoredFlow) throws -> [TemporalCommand] {
    let summary = SummaryRecord(flow)
    if let listed, summary.isListed(like: listed) { return [] }
    var memo = TemporalCommand()
    memo.commandType = .modifyWorkflowProperties
    memo.modifyProperties.upsertedMemo.fields[SummaryRecord.key] = try .json(encoding: summary)
    guard settings.hasSearchAttributes else { return [memo] }
    var attributes = TemporalCommand()
    attributes.commandType = .upsertWorkflowSearchAttributes
    attributes.upsertSearchAttributes.searchAttributes = try summary.searchAttributes()
    return [memo, attributes]
  }

  private func endCommand(_ flow: StoredFlow, _ ending: FlowView?) -> TemporalCommand {
    var command = TemporalCommand()
    switch flow.snapshot.status {
    case .finished:
      command.commandType = .completeWorkflowExecution
      command.completeWorkflow = TemporalCompleteWorkflowAttributes()
      if let output = ending?.output { command.completeWorkflow.result = TemporalPayloads(.json(output)) }
    case .failed:
      command.commandType = .failWorkflowExecution
      command.failWorkflow.failure = TemporalFailure(
        TemporalFlowError(
          TemporalFlowError.Code(rawValue: "stepFailed"), ending?.failure ?? "a step of the flow has failed"))
    default:
      command.commandType = .cancelWorkflowExecution
      command.cancelWorkflow = TemporalCancelWorkflowAttributes()
      if let reason = ending?.reason, let payload = try? TemporalPayload.json(encoding: reason) {
        command.cancelWorkflow.details = TemporalPayloads(payload)
      }
    }
    return command
  }

  /// The command that continues the workflow in a new run, which begins with the snapshot.
  private func continueCommand(_ flow: StoredFlow) throws -> TemporalCommand {
    let summary = SummaryRecord(flow)
    let record = SnapshotRecord(
      revision: flow.revision.number, commit: lastCommit ?? CommitID(),
      changedAt: flow.changedAt.wholeMicroseconds, cursor: 0)
    var command = TemporalCommand()
    command.commandType = .continueAsNewWorkflowExecution
    command.continueAsNew.workflowType.name = state.definition
    command.continueAsNew.taskQueue.name = state.queue.isEmpty ? settings.queue : state.queue
    command.continueAsNew.input = try record.input(flow.snapshot.encoded())
    command.continueAsNew.workflowTaskTimeout = Google_Protobuf_Duration(of: taskTimeout)
    command.continueAsNew.memo = state.memo
    command.continueAsNew.memo.fields[SummaryRecord.key] = try .json(encoding: summary)
    command.continueAsNew.searchAttributes = state.searchAttributes
    if settings.hasSearchAttributes {
      let own = try summary.searchAttributes().indexedFields
      command.continueAsNew.searchAttributes.indexedFields.merge(own) { $1 }
    }
    return command
  }
}
