import ActorFlow
import ActorFlowHosting
import GRPCCore
@testable import TemporalFlows
import Testing

/// Calls that no connection takes.
@Suite(.timeLimit(.minutes(2))) struct UnsentCallTests {
  /// Nothing listens at port 1. Each call says where it was to go, and that nothing was done.
  @Test func anAddressAtWhichNothingListensIsUnavailable() async throws {
    let client = try TemporalClient(host: "127.0.0.1", port: 1)
    let flows = TemporalFlows(client: client, queue: "queue")
    try await withThrowingTaskGroup { group in
      group.addTask { try await client.run() }
      await TemporalClient.$patience.withValue(.milliseconds(200)) {
        let calls: [() async throws -> Void] = [
          { _ = try await client.serverVersion() },
          { try await flows.start("checkout", id: "order-1", with: "tea") },
          { try await flows.abandon("order-1") },
          { _ = try await flows.view("order-1") },
          { _ = try await flows.history(of: "order-1") },
        ]
        for call in calls {
          let error = await #expect(throws: TemporalFlowError.self) { try await call() }
          #expect(error?.code == .unavailable)
          #expect(error?.message.contains("127.0.0.1:1;") == true || error?.message.contains("127.0.0.1:1 (") == true)
        }
        let error = await #expect(throws: FlowStoreError.self) { _ = try await flows.list() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("127.0.0.1:1") == true)
      }
      group.cancelAll()
    }
  }

  /// A call is sent or given up, and never both.
  @Test func aCallThatIsGivenUpIsNotSent() throws {
    let isConnected = Latch()
    let (given, sent) = (CallAttempt(opening: isConnected), CallAttempt(opening: isConnected))
    #expect(given.giveUp())
    #expect(throws: RPCError.self) { try given.send() }
    #expect(!isConnected.isOpen)
    try sent.send()
    #expect(!sent.giveUp())
    #expect(isConnected.isOpen)
  }

  /// Behind an attempt that may have been done, a call that is not sent says nothing of the request.
  @Test(arguments: [true, false]) func aRequestThatMayHaveBeenSentIsInDoubt(isSent: Bool) async throws {
    let server = try InMemoryServer("order", definition: "checkout", input: "{}")
    let closed = RPCError(code: .unavailable, message: "Stream unexpectedly closed.")
    server.change { $0.updateErrors = isSent ? [closed, InMemoryServer.unsent] : [InMemoryServer.unsent] }
    var options = TemporalFlows.Options()
    options.requestTime = .milliseconds(60)
    let flows = TemporalFlows(client: server.client, queue: "queue", options: options)
    let error = await #expect(throws: TemporalFlowError.self) { try await flows.abandon("order") }
    #expect(error?.code == (isSent ? .outcomeUnknown : .unavailable))
  }
}
