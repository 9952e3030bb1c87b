import ActorFlow

/// What must hold of any run of a composed flow, however its branches interleave.
struct ComposedFold {
  private(set) var sequence = 0
  private var open: Set<Question.ID> = []
  private var isEnding = false

  /// Numbers without gaps; a question is asked once and closed once; the position shows those that are open; nothing
  /// comes after the end.
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

enum ComposedLedger {
  /// Every place is undone at most once for each entering, and none that was not entered.
  static func check(_ lines: [ComposedStage.Line]) throws(Finding) {
    var entered: [Int: VisitID] = [:]
    for line in lines {
      switch line {
      case .proceed(let key, let instance, let visit):
        // Another attempt of a retry is the same visit.
        try demand(entered[instance] == nil || entered[instance] == visit, "\(key) is entered again and was not undone")
        entered[instance] = visit
      case .backUp(let key, let instance):
        try demand(entered.removeValue(forKey: instance) != nil, "\(key) is undone, and is not entered")
      }
    }
  }
}
