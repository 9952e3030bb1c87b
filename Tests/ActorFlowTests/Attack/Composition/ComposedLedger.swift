import ActorFlow

/// The invariants of any run of a composed flow, however its branches interleave.
struct ComposedFold {
  private(set) var sequence = 0
  private var open: Set<Question.ID> = []
  private var isEnding = false

  /// Sequence numbers have no gaps; a question is asked once and closed once; the position shows the open questions;
  /// nothing follows the end.
  mutating func take(_ event: NavigationEvent) throws(Finding) {
    try demandEqual(event.sequence, sequence + 1, "the event's number")
    sequence += 1
    let shown = Set(event.position.questions.map(\.id))
    switch event.change {
    case .asked(let question):
      try demand(open.insert(question.id).inserted, "\(question.id) is asked twice")
    case .answered(let id, _), .withdrawn(let id):
      try demand(open.remove(id) != nil, "\(id) is closed, and was not open")
    case .leaving, .failed, .caught:
      try demand(shown.isSubset(of: open), "\(shown.subtracting(open)) have come up by themselves")
      open = shown
    default: break
    }
    try demandEqual(shown, open, "the open questions after \(event.change)")
    switch (event.change, event.position.status) {
    case (.failed, .rollingBack), (.abandoned, .rollingBack), (.cancelled, .rollingBack): isEnding = true
    case (.rolledBack, .ended): try demand(isEnding, "rolled back, and had not ended")
    case (.finished, .ended(.finished)), (.abandoned, .ended): try demand(!isEnding, "it has ended before")
    case (_, .ended), (.finished, _): throw Finding("\(event.change) with the status \(event.position.status)")
    case (let change, _): try demand(!isEnding, "\(change) while the flow ends")
    }
  }
}

/// Counts in the trace of one run, without any model.
struct ComposedLedger {
  /// The places that were entered and not compensated, by instance.
  private(set) var entered: [Int: (key: String, visit: VisitID, track: String?)] = [:]

  /// Every place is compensated at most once for each entering, none that was not entered, and newest first on each
  /// stack, including the stacks on it.
  init(_ lines: [ComposedStage.Line], tracks: [String: String] = [:]) throws(Finding) {
    for line in lines {
      switch line {
      case .proceed(let key, let instance, let visit):
        // Another attempt of a retry is the same visit.
        let before = entered[instance]?.visit
        try demand(before == nil || before == visit, "\(key) is entered again and was not undone")
        entered[instance] = (key, visit, tracks[key.name])
      case .backUp(let key, let instance):
        guard let undone = entered.removeValue(forKey: instance) else {
          throw Finding("\(key) is undone, and is not entered")
        }
        guard let track = undone.track else { continue }
        let newer = entered.values.first {
          $0.visit.number > undone.visit.number && ($0.track == track || $0.track?.hasPrefix("\(track)/") == true)
        }
        if let newer { throw Finding("\(key) is undone before \(newer)") }
      }
    }
  }
}

extension String {
  /// The number in a place's key.
  fileprivate var name: String { String(prefix { $0 != "<" }) }
}
