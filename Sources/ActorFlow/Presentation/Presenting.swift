/// The presentation of one run: reads the run's events and asks the presenters.
struct Presenting: Sendable {
  private let presenters: [any Presenter]
  private let coordinator: FlowCoordinator

  init(_ presenters: [any Presenter], in coordinator: FlowCoordinator) {
    self.presenters = presenters
    self.coordinator = coordinator
  }

  /// Presents every event of the run.
  ///
  /// - Returns: The error of the presenter that ended the flow; `nil` if the flow ended otherwise.
  func untilTheEnd() async -> (any Error)? {
    let events = coordinator.makeSubscription()
    var failure: (error: any Error, reason: String)?
    while let event = await events.nextUntilTheEnd() {
      do { try await present(event) } catch {
        guard failure == nil else { continue }
        let reason = "a presenter failed at event \(event.sequence): \(error)"
        failure = (error, reason)
        await abandon(reason)
      }
    }
    // Endings come from the machine: if the flow was already ending, the presenter's error has not ended it.
    guard let failure else { return nil }
    let status = await coordinator.position.status
    return status == .ended(.abandoned(reason: failure.reason)) ? failure.error : nil
  }

  private func present(_ event: NavigationEvent) async throws {
    for presenter in presenters where try await presenter.present(event, in: coordinator) { return }
  }

  /// Files the request without waiting for the ending: the events of the ending are to be presented as well.
  private func abandon(_ reason: String) async {
    try? await coordinator.decide { machine, stopwatch in
      try machine.abandon(reason: reason, rollBack: true, since: stopwatch.elapsed())
    }
  }
}
