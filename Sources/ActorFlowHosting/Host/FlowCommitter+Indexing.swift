import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The parts of a snapshot beside the state, by which stores find flows.
extension FlowCommitter {
  func snapshot(
    of machine: FlowMachine, _ state: inout HostedState, at now: Date, tasks old: [OpenTask], for request: HostRequest?
  ) throws -> FlowSnapshot {
    var snapshot = FlowSnapshot(
      definition: definition.name, version: definition.version, status: Self.status(of: machine, state.machine),
      rollbackFailed: !state.machine.undoFailures.isEmpty,
      labels: labels(after: machine), tasks: try self.tasks(of: machine, old, at: now), keyReference: keyReference)
    try shared.write(&state, to: &snapshot, of: id)
    index(&snapshot, by: state)
    if machine.phase != .ended, let due = Self.nextTimer(of: machine, state.machine) {
      snapshot.wakeAt = state.startedAt.addingTimeInterval(due.wholeMicroseconds / .seconds(1))
    }
    try checkSize(of: snapshot, machine, state.machine, for: request)
    return snapshot
  }

  /// Returns the flow's labels with the changes of its steps.
  private func labels(after machine: FlowMachine) -> [String: String] {
    var labels = stored?.snapshot.labels ?? labels
    for (key, value) in machine.labelChanges {
      // A key that Swift calls equal to an older one would keep the older one's bytes, and not be found by its own.
      labels[key] = nil
      labels[key] = value
    }
    return labels
  }

  /// Refuses a snapshot that is larger than the limit for the change that it comes from.
  private func checkSize(
    of snapshot: FlowSnapshot, _ machine: FlowMachine, _ packed: MachineSnapshot, for request: HostRequest?
  ) throws {
    guard let count = snapshot.count(over: StateLimit.least) else { return }
    let old = self.state.machine
    let limit = StateLimit(machine, packed, after: old, for: request)
    guard count > limit.bytes else { return }
    let tooLarge = packed.largestResult(after: old).map { step, record in
      FlowError(
        .tooLarge,
        "the result of `once(\"\(record.key)\")` cannot be recorded: with its \(record.value?.size ?? 0) bytes the "
          + "flow's state has \(count), of at most \(limit.bytes). The effect's outcome is recorded as unknown; store "
          + "large results elsewhere, and return a reference", flow: id, step: step)
    }
    throw limit.error(count, id, tooLarge)
  }

  static func status(of machine: FlowMachine, _ snapshot: MachineSnapshot) -> FlowSnapshot.Status {
    if machine.phase == .ended {
      return switch machine.ending {
      case .abandoned: .abandoned
      case .cancelled: .cancelled
      case .failed: .failed
      default: .finished
      }
    }
    if snapshot.fault != nil { return .suspended }
    return machine.canPassivate ? .waiting : .runnable
  }

  /// Returns the time of the next timer, including the timers of questions and waits that are not open again yet.
  private static func nextTimer(of machine: FlowMachine, _ snapshot: MachineSnapshot) -> Duration? {
    let questions = snapshot.timers.compactMap { timer -> Duration? in
      switch timer.subject {
      case .question, .reminder, .wait: timer.due
      case .scope, .idle, .pause: nil
      }
    }
    return ([machine.nextTimer].compactMap(\.self) + questions).min()
  }

  /// Writes the definition and the steps of a state into its snapshot. A state that was read may have moved to another
  /// version. The snapshot names that version; otherwise the moves would be made again.
  func index(_ snapshot: inout FlowSnapshot, by state: HostedState) {
    (snapshot.definition, snapshot.version) = (definition.name, definition.version)
    snapshot.labels[Definition.label] = definition.fingerprint
    snapshot.steps = Self.steps(of: state.machine)
  }

  static func steps(of machine: MachineSnapshot) -> [StepID] {
    machine.tracks.compactMap { track in
      guard track.phase != .ended, track.fork == nil else { return nil }
      // A track that pauses or recovers at its beginning has no place; the last visit is in focus.
      return (track.places.last { !$0.isInner }?.visit ?? track.visit)?.step
    }
  }

  private func tasks(of machine: FlowMachine, _ old: [OpenTask], at now: Date) throws -> [OpenTask] {
    // Found by name, because a fork may have thousands of open questions.
    let old = Dictionary(old.map { ($0.question, $0) }) { first, _ in first }
    return try machine.persistedQuestions.compactMap { id in
      let name = id.description
      let known = old[name]
      guard let question = machine.question(openAs: id) else { return known }
      let assigned = question.prompt as? any AssignedPrompt
      let assignees = assigned?.assignees ?? (question.prompt as? any ReassignablePrompt)?.assignees ?? []
      for assignee in assignees {
        try StoredText.check(
          assignee, "an assignee of the prompt \(type(of: question.prompt))", flow: self.id, step: question.step)
      }
      return OpenTask(
        question: name, step: question.step,
        prompt: machine.qualifiesKeys ? type(of: question.prompt).promptName : "\(type(of: question.prompt))",
        assignees: assignees, due: assigned?.due, askedAt: known?.askedAt ?? now)
    }
  }
}
