import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Testing

/// The verbs of an operator, each called for the flow `f`, and always under the same key.
enum OperatorVerb: CaseIterable, Sendable {
  case reassign, complete, enter, edit, retry, note, refresh, move, compensateAgain, backUp, abandon, redact, delete
  /// Abandons each flow of the definition.
  case each

  static let principal = Principal(id: "ann")

  /// Returns `ok`, or the code of the error that the verb throws.
  func word(at host: FlowHost) async -> String {
    do {
      try await perform(at: host)
      return "ok"
    } catch let error as FlowError {
      return "\(error.code)"
    } catch let error as FlowStoreError {
      if error.code == .leased {
        #expect(error.retryAfter != nil)
        #expect("\(error)".contains("another host runs the flow"), "\(error)")
      }
      return "\(error.code)"
    } catch { return "\(error)" }
  }

  private func perform(at host: FlowHost) async throws {
    let flow = host.flow("f", by: Self.principal)
    switch self {
    case .reassign:
      // Branches ask in any order.
      let questions = try await host.flow("f").view().questions
      let question = questions.first { $0.step.name != "beside" }?.id ?? Question.ID(flow: "f", run: 1, number: 9)
      try await flow.reassign(question, to: ["bob"], reason: "ill", key: "k")
    case .complete: try await flow.complete("second", output: "\"made\"".utf8, reason: "by hand", key: "k")
    case .enter: try await flow.enter("second", input: "\"anew\"".utf8, reason: "wrong", key: "k")
    case .edit: try await flow.edit([.input(of: "second") { (text: String) in text + "+" }], reason: "typo", key: "k")
    case .retry: try await flow.retry(reason: "again", key: "k")
    case .note: try await flow.note("seen", key: "k")
    case .refresh: try await flow.refresh(reason: "new text", key: "k")
    case .move: try await flow.move(reason: "the new version", key: "k")
    case .compensateAgain: try await flow.compensateAgain(reason: "mended", key: "k")
    case .backUp: try await flow.backUp(reason: "wrong", key: "k")
    case .abandon: try await flow.abandon(reason: "over", key: "k")
    case .redact: try await flow.redact(reason: "request 17")
    case .delete: try await flow.delete()
    case .each:
      let report = try await host.each(FlowQuery(definition: "f"), by: Self.principal) { flow in
        try await flow.abandon(reason: "over", key: "k")
      }
      #expect(report.items.map(\.flow.id) == ["f"])
      if let error = report.failed.first?.error ?? report.stopped { throw error }
    }
  }
}
