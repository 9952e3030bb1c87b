import ActorFlow
import Testing

/// The code in the doc comments of scopes.
private enum ScopeSnippets {
  struct Rate: Sendable, Equatable {
    static let standard = Rate()
  }

  actor Gateway {
    private var refusals = 2
    func charge(_ amount: Int) throws -> String {
      refusals -= 1
      if refusals >= 0 { throw Refused() }
      return "charged \(amount)"
    }
  }

  actor PaymentStep: FlowStep {
    private let gateway: Gateway
    init(_ gateway: Gateway) { self.gateway = gateway }
    func proceed(_ amount: Int, context: StepContext) async throws -> String { try await gateway.charge(amount) }
    func backUp(context: RollbackContext) {}
  }

  actor RateStep: FlowStep {
    func proceed(_ currency: String, context: StepContext) async throws -> Rate { throw Refused() }
    func backUp(context: RollbackContext) {}
  }

  static func paying(_ gateway: Gateway) -> Flow<Int, String> {
    Step("payment") { PaymentStep(gateway) }
      .retry(3, backoff: .exponential(from: .milliseconds(100)))
  }

  static var rating: Flow<String, Rate> {
    Step("rate") { RateStep() }.recover { error in Rate.standard }
  }
}

@Suite("Doc comments: scopes") struct ScopeSnippetTests {
  @Test("the retry and the recovery of the doc comments stand around their steps")
  func around() {
    #expect(ScopeSnippets.paying(ScopeSnippets.Gateway()).steps == ["payment"])
    #expect(ScopeSnippets.rating.steps == ["rate"])
  }
}
