import ActorFlow
import ActorFlowHosting
import GRPCCore
import SwiftProtobuf
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// What comes between two steps of the worker, played in each place by a server in memory.
@Suite(.timeLimit(.minutes(1))) struct RaceTests {
  private let server: InMemoryServer
  private let settings: SessionSettings

  init() throws {
    server = try InMemoryServer("order", definition: "checkout", input: "{}")
    settings = try TemporalFlowWorker(client: server.client, queue: "queue").settings
  }

  private func session(_ task: TemporalPollWorkflowTaskQueueResponse) throws -> TaskSession {
    var state = RunState(of: server.id)
    try state.add(task.history.events)
    let lease = FlowLease(id: server.id, owner: "worker", fence: Fence(2))
    return try TaskSession(task, state, lease: lease, client: server.client, settings: settings)
  }

  private static func write(
    _ status: FlowSnapshot.Status = .waiting, after stored: StoredFlow? = nil, _ requests: FlowWrite.Request...,
    releasing releases: Bool = false
  ) -> FlowWrite {
    FlowWrite(
      FlowSnapshot(definition: "checkout", version: 1, status: status), to: "order",
      expecting: stored?.revision ?? .none, carrying: requests, releasing: releases)
  }

  private static func update(_ id: String, _ verb: UpdateVerb = .backUp) throws -> TemporalProtocolMessage {
    var request = TemporalUpdateRequest()
    request.meta.updateID = id
    request.input.name = verb.rawValue
    request.input.args = TemporalPayloads(try .json(encoding: UpdateArguments(key: id)))
    return try message(of: request)
  }

  private static func message(of request: TemporalUpdateRequest) throws -> TemporalProtocolMessage {
    let id = request.meta.updateID
    var message = TemporalProtocolMessage()
    (message.id, message.protocolInstanceID, message.eventID) = ("\(id)/request", id, 2)
    message.body.value = try request.serializedBytes()
    return message
  }

  // MARK: - Updates

  /// Updates are decided while the completion that accepts them is on its way: each is accepted once.
  @Test(arguments: [true, false]) func anUpdateDecidedDuringItsAcceptanceIsAcceptedOnce(succeeds: Bool) async throws {
    let session = try session(server.task())
    await session.receive([try Self.update("one")])
    let request = try #require(await session.open["update one"]?.request)
    server.onCompletion { number, _ in
      if number == 1 {
        let result = UpdateResult(revision: 1, delivery: nil, digest: "")
        await session.decide(request, succeeds ? .success(result) : .failure(TemporalFailure()))
      }
      return .taken
    }
    _ = try await session.commit(Self.write())
    await session.finish(nil)
    let now = server.now
    #expect(now.problems == [])
    #expect(now.completions.map { $0.says(of: "one") } == [["accept"], ["complete"]])
    #expect(now.completedUpdates == ["one"])
  }

  /// An update that comes with the last heartbeat before the end of the flow is handed over, and neither rejected nor
  /// forgotten.
  @Test func anUpdateThatComesAtTheEndIsHandedOver() async throws {
    let session = try session(server.task())
    _ = try await session.commit(Self.write(.abandoned))
    #expect(await session.isEnding)
    await session.receive([try Self.update("late")])
    await session.finish(nil)
    let last = try #require(server.now.completions.last)
    #expect(last.says(of: "late") == ["accept"])
    #expect(last.forceCreateNewWorkflowTask)
    #expect(last.commands.map(\.commandType) == [.protocolMessage, .modifyWorkflowProperties])
    // The next task completes it, and ends the workflow.
    let next = try self.session(server.task())
    await next.receive([])
    let request = try #require(await next.open["update late"]?.request)
    await next.decide(request, .failure(TemporalFailure(TemporalFlowError(.flowEnded, "over"))))
    await next.finish(nil)
    #expect(server.now.completions.last?.says(of: "late") == ["complete"])
    #expect(server.now.problems == [])
  }

  /// An update comes with the reply to the flow's last commit: its sender learns that the flow has ended.
  @Test func anUpdateAfterTheLastCommitIsRefusedBeforeTheEnd() async throws {
    let server = try InMemoryServer("order", definition: "failing", input: #""in""#)
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    let works = Switch()
    works.turnOn()
    try await worker.register(TestFlows.failing(works))
    let late = try Self.update("late")
    server.onCompletion { _, request in
      let snapshots = request.commands.compactMap { try? SnapshotRecord.read($0.recordMarker.details).1 }
      let isLast = snapshots.contains { (try? FlowSnapshot(decoding: $0))?.status == .finished }
      if isLast { server.change { $0.updates.append(late) } }
      return .taken
    }
    await worker.handle(server.task())
    let last = try #require(server.now.completions.last)
    #expect(last.endsWorkflow)
    #expect(last.says(of: "late") == ["reject"])
    #expect(server.now.problems == [])
    #expect(server.now.failures == [])
  }

  /// A workflow that does not take an update may be between two runs. Only when the latest is closed has the flow ended.
  @Test func aCallerIsToldOfTheEndOnlyOfTheLatestRun() async throws {
    server.change { $0.statuses = [.continuedAsNew, .running, .completed] }
    let flows = TemporalFlows(client: server.client, queue: "queue")
    let error = await #expect(throws: TemporalFlowError.self) { try await flows.abandon("order", key: "one") }
    #expect(error?.code == .flowEnded)
    #expect(server.now.descriptions == 3)
  }

  /// An answer takes one call of its caller, one poll and one completion of the worker.
  @Test func anAnswerIsAcknowledgedByTheFirstCompletion() async throws {
    let server = try InMemoryServer("order", definition: "counting", input: "0")
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await worker.register(TestFlows.counting)
    await worker.handle(server.task())
    let flows = TemporalFlows(client: server.client, queue: "queue")
    let question = try #require(try await flows.view("order").questions.first)
    var request = TemporalUpdateRequest()
    request.meta.updateID = "one"
    request.input.name = UpdateVerb.answer.rawValue
    let arguments = UpdateArguments(key: "one", question: "\(question.id)")
    request.input.args = TemporalPayloads(try .json(encoding: arguments), .json(Array("7".utf8)))
    let before = server.now.completions.count
    let answer = try Self.message(of: request)
    server.change { $0.updates.append(answer) }
    await worker.handle(server.timeOut())
    #expect(server.now.completions[before].says(of: "one") == ["accept", "complete"])
    #expect(server.now.problems == [])
  }

  // MARK: - Sessions

  /// The next task comes when the one before is completed, and its flow has not left the worker yet.
  @Test func aTaskWaitsForTheSessionBefore() async throws {
    let server = try InMemoryServer("order", definition: "counting", input: "0")
    let worker = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await worker.register(TestFlows.counting)
    let before = try session(server.task())
    await before.finish(nil)
    #expect(await before.phase == .closed)
    worker.store.open(before)
    async let handled: Void = worker.handle(server.timeOut())
    while before.isOver.waiterCount == 0, server.now.failures.isEmpty { await Task.yield() }
    #expect(server.now.failures == [])
    worker.store.close(before)
    before.isOver.open()
    await handled
    #expect(try server.now.snapshots.last?.status == .waiting)
    #expect(server.now.failures == [])
  }

  // MARK: - Lost replies

  /// The server has done a completion and closed the connection before the reply: the commit counts, once.
  @Test(arguments: [true, false]) func aCommitWhoseReplyIsLostIsStoredOnce(isLast: Bool) async throws {
    let session = try session(server.task())
    server.onCompletion { number, _ in number == 1 ? .takenWithoutReply : .taken }
    let stored = try await session.commit(Self.write(releasing: isLast))
    #expect(stored.revision == Revision(1))
    #expect(try server.now.snapshots.count == 1)
    #expect(server.now.completions.count == 2)
    // A new task was in the lost reply.
    #expect(await session.phase == (isLast ? .closed : .lost))
    #expect(session.isLost.isOpen == !isLast)
  }

  /// Behind the lost reply another worker has committed: nobody can tell from the last commit what became of this one.
  @Test func aCommitBehindWhichAnotherOneStandsIsInDoubt() async throws {
    let session = try session(server.task())
    let server = server
    server.onCompletion { number, _ in
      if number == 2 {
        var marker = TemporalMarkerRecordedAttributes()
        marker.markerName = SnapshotRecord.marker
        let record = SnapshotRecord(revision: 2, commit: CommitID(), changedAt: 0, cursor: 0)
        let snapshot = FlowSnapshot(definition: "checkout", version: 1, status: .waiting)
        marker.details = (try? record.details(snapshot.encoded(), history: [])) ?? [:]
        server.write(.markerRecorded(marker))
      }
      return number == 1 ? .takenWithoutReply : .taken
    }
    let error = await #expect(throws: FlowStoreError.self) { try await session.commit(Self.write()) }
    #expect(error?.code == .outcomeUnknown)
    #expect(await session.phase == .lost)
  }

  /// A server that has never known the token has done nothing: the commit is fenced, and not in doubt.
  @Test func aCommitUnderALostTokenIsFenced() async throws {
    let session = try session(server.task())
    _ = server.timeOut()
    let error = await #expect(throws: FlowStoreError.self) { try await session.commit(Self.write()) }
    #expect(error?.code == .fenced)
    #expect(session.isLost.isOpen)
    #expect(server.now.completions.count == 1)
  }

  /// An answer whose acknowledgement was in the lost reply is in the history with its outcome, and is not applied again.
  @Test func aRequestInALostReplyIsApplied() async throws {
    let session = try session(server.task())
    await session.receive([try Self.update("one", .abandon)])
    server.onCompletion { number, _ in number == 1 ? .takenWithoutReply : .taken }
    _ = try await session.commit(Self.write(.waiting, .init(.abandon, key: "one")))
    await session.finish(nil)
    #expect(server.now.completedUpdates == ["one"])
    let next = try self.session(server.timeOut())
    await next.receive([])
    #expect(await next.open.isEmpty)
    #expect(await next.stored?.revision == Revision(1))
  }
}
