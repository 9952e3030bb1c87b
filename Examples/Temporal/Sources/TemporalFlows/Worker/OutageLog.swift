internal import GRPCCore
internal import Logging
internal import Synchronization

/// The log of the times at which the server does not answer.
///
/// An outage has at most three lines, however many attempts fail: its first failed poll and its first failed completion as
/// warnings, and its end as a notice with the duration.
final class OutageLog: Sendable {
  /// The calls that a worker repeats until the server answers.
  enum Call: Sendable { case poll, completion }

  private struct Outage {
    let began: ContinuousClock.Instant
    var failed: Set<Call> = []
  }

  private let outage = Mutex<Outage?>(nil)
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant

  init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    (self.logger, self.now) = (logger, now)
  }

  /// Whether a call has failed, and none was answered since.
  var isOn: Bool { outage.withLock { $0 != nil } }

  /// Notes that a call has failed, and that it is not known to be refused.
  func hasFailed(_ call: Call, _ error: any Error) {
    let isFirst = outage.withLock { outage in
      if outage == nil { outage = Outage(began: now()) }
      return outage?.failed.insert(call).inserted == true
    }
    guard isFirst else { return }
    let metadata: Logger.Metadata = ["error": "\(RPCError.text(error))"]
    switch call {
    case .poll:
      logger.warning("the server does not answer the polls; they are repeated until it does", metadata: metadata)
    case .completion:
      logger.warning("the server does not answer the completion of a task; it is repeated", metadata: metadata)
    }
  }

  /// Notes that the server has answered a call.
  func isAnswered() {
    let ended = outage.withLock { outage in
      defer { outage = nil }
      return outage
    }
    guard let ended else { return }
    logger.notice("the server answers again", metadata: ["after": "\(now() - ended.began)"])
  }
}
