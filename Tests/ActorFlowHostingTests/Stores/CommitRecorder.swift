import ActorFlow
import ActorFlowHosting

/// Records what a ``PlainStore`` has stored.
final class CommitRecorder: Sendable {
  private let commits = Lock<[StoredFlow]>([])

  var all: [StoredFlow] { commits.withLock { $0 } }

  func add(_ stored: StoredFlow) { commits.withLock { $0.append(stored) } }
}
