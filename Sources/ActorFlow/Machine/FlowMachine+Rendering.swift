// Renderings: questions that stay open and take many answers.
extension FlowMachine {
  /// A step shows a rendering, whose answers go to `receiver`.
  ///
  /// Nothing of it is journalled: an answer does not close it, so that there is nothing to replay.
  ///
  /// - Throws: As ``ask(_:key:visit:on:within:at:)``.
  package mutating func show(
    _ rendering: any Prompt, to receiver: any ActionReceiver, visit: VisitID, on track: TrackID = .main,
    keeping: Keeping? = nil, at now: @autoclosure () -> Duration = .zero
  ) throws -> (question: Question, event: NavigationEvent?) {
    let place = try activePlace(of: visit, on: track, to: "show a rendering")
    let (question, isNew) = try open(rendering, to: receiver, at: place, on: track, keeping: keeping, at: now())
    return (question, isNew ? publish(.asked(question)) : showAgain(question, keeping, on: track))
  }

  /// The open question of this id, and who takes its answers if it stays open.
  package func openQuestion(
    takingActions id: Question.ID
  ) throws(FlowError) -> (question: Question, receiver: (any ActionReceiver)?) {
    if let asking = main.asking, asking.question.id == id { return (asking.question, asking.receiver) }
    let question = try openQuestion(id)
    return (question, asker(of: id).flatMap { self[$0].asking?.receiver })
  }

  /// The rendering of a visit is replaced: an action was applied.
  ///
  /// - Parameter isAnswer: Whether that was somebody's answer, so that somebody is there.
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func rerender(
    _ rendering: any Prompt, visit: VisitID, on track: TrackID = .main, isAnswer: Bool = false,
    keeping: Keeping? = nil, at now: @autoclosure () -> Duration = .zero
  ) throws -> NavigationEvent {
    let replaced = with(track) { track -> (old: Question, new: Question)? in
      guard track.phase == .walking, let old = track.asking?.question, old.visit == visit else { return nil }
      let new = Question(
        id: old.id, step: old.step, visit: old.visit, prompt: rendering, revision: old.revision + 1)
      track.asking?.question = new
      track.asking?.packed = keeping?.prompt
      return (old, new)
    }
    guard let replaced else {
      _ = try activePlace(of: visit, on: track, to: "render")
      throw error(.notActive, "the rendering of this visit is no longer shown")
    }
    discard(replaced.old)
    if isAnswer, alarms.hasIdle { alarms.somebodyIsThere(now(), on: lineage(of: track)) }
    return publish(.updated(replaced.new))
  }

  /// An answer was applied as an action, and what is shown stays.
  ///
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func acknowledge(
    visit: VisitID, on track: TrackID = .main, at now: @autoclosure () -> Duration = .zero
  ) throws {
    _ = try activePlace(of: visit, on: track, to: "take actions")
    if alarms.hasIdle { alarms.somebodyIsThere(now(), on: lineage(of: track)) }
  }

  /// A step no longer shows its rendering. Nil if its question is closed already.
  package mutating func hide(visit: VisitID, on track: TrackID = .main) -> NavigationEvent? {
    guard let question = self[track].asking?.question, question.visit == visit else { return nil }
    return withdraw(question.id, on: track)
  }
}
