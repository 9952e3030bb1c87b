import ActorFlow

// Suspended flows, and the retries of what has failed.
extension Model {
  /// Whether a retry can only fail again: the failure is not that of a step whose cause could be removed.
  package var isHopeless: Bool { fault != nil && cause == nil }

  /// The name of the cause of the failure that has suspended the flow, as the world knows it.
  private var cause: String? {
    if fault == "guarded" { return "guarded" }
    guard fault != nil, let place = current, case .failed = place.state else { return nil }
    if !place.isEntered { return receipt(of: place) }
    return "\(place.plan.name).\(place.latest?.number ?? 0)"
  }

  /// The name of the cause of a failed `receive`.
  func receipt(of place: Place) -> String { "\(place.plan.name).receive" }

  /// Removes the cause of the failure that has suspended the flow.
  ///
  /// - Returns: The name of the cause; `nil` if it cannot be removed.
  package func mend() -> String? {
    guard let cause else { return nil }
    mended.insert(cause)
    return cause
  }

  /// Retries the step that has failed, in the same entering: its answers are replayed, up to the one with which it has
  /// failed.
  package func retry() -> String {
    guard result == nil else { return "flowEnded" }
    guard let fault else { return "notSuspended" }
    // The timeout has been reached once and for all.
    guard fault != "timedOut" else { return "ok" }
    self.fault = nil
    if let place = current, case .failed = place.state { tryAgain(place) }
    settle()
    return "ok"
  }

  private func tryAgain(_ place: Place) {
    if let key = place.latestFailure { place.attempts[key] = nil }
    place.latestFailure = nil
    if !place.isEntered, let note = place.delivery {
      place.state = .receiving(note)
    } else if let (command, number) = place.latest {
      obey(command, place, number)
    } else {
      place.state = .begins
    }
  }

  /// Retries the `backUp`s that have thrown, in a flow that has ended.
  package func retryAfterEnd(_ repair: World.Repair) -> String {
    guard let result, !result.hasPrefix("finished"), compensateAgain(repair) != "notActive" else { return "flowEnded" }
    // They are called, and may throw, in the order of a rollback.
    owed.sort { $0.visit > $1.visit }
    return "ok"
  }
}
