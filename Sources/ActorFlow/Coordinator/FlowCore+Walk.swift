// The walk: one step after the other, in one task.
extension FlowCore {
  /// Walks from `start`, or with `cargo` from the beginning.
  ///
  /// One long function on purpose: each async function called for a step costs as much as the rest of the transition,
  /// and whatever lives across an `await` is paid for in memory by every flow that waits.
  ///
  /// - Returns: Whether the stint may go on, because the flow has finished or failed by itself. False: it was left.
  func walk(from start: Footing?, _ cargo: Cargo) async -> Bool {
    let graph = withState { $0.machine.graph }
    var cargo = start?.cargo ?? cargo
    var instance = start?.instance
    var visit = start?.visit.id
    // The step that is entered, or would be next; errors are its own.
    var node = start?.node ?? graph.node(after: nil)
    do {
      if start == nil { try graph.entry.carry(&cargo) }
      while let here = node {
        if visit == nil {
          // Until this step is entered, the one before has the focus.
          instance = try await here.body.make?()
          if let skip = here.body.skip, let made = instance {
            // Left while it was made: no other code of a step's is to run.
            guard goesOn else { return false }
            if case .with(let output) = try await skip(made, cargo.value) {
              guard try await skipped(here, made, cargo) else { return false }
              cargo.value = output
              try here.exit.carry(&cargo)
              node = graph.node(after: here)
              continue
            }
          }
          visit = commit == nil ? enterNow(here, instance, cargo) : try await enter(here, instance, cargo)
        }
        guard let entered = visit else { return false }
        if Task.isCancelled, notBegun(entered) { return false }
        let context = StepContext(runtime: self, info: here.info, visit: entered)
        cargo.value = try await here.body.proceed(instance, cargo.value, context)
        visit = nil
        switch returned() {
        case .quietly: break
        case .left: return false
        case .toTidyUp: guard try await tidyUp() else { return false }
        }
        if !here.exit.isEmpty { try here.exit.carry(&cargo) }
        node = graph.node(after: here)
      }
      return try await finish(cargo.value)
    } catch let failure as CommitFailure {
      halt(failure.error)
      return false
    } catch {
      return await failed(node?.info.id ?? "", error)
    }
  }
}

// MARK: - The walk's inputs

/// What a commit hook threw at an input of the walk's own: not a step's error, and nobody else's to handle.
struct CommitFailure: Error {
  let error: any Error
}

extension FlowCore {
  /// Gives the machine an input that it does not refuse, so that an error is the commit hook's.
  func decideWalking<Value>(
    commits: Bool = true, _ input: (inout FlowMachine) -> Decision<Value>
  ) async throws(CommitFailure) -> Value {
    do { return try await decide(commits: commits, input) } catch { throw CommitFailure(error: error) }
  }

  /// The everyday transition, without a suspension and with nothing built that nobody looks at.
  private func enterNow(_ node: Node, _ instance: StepInstance?, _ cargo: Cargo) -> VisitID? {
    var old: LogEntry?
    var readers: EventLog.Wake?
    var garbage: [any Sendable] = []
    let visit = withState { state -> VisitID? in
      guard let entered = state.machine.enter(node, instance: instance, cargo: cargo) else { return nil }
      old = state.log.append(entered.event)
      readers = state.log.takeWaiting()
      if state.machine.hasDiscarded { garbage = state.machine.takeDiscarded() }
      return entered.visit.id
    }
    readers?.passOn()
    _ = (consume garbage, consume old)  // released here, outside the lock
    return visit
  }

  private func enter(_ node: Node, _ instance: StepInstance?, _ cargo: Cargo) async throws -> VisitID? {
    try await decideWalking { machine in
      guard let entered = machine.enter(node, instance: instance, cargo: cargo) else { return Decision(nil) }
      return Decision(entered.visit.id, entry: entered.event)
    }
  }

  private func skipped(_ node: Node, _ instance: StepInstance, _ cargo: Cargo) async throws -> Bool {
    try await decideWalking { machine in
      switch machine.skip(node, instance: instance, cargo: cargo) {
      case .left: Decision(false)
      case .passed(let event): Decision(true, event: event)
      case .kept(let entered): Decision(true, entry: entered.event)
      }
    }
  }

  private func finish(_ output: any Sendable) async throws -> Bool {
    try await decideWalking { machine in
      let event = machine.finish(output)
      return Decision(event != nil, event: event)
    }
  }

  /// Whether nobody has asked to leave.
  private var goesOn: Bool { withState { $0.machine.phase == .walking } }

  private func notBegun(_ visit: VisitID) -> Bool {
    withState { $0.machine.notBegun(visit) }
  }

  /// A step, its factory, its `skip` or its edge threw. False: the flow is being left, and the error is nobody's.
  func failed(_ step: StepID, _ error: any Error) async -> Bool {
    do {
      guard try await tidyUp() else { return false }
      return try await decideWalking { machine in
        let event = machine.fail(step, error)
        return Decision(event != nil, event: event)
      }
    } catch {
      halt(error.error)
      return false
    }
  }
}

// MARK: - After a step

extension FlowCore {
  private enum Returned { case quietly, left, toTidyUp }

  /// The step has returned. In the everyday case that is all.
  private func returned() -> Returned {
    guard commit == nil else { return .toTidyUp }
    return withState { state in
      if state.machine.asking != nil || state.machine.hasRunningWork { return .toTidyUp }
      return state.machine.returned() ? .quietly : .left
    }
  }

  /// Ends what the step has left behind, by tasks of its own that it did not wait for: an open question is withdrawn,
  /// and a `once` that is under way is waited for. False: the flow is being left.
  private func tidyUp() async throws(CommitFailure) -> Bool {
    if let question = withState({ $0.machine.asking?.question.id }) {
      try await decideWalking { Decision((), event: $0.withdraw(question)) }
    }
    let isLeft = !(try await decideWalking(commits: false) { Decision($0.returned()) })
    await waitForRunningWork()
    return !isLeft && goesOn  // it may have been left while it waited
  }
}
