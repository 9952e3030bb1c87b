/// A presenter of forward moves only: it takes the events in which a step is entered, and no others.
///
/// ```swift
/// let forward = OnMove(to: "payment") { event, _ in
///   if case .moved(_, let visit) = event.change { await screen.push(visit.step) }
/// }
/// ```
///
/// The change's visit is the step that was entered. ``Position/step`` names the same step only outside of branches;
/// inside a branch it names the fork.
///
/// A skipped step is not entered, so its event is declined. For a back that lands on the step, use ``OnBack``.
public struct OnMove: Presenter {
  private let step: StepID?
  private let show: @Sendable (NavigationEvent, FlowCoordinator) async throws -> Void

  /// A presenter of the moves to a step.
  ///
  /// - Parameters:
  ///   - step: The step, by its path or the path's last part; `nil` for every step.
  ///   - show: Shows the event. An error that it throws ends the flow, as for every presenter.
  public init(
    to step: StepID? = nil, _ show: @escaping @Sendable (NavigationEvent, FlowCoordinator) async throws -> Void
  ) {
    self.step = step
    self.show = show
  }

  /// Shows a move to the step and takes the event; declines every other event.
  public func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
    guard case .moved(_, let visit) = event.change, !visit.isSkipped, step?.matches(visit.step) ?? true else {
      return false
    }
    try await show(event, coordinator)
    return true
  }
}

/// A presenter of backs only: it takes the events in which a back has landed, and no others.
///
/// ```swift
/// let back = OnBack(to: "cart") { event, _ in
///   if case .backedUp(_, let visit, _) = event.change { await screen.unwind(to: visit.step) }
/// }
/// ```
///
/// As for ``OnMove``, the change's visit is the step on which the back landed.
public struct OnBack: Presenter {
  private let step: StepID?
  private let show: @Sendable (NavigationEvent, FlowCoordinator) async throws -> Void

  /// A presenter of the backs to a step.
  ///
  /// - Parameters:
  ///   - step: The step, by its path or the path's last part; `nil` for every step.
  ///   - show: Shows the event. An error that it throws ends the flow, as for every presenter.
  public init(
    to step: StepID? = nil, _ show: @escaping @Sendable (NavigationEvent, FlowCoordinator) async throws -> Void
  ) {
    self.step = step
    self.show = show
  }

  /// Shows a back to the step and takes the event; declines every other event.
  public func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
    guard case .backedUp(_, let visit, _) = event.change, step?.matches(visit.step) ?? true else { return false }
    try await show(event, coordinator)
    return true
  }
}
