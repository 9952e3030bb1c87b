public import ActorFlow
public import ActorFlowHosting

/// Receives the calls of a Temporal server when workflows have ended. A server puts ``receive(_:)`` on a route.
///
/// A call is only a bell: its body is not read. The receiver asks the Temporal server how the workflow has ended, as an
/// ``OutcomeDelivery`` does, and sends the same outcome. So a call that is forged, late or repeated tells a flow nothing
/// that is not true, and a call that is lost is made up for by the delivery. The server repeats a call that was not
/// answered with success.
public struct CallbackReceiver: Sendable {
  private let host: FlowHost
  private let temporal: TemporalHandover
  private let callbacks: Callbacks
  private let principal: Principal?

  /// Creates a receiver.
  ///
  /// - Parameters:
  ///   - host: The host of the flows, or one of several.
  ///   - temporal: The server whose calls are received.
  ///   - callbacks: The address and the secret that the handover was created with.
  ///   - principal: The principal who sends the signals, for the host's guard and for the history.
  public init(host: FlowHost, temporal: TemporalHandover, callbacks: Callbacks, by principal: Principal? = nil) {
    self.host = host
    self.temporal = temporal
    self.callbacks = callbacks
    self.principal = principal
  }

  /// Answers a call.
  ///
  /// - Parameter request: The request, with its path and query, and its header fields. The body may be left out.
  /// - Returns: 200 when the outcome is in the store, or nothing waits for it any more. 400, 401, 405 or 410 for a request
  ///   that is not to be repeated. 503 for one that is: the workflow is not seen as ended yet, or the Temporal server or
  ///   the store is away.
  public func receive(_ request: HTTPRequest) async -> HTTPResponse {
    guard request.method == "POST" else { return .text(405, "a callback is a POST") }
    guard let target = CallbackTarget(url: request.url) else { return .text(400, "the address has no target") }
    guard callbacks.isSigned(request, for: target) else { return .text(401, "the key of the callback is wrong") }
    do {
      guard let run = try await temporal.run(of: target.workflow, startedWith: target.key) else {
        return .text(410, "there is no such workflow")
      }
      guard case .closed(let outcome) = try await temporal.look(at: run, from: run.id, waiting: false) else {
        return .text(503, "the workflow has not ended")
      }
      try await host.deliver(outcome, to: target.flow, by: principal)
      return .text(200, "delivered")
    } catch {
      // The caller learns no more: errors may name what only operators should know.
      return .text(503, "the outcome cannot be delivered now")
    }
  }
}

extension HTTPResponse {
  fileprivate static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(text.utf8))
  }
}
