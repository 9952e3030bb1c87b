/// A user interface of a flow: a screen, a terminal, a chat, or a ``Responder`` that answers by itself.
///
/// ```swift
/// actor Screen: Presenter {
///   private(set) var pages: [String] = []
///
///   func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool {
///     pages = event.position.stack.reversed().map(\.step.name)
///     return true
///   }
/// }
/// ```
///
/// Presenters are given to ``FlowCoordinator/run(_:with:presentedBy:by:)`` in a list. Presenters only request moves: the
/// coordinator decides their requests like any others.
public protocol Presenter: Sendable {
  /// Shows an event, or leaves it to the next presenter.
  ///
  /// Called for one event after the other, never for two at once. The call runs in a child task of the task that called
  /// `run`, outside of the flow's steps, so it may call any verb of the coordinator and wait for the result. The flow
  /// does not wait for the presenter: `event.position` is the position at the event, and a question in it may have been
  /// answered since. A presenter that falls behind the reach of the event log sees a gap in
  /// ``NavigationEvent/sequence``; the position is complete all the same.
  ///
  /// - Returns: Whether the presenter has taken the event; if not, the next presenter is asked.
  /// - Throws: Any error; the flow is then abandoned and rolled back, and `run` throws this error.
  func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool
}
