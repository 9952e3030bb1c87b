import ActorFlow
import ActorFlowHosting

extension FlowHost {
  /// Waits until the flow is settled, however busy the machine is. The library's `settled` waits ten seconds and then
  /// returns the page as it is; while all tests run at once a flow may need longer for its next question.
  func settled(_ id: FlowID) async throws -> FlowView { try await settled(id, within: .seconds(600)) }
}
