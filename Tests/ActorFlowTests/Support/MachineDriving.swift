import ActorFlow

/// A driver that gives a machine inputs as a coordinator would, but without a task, and collects its events.
protocol MachineDriving {
  var machine: FlowMachine { get set }
  var events: [NavigationEvent] { get set }
  /// The consequences of the latest input.
  var latest: Reaction { get set }
}

extension MachineDriving {
  var lines: [String] { events.map(\.change.line) }

  /// Gives the machine an input of any kind.
  mutating func give<Value>(_ input: (inout FlowMachine) throws -> Value) rethrows -> Value {
    let (value, reaction) = try machine.react(to: input)
    latest = reaction
    let first = machine.sequence - reaction.events.count + 1
    for (index, entry) in reaction.events.enumerated() {
      events.append(
        NavigationEvent(flow: "machine", run: machine.run, sequence: first + index, at: .zero, entry: entry))
    }
    return value
  }
}

extension Reaction {
  /// The tracks whose walks are to be cancelled, in order.
  var cancelledWalks: [TrackID] {
    actions.compactMap { if case .cancelWalk(let track) = $0 { track } else { nil } }
  }

  /// The landing that the task with the input waits for.
  var landing: (leave: Int, track: TrackID)? {
    for case .awaitMilestone(.landed(let leave, let track)) in actions { return (leave, track) }
    return nil
  }

  /// The tracks whose pauses have ended, because their time is over or for another reason.
  func endedPauses(inTime: Bool) -> [TrackID] {
    actions.compactMap { action in
      guard case .endPause(let track, let outcome) = action else { return nil }
      if case .success = outcome { return inTime ? track : nil }
      return inTime ? nil : track
    }
  }

  /// The waits that are resumed, and whether because their step is being left.
  var resumedWaits: [(number: Int, isCancelled: Bool)] {
    actions.compactMap { action in
      guard case .resumeWait(let number, let outcome) = action else { return nil }
      if case .cancelled = outcome { return (number, true) }
      return (number, false)
    }
  }

  /// The tracks whose askers are resumed.
  var resumedAskers: [TrackID] {
    actions.compactMap { if case .resumeAsker(let track, _) = $0 { track } else { nil } }
  }
}
