internal import ActorFlow
internal import ActorFlowHosting
internal import Logging
internal import SwiftProtobuf
internal import TemporalProtocol

// The course of a task: its requests are carried out, and the flow runs until it only waits.
extension TemporalFlowWorker {
  func handle(_ task: TemporalPollWorkflowTaskQueueResponse) async {
    let (id, began) = (FlowID(task.workflowExecution.workflowID), ContinuousClock.now)
    do {
      var state = RunState(of: id)
      try await client.add(task, to: &state)
      while let session = store.session(of: id) {
        // The server has given the task out again although this worker has not ended it.
        if await session.goOn(with: task, state) { return }
        // The task before is over, and its flow is about to leave memory here. A step that goes on although it is
        // cancelled keeps the flow for itself.
        guard await session.isOver.wait(state.taskTimeout ?? settings.taskTimeout) else {
          throw FlowStoreError(.unavailable, "a step of the flow still runs under a task that is over")
        }
      }
      let lease = FlowLease(id: id, owner: client.identity, fence: Fence(2))
      let session = try TaskSession(task, state, lease: lease, client: client, settings: settings, givenAt: began)
      store.open(session)
      await run(session, task.messages)
      store.close(session)
      session.isOver.open()
    } catch {
      log("a task cannot be carried out", id, error)
      await TaskSession.fail(task, because: error, client: client)
    }
  }

  private func run(_ session: TaskSession, _ messages: [TemporalProtocolMessage]) async {
    await withTaskGroup { group in
      group.addTask { await keepBeating(session) }
      group.addTask { await giveUpWhenLost(session) }
      // Before the first commit, which says of each update that it was seen. They are carried out after the start.
      await session.receive(messages)
      let isContinued = await session.goesOnAnew()
      // The flow may have waited here for the end of the session before, and the task be over by now.
      await session.beat()
      if !isContinued, await begin(session) {
        group.addTask { await perform(session) }
        await work(session)
      }
      await session.endRequests()
      await session.finish(await ending(of: session))
      group.cancelAll()
    }
  }

  /// The flow as it has ended, for the result of its workflow; `nil` if the workflow goes on.
  ///
  /// A view that fails, such as for a codec that is away, gives the task up: the workflow would end without its result.
  private func ending(of session: TaskSession) async -> FlowView? {
    guard await session.isEnding else { return nil }
    do { return try await host.flow(session.id).view() } catch {
      log("the result of a flow cannot be read", session.id, error)
      await session.giveUp(because: error)
      return nil
    }
  }

  /// Starts the flow if that has not been done. Returns false if it cannot be.
  private func begin(_ session: TaskSession) async -> Bool {
    guard await session.stored == nil else { return true }
    let (definition, start) = await (session.state.definition, session.state.start)
    do {
      guard let start else { throw FlowStoreError(.corrupted, "the workflow has neither a start nor a snapshot") }
      try await host.start(
        definition, id: session.id, json: start.input, labels: start.record.labels,
        effectSeed: start.record.effectSeed, by: start.record.by)
      return true
    } catch {
      log("a flow cannot be started", session.id, error)
      let isUnknown = (error as? FlowError)?.code == .noSuchFlow
      if !isUnknown, let refusal = TemporalFlowError.refusal(error, ofAnswer: false) {
        await session.refuseStart(refusal)
      } else {
        await session.giveUp(because: error)
        if isUnknown { await session.isServedElsewhere() }
      }
      return false
    }
  }

  /// Runs the flow until it is at rest and no request is open, or its task is over.
  private func work(_ session: TaskSession) async {
    repeat {
      await session.settled()
      guard let leased = await session.nextWork(at: settings.clock.now) else { return }
      do { try await host.work(on: leased) } catch {
        // After a conflict, the flow is read again.
        if (error as? FlowStoreError)?.code == .conflict { continue }
        log("a flow cannot go on here", session.id, error)
        await session.giveUp(because: error)
      }
    } while await session.isOpen
  }

  private func keepBeating(_ session: TaskSession) async {
    let interval = await session.beatInterval
    while !Task.isCancelled, await session.isOpen {
      do { try await Task.sleep(for: interval) } catch { return }
      if await session.isTooLong { await session.interrupt() } else { await session.beat() }
    }
  }

  private func perform(_ session: TaskSession) async {
    await withDiscardingTaskGroup { group in
      for await request in session.requests {
        group.addTask {
          await perform(request, of: session)
          await session.isDone(request)
        }
      }
    }
  }

  func log(_ what: Logger.Message, _ id: FlowID, _ error: any Error) {
    if TaskSession.isEnding(error) { return }
    let text = (error as? FlowError)?.message ?? (error as? FlowStoreError)?.message ?? "\(type(of: error))"
    options.logger.warning(what, metadata: ["flow": "\(id)", "error": "\(text)"])
  }
}

extension TaskSession {
  /// Whether the workflow is about to be ended with the flow.
  var isEnding: Bool { phase == .open && stored.map(endsWorkflow) == true }

  /// Goes on under a task that the server has given out in place of this session's. Returns false if the flow was
  /// written meanwhile, or if the session is over.
  func goOn(with task: TemporalPollWorkflowTaskQueueResponse, _ newer: RunState) async -> Bool {
    await alone {
      guard phase == .open, doubt == nil, task.workflowExecution.runID == execution.runID,
        newer.record?.revision ?? 0 == stored?.revision.number ?? 0, newer.record?.commit == lastCommit
      else {
        if phase == .open { phase = .lost }
        return false
      }
      state = newer
      await take(task)
      return true
    }
  }

  /// Fails a task for which there is no session.
  static func fail(
    _ task: TemporalPollWorkflowTaskQueueResponse, because error: any Error, client: TemporalClient
  ) async {
    var request = TemporalRespondWorkflowTaskFailedRequest()
    request.namespace = client.namespace
    request.identity = client.identity
    request.taskToken = task.taskToken
    request.cause = .workflowWorkerUnhandledFailure
    let message = (error as? FlowError)?.message ?? (error as? FlowStoreError)?.message ?? "\(type(of: error))"
    request.failure = TemporalFailure(TemporalFlowError(.unavailable, message))
    // If the call fails, the task times out.
    _ = try? await shielded { [request] in
      try await client.call { try await $0.respondWorkflowTaskFailed(request, metadata: $1, options: $2) }
    }
  }
}
