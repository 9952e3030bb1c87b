/// Somebody who shows a flow: a screen, a terminal, a chat, or a ``Responder`` that answers by itself.
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
/// Presenters are given to ``FlowCoordinator/run(_:with:presentedBy:)`` in a list. They only request moves: what they
/// ask of the coordinator is decided as any other request is.
public protocol Presenter: Sendable {
  /// Shows an event, or leaves it to the next presenter.
  ///
  /// Called for one event after the other, never for two at once, in a child task of the one that called `run`, and
  /// outside of the flow's steps; so it may call any verb of the coordinator, and wait for it. The flow does not wait
  /// for it: the position is that at the event, and a question in it may be answered by now. A presenter that was away
  /// for longer than the event log reaches sees a gap in ``NavigationEvent/sequence``; the position is whole all the
  /// same.
  ///
  /// - Returns: Whether it has taken the event; if not, the next presenter is asked.
  /// - Throws: Anything; the flow is abandoned then, and undone, and `run` throws this error.
  func present(_ event: NavigationEvent, in coordinator: FlowCoordinator) async throws -> Bool
}
