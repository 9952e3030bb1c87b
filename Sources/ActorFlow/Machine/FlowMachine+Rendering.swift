// Renderings: questions that stay open and take many answers.
extension FlowMachine {
  /// Shows a rendering of a step, whose answers go to `receiver`.
  ///
  /// The answers are not journaled: they do not close the question, so there is nothing to replay. The step's state is
  /// persisted instead, and its output in the end.
  ///
  /// - Throws: As ``ask(_:key:visit:on:within:persisted:by:at:)``.
  package mutating func show(
    _ rendering: any Prompt, to receiver: any ActionReceiver, visit: VisitID, on track: TrackID = .main,
    persisted: PersistedPrompt? = nil, tree: RenderPersistence? = nil, at now: @autoclosure () -> Duration = .zero
  ) throws -> Question {
    let place = try activePlace(of: visit, on: track, to: "show a rendering")
    let (question, isNew) = try open(rendering, to: receiver, at: place, on: track, persisted: persisted, at: now())
    keep(tree, on: track)
    if isNew { publish(.asked(question)) } else { showAgain(question, rendering, persisted, on: track) }
    return asking(on: track)?.question ?? question
  }

  /// The key of a rendered step's output in the journal of its visit.
  private static let outputKey = JournalKey(name: .given("output"), number: 1)

  /// Returns the persisted state and output of a rendered step's visit.
  package func persistedRendering(
    of visit: VisitID, on track: TrackID = .main
  ) throws -> (tree: PackedTree?, output: (any Sendable)?, isReplay: Bool) {
    _ = try activePlace(of: visit, on: track, to: "show a rendering")
    let focus = focus(of: track)
    var output: (any Sendable)?
    if case .answered(let value, _)? = focus.memory?.answers[Self.outputKey] { output = value }
    return (focus.memory?.tree, output, focus.attempt.isReplay)
  }

  private mutating func keep(_ persisted: RenderPersistence?, on track: TrackID) {
    guard let persisted else { return }
    if self[track].focus.memory == nil { self[track].focus.memory = PlaceMemory() }
    self[track].focus.memory?.tree = persisted.tree
    guard let output = persisted.output else { return }
    self[track].focus.memory?.answers[Self.outputKey] = .answered(output)
    self[track].focus.hasOutput = true
  }

  /// Replaces the rendering of a visit, because an action was applied.
  ///
  /// - Parameter origin: The origin of the action; with an answer from outside, idle times begin anew.
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func rerender(
    _ rendering: any Prompt, visit: VisitID, on track: TrackID = .main, origin: ActionOrigin = .effect,
    persisted: PersistedPrompt? = nil, tree: RenderPersistence? = nil, at now: @autoclosure () -> Duration = .zero
  ) throws {
    let replaced = with(track) { track -> (old: Question, new: Question)? in
      guard track.phase == .walking, let old = track.asking?.question, old.visit == visit else { return nil }
      let prompt = Self.prompt(rendering, assignedTo: track.asking?.assignees)
      let new = Question(
        id: old.id, step: old.step, visit: old.visit, prompt: prompt, revision: old.revision + 1)
      track.asking?.question = new
      track.asking?.packed = persisted?.prompt
      return (old, new)
    }
    guard let replaced else {
      _ = try activePlace(of: visit, on: track, to: "render")
      throw error(.notActive, "the rendering of this visit is no longer shown")
    }
    discard(replaced.old)
    keep(tree, on: track)
    note(origin, on: track, at: now())
    publish(.updated(replaced.new))
  }

  /// Notes that an action was applied that leaves the rendering as it is.
  ///
  /// - Parameter origin: The origin of the action.
  /// - Throws: `CancellationError` while the visit is being left, else a `FlowError`.
  package mutating func acknowledge(
    visit: VisitID, on track: TrackID = .main, origin: ActionOrigin = .answer(by: nil), tree: RenderPersistence? = nil,
    at now: @autoclosure () -> Duration = .zero
  ) throws {
    _ = try activePlace(of: visit, on: track, to: "take actions")
    if tree == nil { needsNoCommit() }
    keep(tree, on: track)
    note(origin, on: track, at: now())
  }

  private mutating func note(
    _ origin: ActionOrigin, on track: TrackID, at now: @autoclosure () -> Duration
  ) {
    guard case .answer(let answerer) = origin else { return }
    somebodyIsThere(on: track, at: now())
    note(answerer: answerer?.principal)
  }

  /// Hides the rendering of a step. Changes nothing if its question is closed already.
  package mutating func hide(visit: VisitID, on track: TrackID = .main) {
    if let question = asking(on: track)?.question {
      if question.visit == visit { withdraw(question.id.number, on: track) }
    } else if top(of: track)?.visit.id == visit, let asked = reopening(on: track)?.question {
      withdrawReopening(asked, on: track)
    }
  }
}
