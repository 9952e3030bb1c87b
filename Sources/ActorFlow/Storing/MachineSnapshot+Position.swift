extension MachineSnapshot {
  /// The position of a stored flow, made without the flow's definition: visits have no presentations, and the prompts
  /// of the questions are ``UnreadPrompt``s.
  package func position(of flow: FlowID) -> Position {
    if let ending {
      let stack = lastStack.reduce(nil) { VisitNode($1, on: $0) }
      return Position(stack: StepStack(stack), questions: [], status: .ended(ending.ending), canBackUp: false)
    }
    var views: [Int32: TrackView] = [:]
    // The branches of a fork come behind the track that they branch from.
    for track in branches.reversed() { views[track.number] = view(of: track, flow, views) }
    return Position(view(of: main, flow, views), status: .running)
  }

  private func view(of track: PackedTrack, _ flow: FlowID, _ views: [Int32: TrackView]) -> TrackView {
    let leaving = track.leave.flatMap { leave in leave.visit.map { (VisitNode($0, on: nil), leave.since) } }
    return TrackView(
      path: track.branch?.path ?? "", stack: StepStack(track.stack), question: question(of: track, flow),
      waits: track.waits.compactMap { wait in
        guard let visit = track.shownVisit else { return nil }
        return Wait(signal: wait.signal, step: visit.step, visit: VisitID(visit.id), number: wait.number)
      },
      hasEnded: track.phase == .ended, canBackUp: track.canBackUp, isClosed: track.isClosed,
      refusesBack: track.leave?.yields == false, leaving: leaving,
      branches: track.fork.map { fork in SharedList(fork.tracks.compactMap { views[$0] }) })
  }

  private func question(of track: PackedTrack, _ flow: FlowID) -> Question? {
    guard let question = track.question, let visit = track.shownVisit else { return nil }
    return Question(
      id: Question.ID(flow: flow, run: run, number: question.number, token: question.token), step: visit.step,
      visit: VisitID(visit.id), prompt: UnreadPrompt(), revision: question.revision)
  }
}

/// The prompt of a stored question whose type is not known. It cannot be answered.
package struct UnreadPrompt: Prompt {
  package typealias Answer = Never
}

extension PackedTrack {
  /// The visit on top, as shown to observers.
  fileprivate var shownVisit: PackedVisit? { visit ?? places.last { !$0.isInner }?.visit }

  /// The visible visits, as in ``Track``'s view.
  fileprivate var stack: VisitNode? {
    let visits = places.lazy.filter { !$0.isInner }.map(\.visit)
    let covered = visits.reduce(nil) { VisitNode($1, on: $0) }
    return visit.map { VisitNode($0, on: covered) } ?? covered
  }

  /// Whether no back may lead past the track's first step.
  package var isClosed: Bool { isSealed || (closedAt >= 0 && places.count - 1 > Int(closedAt)) }

  fileprivate var canBackUp: Bool {
    guard phase == .walking, let top = places.last(where: { !$0.isInner }) else { return false }
    return top.backTarget >= 0 && !top.isClosed
  }
}

extension PackedLeave {
  /// Whether the machine began the leave without a request, as with ``Leave``.
  fileprivate var yields: Bool {
    switch goal {
    case .unwind, .dropSuperseded: true
    case .back, .end, .supersede: false
    }
  }
}

extension VisitNode {
  fileprivate convenience init(_ packed: PackedVisit, on below: VisitNode?) {
    self.init(
      id: VisitID(packed.id), info: StepInfo(id: packed.step), below: below, isSkipped: packed.isSkipped,
      canBackUp: packed.canBackUp)
  }
}
