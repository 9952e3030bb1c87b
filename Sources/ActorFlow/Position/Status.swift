/// The activity of a flow.
@nonexhaustive public enum Status: Sendable, Hashable {
  /// No run has begun.
  case idle
  /// Steps run or wait for answers.
  case running
  /// The visit is being left: its step was cancelled and has not ended yet, or places are being compensated on the way
  /// back. `since` is the time from the run's start to the request.
  case leaving(Visit, since: Duration)
  /// The flow is ending by failure, abandonment or cancellation, and is rolling back.
  case rollingBack
  /// The run has ended.
  case ended(Ending)
}

extension Status: CustomStringConvertible {
  /// The status in a few words.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .running: "running"
    case .leaving(let visit, let since): "leaving \(visit) since \(since)"
    case .rollingBack: "rolling back"
    case .ended(let ending): "\(ending)"
    }
  }
}

/// The way a run ended.
@nonexhaustive public enum Ending: Sendable, Hashable {
  /// The last step returned.
  case finished
  /// A step failed.
  case failed
  /// The flow was abandoned.
  case abandoned(reason: String)
  /// The task that called `run` was cancelled.
  case cancelled
}

extension Ending: CustomStringConvertible {
  /// The ending in a few words.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed: "failed"
    case .abandoned(let reason): reason.isEmpty ? "abandoned" : "abandoned: \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
