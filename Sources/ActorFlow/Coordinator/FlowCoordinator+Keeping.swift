// For hosts: flows that are kept beyond the process.
extension FlowCoordinator {
  /// A coordinator of a flow that was read back. It stands still until ``goOn()``.
  package init(resuming machine: FlowMachine, settings: CoordinatorSettings) {
    self.init(id: machine.flow, settings: settings, machine: machine)
  }

  /// Begins a run, and returns when its beginning is committed. Nothing of a step's has run yet.
  package nonisolated func begin(_ graph: Graph, with input: any Sendable) async throws {
    _ = try await launch(graph, with: input)
  }

  /// Walks on until the run has ended, or the flow is put away, because of ``park()`` or because the calling task is
  /// cancelled.
  package nonisolated func goOn() async { await core.goOn() }

  /// Puts the flow away. Whatever runs is cancelled; ``goOn()`` returns when it has ended.
  package nonisolated func park() { core.park() }

  package nonisolated var isParked: Bool { core.isParked }

  /// Waits until a question that was open when the machine was read back is asked again, or is not going to be.
  package nonisolated func reopened(_ question: Question.ID) async throws { try await core.reopened(question) }
}
