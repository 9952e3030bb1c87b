import ActorFlow
import ActorFlowHosting
import GRPCCore
@testable import TemporalFlows
import TemporalProtocol
import Testing

@Suite struct RequestTests {
  private func update(
    _ verb: UpdateVerb, _ arguments: UpdateArguments, json: String = "1", id: String = "key"
  ) throws -> TemporalUpdateRequest {
    var request = TemporalUpdateRequest()
    request.meta.updateID = id
    request.input.name = verb.rawValue
    request.input.args = TemporalPayloads(try .json(encoding: arguments), .json(Array(json.utf8)))
    return request
  }

  private func write(_ requests: FlowWrite.Request...) -> FlowWrite {
    FlowWrite(
      FlowSnapshot(definition: "checkout", version: 1, status: .waiting), to: "order-1", expecting: .none,
      carrying: requests)
  }

  @Test func anAnswerIsCarriedByTheWriteThatNamesItsKey() throws {
    let request = try TaskRequest(update(.answer, UpdateArguments(key: "key")), message: ("message", 3))
    #expect(request.isCarried(by: write(.init(.answer, key: "key"))))
    #expect(!request.isCarried(by: write(.init(.answer, key: "other"))))
    #expect(!request.isCarried(by: write(.init(.backUp, key: "key"))))
    #expect(!request.isCarried(by: write()))
  }

  @Test func aSignalIsCarriedUnderItsNameAndKey() throws {
    let request = try TaskRequest(
      update(.send, UpdateArguments(key: "event-17", signal: "paid"), id: "send paid event-17"), message: nil)
    #expect(request.isCarried(by: write(.init(.signal, key: "4 paid event-17"))))
    #expect(!request.isCarried(by: write(.init(.signal, key: "4 sent event-17"))))
  }

  @Test func anUnknownUpdateIsRefused() {
    var request = TemporalUpdateRequest()
    request.input.name = "explode"
    #expect(throws: TemporalFlowError.self) { try TaskRequest(request, message: nil) }
  }

  @Test func theDigestTellsAnswersApartAndNotTheOrderOfRoles() throws {
    let ann = Principal(id: "ann", roles: ["a", "b", "c"])
    let digest = try update(.answer, UpdateArguments(key: "key", question: "q", by: ann)).digest
    let same = try update(.answer, UpdateArguments(key: "key", question: "q", by: Principal(id: "ann"))).digest
    let other = try update(.answer, UpdateArguments(key: "key", question: "q", by: Principal(id: "bob"))).digest
    let changed = try update(.answer, UpdateArguments(key: "key", question: "q", by: ann), json: "2").digest
    #expect(digest == same)
    #expect(digest != other)
    #expect(digest != changed)
  }

  /// A stream that the server closes in the middle of a call says nothing of the call.
  @Test func aClosedStreamIsNoRefusal() {
    #expect(CallOutcome(RPCError(code: .unavailable, message: "Stream unexpectedly closed.")) == .unknown)
    #expect(CallOutcome(RPCError(code: .internalError, message: "no status")) == .unknown)
    #expect(CallOutcome(CancellationError()) == .unknown)
    #expect(CallOutcome(RPCError(code: .notFound, message: "")) == .gone)
    #expect(CallOutcome(RPCError(code: .invalidArgument, message: "UnhandledCommand")) == .refused)
  }

  @Test func anErrorOfAGuardTellsOnlyItsType() throws {
    struct Secret: Error { let password = "hunter2" }
    let error = try #require(TemporalFlowError.refusal(Secret(), ofAnswer: true))
    #expect(error.code == .invalid)
    #expect(!error.message.contains("hunter2"))
    #expect(TemporalFlowError.refusal(Refusal.notAllowed("no"), ofAnswer: true)?.code == .notAllowed)
    #expect(TemporalFlowError.refusal(FlowStoreError(.fenced, "over"), ofAnswer: true) == nil)
    #expect(TemporalFailure(error).flowError == error)
  }

  /// A codec that is away for a moment neither burns the id of a flow nor drops a signal or an answer.
  @Test func anErrorOfACodecIsNoRefusal() throws {
    struct Away: Error {}
    struct AwayCodec: BodyCodec {
      func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw Away() }
      func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw ErasedKey() }
    }
    #expect(TemporalFlowError.refusal(Away(), ofAnswer: false) == nil)
    let (codec, flow) = (WorkerCodec(codec: AwayCodec()), CodedFlow(id: "order-1"))
    let away = try #require(throws: FlowStoreError.self) { try codec.encode([], of: flow) }
    #expect(TemporalFlowError.refusal(away, ofAnswer: true) == nil)
    let erased = try #require(throws: ErasedKey.self) { try codec.decode([], of: flow) }
    #expect(TemporalFlowError.refusal(erased, ofAnswer: false)?.code.rawValue == "erased")
  }

  @Test func anAPIKeyIsNotSentInPlainText() {
    #expect(throws: TemporalFlowError.self) { try TemporalClient(host: "127.0.0.1", apiKey: "secret") }
    #expect(throws: Never.self) { try TemporalClient(host: "127.0.0.1", security: .tls(), apiKey: "secret") }
  }

  @Test func badOptionsAreRefused() throws {
    let client = try TemporalClient(host: "127.0.0.1")
    var options = TemporalFlowWorker.Options()
    options.runEvents = 10
    #expect(throws: TemporalFlowError.self) { try TemporalFlowWorker(client: client, queue: "q", options: options) }
    #expect(throws: TemporalFlowError.self) { try TemporalFlowWorker(client: client, queue: "q", pollers: 0) }
  }

  /// An id that a host refuses is refused here with its code, before the server is called.
  @Test(arguments: ["", "order\u{0}1", String(repeating: "x", count: 513)])
  func anIDThatAHostRefusesIsRefused(_ id: String) async throws {
    let server = try InMemoryServer("order", definition: "counting", input: "0")
    let flows = TemporalFlows(client: server.client, queue: "queue")
    let host = FlowHost(store: MemoryFlowStore())
    let counting = try await host.register(TestFlows.counting)
    let expected = await #expect(throws: FlowError.self) { _ = try await counting.start(id: FlowID(id), with: 0) }
    let code = try #require(expected?.code)
    let refused = await #expect(throws: TemporalFlowError.self) {
      try await flows.start("counting", id: FlowID(id), with: 0)
    }
    #expect(refused?.code.rawValue == "\(code)")
    let unknown = await #expect(throws: TemporalFlowError.self) { try await flows.abandon(FlowID(id)) }
    #expect(unknown?.code == .noSuchFlow)
    let unseen = await #expect(throws: TemporalFlowError.self) { _ = try await flows.view(FlowID(id)) }
    #expect(unseen?.code == .noSuchFlow)
  }

  @Test func aKeyThatAHostRefusesIsRefused() async throws {
    let server = try InMemoryServer("order", definition: "counting", input: "0")
    let flows = TemporalFlows(client: server.client, queue: "queue")
    func code(_ key: String) async -> TemporalFlowError.Code? {
      await #expect(throws: TemporalFlowError.self) { try await flows.abandon("order", key: key) }?.code
    }
    #expect(await code("") == .notStorable)
    #expect(await code(String(repeating: "k", count: 257)) == .tooLarge)
    // The server is called, and knows no such workflow.
    server.change { $0.statuses = [.completed] }
    #expect(await code(String(repeating: "k", count: 256)) == .flowEnded)
  }

  @Test func slotsAreGivenOneByOne() async {
    let slots = Slots(1)
    #expect(await slots.take())
    async let second = slots.take()
    slots.give()
    #expect(await second)
    let waiter = Task { await slots.take() }
    waiter.cancel()
    #expect(await !waiter.value)
  }
}
