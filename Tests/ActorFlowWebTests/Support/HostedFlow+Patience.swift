import ActorFlow
import ActorFlowHosting

extension HostedFlow {
  /// Waits until the flow is settled, however busy the machine is. The library's `settled` waits ten seconds and then
  /// returns the page as it is; while all tests run at once a flow may need longer for its next question.
  func settled() async throws -> FlowView { try await settled(within: .seconds(600)) }
}
