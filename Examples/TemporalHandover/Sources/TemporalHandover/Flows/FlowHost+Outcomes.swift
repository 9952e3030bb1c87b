import ActorFlow
import ActorFlowHosting

extension FlowHost {
  /// Sends an outcome to a flow. A second one of the same run changes nothing.
  ///
  /// - Throws: Errors of the store, or of the host. No error if the flow has ended or was deleted.
  func deliver(_ outcome: WorkflowOutcome, to flow: FlowID, by principal: Principal? = nil) async throws {
    do {
      _ = try await self.flow(flow, by: principal).send(outcome, to: .workflowClosed, key: "temporal.\(outcome.run.id)")
    } catch let error as FlowError where error.code == .keyReused || error.code == .noSuchFlow {
      // An outcome of this run came before, when the server still knew more of the workflow; or the flow was deleted.
    }
  }
}
