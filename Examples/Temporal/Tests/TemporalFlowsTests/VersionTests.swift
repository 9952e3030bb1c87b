import ActorFlow
import ActorFlowHosting
import SwiftProtobuf
@testable import TemporalFlows
import TemporalProtocol
import Testing

/// Workers of two versions at one queue, of which the server gives a task to either.
@Suite(.timeLimit(.minutes(1))) struct VersionTests {
  private let server: InMemoryServer
  private let (old, new): (TemporalFlowWorker, TemporalFlowWorker)

  init() async throws {
    server = try InMemoryServer("count", definition: "counting", input: "0")
    old = try TemporalFlowWorker(client: server.client, queue: "queue")
    new = try TemporalFlowWorker(client: server.client, queue: "queue")
    try await old.register(TestFlows.counting)
    try await new.register(TestFlows.counting, version: 2, from: 1)
  }

  private static func abandon() throws -> TemporalProtocolMessage {
    var request = TemporalUpdateRequest()
    request.meta.updateID = "one"
    request.input.name = "abandon"
    request.input.args = TemporalPayloads(try .json(encoding: UpdateArguments(key: "one")))
    var message = TemporalProtocolMessage()
    (message.id, message.protocolInstanceID, message.eventID) = ("one/request", "one", 2)
    message.body.value = try request.serializedBytes()
    return message
  }

  /// A worker that lacks the version of a flow hands its task over with the request in it, without a failure.
  @Test func aTaskOfANewerVersionIsHandedOver() async throws {
    await new.handle(server.task())
    #expect(try server.now.snapshots.last?.version == 2)
    let abandon = try Self.abandon()
    server.change { $0.updates = [abandon] }
    let snapshots = try server.now.snapshots
    await old.handle(server.timeOut())
    let last = try #require(server.now.completions.last)
    #expect(last.says(of: "one") == ["accept"])
    #expect(last.forceCreateNewWorkflowTask && !last.returnNewWorkflowTask)
    #expect(try server.now.snapshots == snapshots)
    await new.handle(server.task())
    #expect(server.now.completedUpdates == ["one"])
    #expect(try server.now.snapshots.last?.status == .abandoned)
    #expect((server.now.failures, server.now.problems) == ([], []))
  }

  /// If no worker has the version, the server is to pause between its attempts.
  @Test func aTaskThatNoWorkerTakesIsFailedAtLast() async throws {
    await new.handle(server.task())
    let abandon = try Self.abandon()
    server.change { $0.updates = [abandon] }
    var tasks = 0
    while server.now.failures.isEmpty, tasks < 100 {
      await old.handle(tasks == 0 ? server.timeOut() : server.task())
      tasks += 1
    }
    #expect(tasks < 30)
    #expect(server.now.problems == [])
  }

  /// So it is with a definition that the worker does not have at all.
  @Test func aTaskOfAnUnknownDefinitionIsHandedOver() async throws {
    let other = try TemporalFlowWorker(client: server.client, queue: "queue")
    await other.handle(server.task())
    #expect(server.now.completions.last?.forceCreateNewWorkflowTask == true)
    await new.handle(server.task())
    #expect(try server.now.snapshots.last?.status == .waiting)
    #expect(server.now.failures == [])
  }
}
