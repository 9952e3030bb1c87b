// The inputs of an operator: notes, other people for a question, an output in the place of a step's own, and another
// input for a step.
extension FlowMachine {
  /// Takes an event number although there is no event: record a note under that number.
  package mutating func note() throws(FlowError) {
    try requireRun()
    takeNumber()
  }

  /// Assigns an open question to other people, until it is closed. Its guards are called on a prompt with these people.
  ///
  /// - Throws: A ``FlowError``: `wrongPromptType` if the prompt cannot be assigned; as ``openQuestion(_:at:)``.
  package mutating func reassign(
    _ id: Question.ID, to assignees: [String], revision: Int? = nil, at now: @autoclosure () -> Duration = .zero
  ) throws(FlowError) {
    guard let track = openTrack(of: id), let old = asking(on: track)?.question else { throw refusal(of: id, at: now()) }
    if let revision, revision != old.revision { throw try staleness(of: revision, for: id, at: now()) }
    guard old.prompt is any ReassignablePrompt else {
      throw error(
        .wrongPromptType,
        "the question shows a prompt of type \(type(of: old.prompt)), which cannot be assigned to others; make it a "
          + "ReassignablePrompt", step: old.step)
    }
    let question = Question(
      id: old.id, step: old.step, visit: old.visit, prompt: Self.prompt(old.prompt, assignedTo: assignees),
      revision: old.revision + 1)
    discard(old)
    self[track].asking?.question = question
    self[track].asking?.assignees = assignees
    publish(.updated(question))
  }

  /// Returns the prompt to show in the place of the step's own, if an operator has assigned its question to others.
  static func prompt(_ prompt: any Prompt, assignedTo assignees: [String]?) -> any Prompt {
    guard let assignees, let prompt = prompt as? any ReassignablePrompt else { return prompt }
    return prompt.assigned(to: assignees)
  }

  /// Returns the step in focus of this name, to be completed or entered anew from outside.
  ///
  /// - Throws: A ``FlowError`` that names the steps in focus: `noSuchStep` if the definition has no such step, or it is a
  ///   fork; `notActive` if the step is not in focus, or has just returned; `ambiguousStep` if several branches are at
  ///   steps of that name; `moving` or `ending` while the step is being left; `suspended` if another step has failed.
  package func stepInFocus(_ step: StepID) throws(FlowError) -> (stay: Stay, node: Node) {
    try requireRun()
    let found = leaves.filter { track in look(at: track) { $0.visit.map { step.matches($0.info.id) } ?? false } }
    guard let track = found.first else { throw refusal(at: step) }
    guard found.count == 1 else {
      let names = found.compactMap { visit(of: $0)?.info.id.path }.sorted().joined(separator: ", ")
      throw error(.ambiguousStep, "several branches are at a step called \"\(step)\": name one of \(names)")
    }
    guard let visit = visit(of: track) else { throw refusal(at: step) }
    return (Stay(visit.id, on: track), try placeInFocus(Stay(visit.id, on: track)).node)
  }

  /// Leaves a visit as a back does, and goes on behind its step with this output. The place stays on the stack, and its
  /// `backUp` is owed as if the step had returned.
  ///
  /// - Throws: As ``stepInFocus(_:)``; `notActive` if the visit is over.
  package mutating func complete(_ stay: Stay, with output: any Sendable, since: Duration) throws(FlowError) {
    let place = try placeInFocus(stay)
    fault = nil
    // A person takes care of the flow.
    somebodyIsThere(on: stay.track, at: since)
    accept(.complete(place.payload.with(output)), on: stay.track, since: since)
  }

  /// Leaves a visit as a back does, and then enters its step anew with this input. The place stays on the stack, and its
  /// `backUp` is owed; the new place comes on top of it.
  ///
  /// - Throws: As ``complete(_:with:since:)``.
  package mutating func enterAnew(_ stay: Stay, with input: any Sendable, since: Duration) throws(FlowError) {
    let place = try placeInFocus(stay)
    fault = nil
    somebodyIsThere(on: stay.track, at: since)
    accept(.enter(place.payload.with(input)), on: stay.track, since: since)
  }

  private func placeInFocus(_ stay: Stay) throws(FlowError) -> Place {
    try requireRun()
    let (top, visit, isBetweenSteps) = look(at: stay.track) { track in
      (track.top, track.visit, track.phase == .walking && track.isBetweenSteps(isSuspended: fault != nil))
    }
    guard let visit, visit.id == stay.visit, let place = top, place.visit.id == stay.visit else {
      throw error(.notActive, "the step has been left meanwhile; look at the flow again", step: visit?.info.id)
    }
    // The step that failed may not have been entered. Then the one before it is in focus, and another output can help.
    if let fault, fault.step != visit.info.id, leaves.contains(where: { self.visit(of: $0)?.info.id == fault.step }) {
      try refuseSuspended()
    }
    try refuseWhileLeaving(stay.track)
    // A handler undoes the part around the step, or superseded branches are undone: the step may be half undone.
    if let leave = look(at: stay.track, { $0.leave }), !leave.isReload {
      throw error(
        .moving, "the part of the flow around \"\(visit.info.id)\" is being left; wait until it has been left",
        step: visit.info.id)
    }
    guard place.node.fork == nil, place.node.finalizer == nil else {
      throw notAStep(visit.info.id)
    }
    guard !isBetweenSteps, !place.isInner, focus(of: stay.track).isEntered else {
      throw error(
        .notActive, "\"\(visit.info.id)\" is just being entered or left; repeat the request when the flow is settled",
        step: visit.info.id)
    }
    return place
  }

  private func refusal(at step: StepID) -> FlowError {
    let here = leaves.compactMap { visit(of: $0)?.info.id.path }.sorted().joined(separator: ", ")
    let nodes = graph.nodes.filter { step.matches($0.info.id) || $0.elements(in: step) != nil }
    let isKnown = !nodes.isEmpty
    if isKnown, nodes.allSatisfy({ $0.fork != nil }) { return notAStep(step) }
    return error(
      isKnown ? .notActive : .noSuchStep,
      (isKnown ? "\"\(step)\" is not in focus" : "the flow has no step called \"\(step)\"")
        + (here.isEmpty ? "; no step has been entered yet" : "; the flow is at \(here)"))
  }

  private func notAStep(_ fork: StepID) -> FlowError {
    error(
      .noSuchStep,
      "\"\(fork)\" is a fork, and only steps can be completed or entered: name a step in one of its branches",
      step: fork)
  }
}

extension Track {
  /// Whether the step on top has returned, or another walk than its own is about to begin. A step that has failed, so
  /// that the flow is suspended, is to begin anew.
  fileprivate func isBetweenSteps(isSuspended: Bool) -> Bool {
    guard let start else { return focus.hasReturned && !isSuspended }
    switch start.kind {
    case .top: return false
    // The step cannot be entered with the operator's input: its `skip`, its policy or its factory threw.
    case .anew: return !isSuspended
    case .at, .recovery, .failure: return true
    }
  }
}
