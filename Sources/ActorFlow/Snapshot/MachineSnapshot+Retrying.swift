extension MachineSnapshot {
  /// Lets a suspended flow go on, in another attempt of the step that failed: the failures of its attempts that nothing
  /// has followed are forgotten, so that their work runs again with the same idempotency keys.
  ///
  /// - Returns: The failure that had suspended the flow; `nil` if the flow was not suspended.
  package mutating func retry() -> PackedFault? {
    guard let fault = fault.take() else { return nil }
    main.forgetLatestFailures(of: fault.step)
    for index in branches.indices { branches[index].forgetLatestFailures(of: fault.step) }
    return fault
  }
}

extension PackedTrack {
  fileprivate mutating func forgetLatestFailures(of step: StepID) {
    guard phase == .walking, places.last?.visit.step == step else { return }
    for index in focus.records.indices where focus.records[index].failure?.isLatest == true {
      focus.records[index].failure = nil
    }
  }
}
