import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

@Suite("A back whose backUps throw, hosted", .timeLimit(.minutes(15))) struct BackWithErrorsTests {
  /// Charges, and cannot refund.
  private actor Payment: FlowStep {
    private let log: Log
    init(_ log: Log) { self.log = log }

    func proceed(_ input: String, context: StepContext) async throws -> String {
      try await context.once("charge") { [log] key in log.add(key) }
      return input
    }

    func backUp(context: RollbackContext) throws { throw Boom() }
  }

  @Test("the flow lands and continues: the caller gets the errors, the history has them, and the backUp is owed")
  func lands() async throws {
    let charges = Log()
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow("order") {
      Step("card") { Asker() }
      Step("pay") { Payment(charges) }
      Step("sign") { Asker() }
    }
    try await host.register(flow).start(id: "o", with: "-")
    try await host.answerNext("o", "\"x\"")
    let error = await #expect(throws: FlowError.self) { try await host.flow("o").backUp() }
    #expect(error?.code == .rollbackFailed && error?.underlyingErrors.map { $0 is Boom } == [true])
    let landed = try await host.flow("o").settled()
    #expect(landed.status == .waiting && landed.steps == ["order/card"])
    #expect(landed.rollbackFailed && landed.undoFailures.map(\.step) == ["order/pay"])
    #expect(await code { try await host.flow("o").retry() } == .notSuspended)
    let entry = try #require(try await host.flow("o").history().first { $0.what == "backedUp" })
    #expect(entry.step == "order/card" && entry.detail == "\(Boom())")
    try await host.answerNext("o", "\"x\"")
    #expect(charges.all.count == 2 && Set(charges.all).count == 2, "\(charges.all)")
  }
}
