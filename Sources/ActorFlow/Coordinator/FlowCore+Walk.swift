// The walk: one step after the other, in one task.
extension FlowCore {
  /// Walks from the place on top, or from the beginning.
  ///
  /// One long function on purpose: each async function called for a step costs as much as the rest of the transition.
  /// And whatever has room in its frame is paid for in memory by every flow that waits. So a place holds what its step
  /// needs, here is little more than the place, and what is rare is kept out (`@inline(never)`).
  ///
  /// - Returns: Whether the stint may go on, because the flow has finished or failed by itself. False: it was left.
  func walk() async -> Bool {
    var (graph, cargo, place) = beginning()
    // The step that is entered, or would be next; errors are its own.
    var node = place?.node
    var address = 0
    do {
      while true {
        if place == nil {
          guard case .step(let next) = try graph.advance(from: address, &cargo) else { break }
          node = next
          // Until this step is entered, the one before has the focus.
          let made = try await next.body.make?()
          if let made, next.body.skip != nil {
            switch try await skipping(next, made, cargo) {
            case .entered: break
            case .left: return false
            case .skipped(let output):
              cargo = cargo.with(output)
              address = next.address + 1
              continue
            }
          }
          place = commit == nil ? enterNow(next, made, cargo) : try await enter(next, made, cargo)
        }
        guard let entered = place, let here = node else { return false }
        if Task.isCancelled, notBegun(entered) { return false }
        let context = StepContext(runtime: self, info: here.info, visit: entered.visit.id)
        cargo = entered.cargo.with(try await here.body.proceed(entered.instance, entered.input, context))
        place = nil
        switch returned() {
        case .quietly: break
        case .left: return false
        case .toTidyUp: guard try await tidyUp() else { return false }
        }
        address = here.address + 1
      }
      return try await finish(cargo)
    } catch {
      return await failed(node, error)
    }
  }

  /// Not handed in by the caller, who would keep the place, and so its step, for as long as the walk goes on.
  @inline(never)
  private func beginning() -> (Graph, Cargo, Place?) {
    withState { ($0.machine.graph, $0.machine.launchCargo ?? Cargo(()), $0.machine.top) }
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
  @inline(never)
  private func enterNow(_ node: Node, _ instance: StepInstance?, _ cargo: Cargo) -> Place? {
    var old: LogEntry?
    var readers: EventLog.Wake?
    var garbage: [any Sendable] = []
    let place = withState { state -> Place? in
      guard let entered = state.machine.enter(node, instance: instance, cargo: cargo) else { return nil }
      old = state.log.append(entered.event)
      readers = state.log.takeWaiting()
      if state.machine.hasDiscarded { garbage = state.machine.takeDiscarded() }
      return entered.place
    }
    readers?.passOn()
    _ = (consume garbage, consume old)  // released here, outside the lock
    return place
  }

  @inline(never)
  private func enter(_ node: Node, _ instance: StepInstance?, _ cargo: Cargo) async throws -> Place? {
    try await decideWalking { machine in
      guard let entered = machine.enter(node, instance: instance, cargo: cargo) else { return Decision(nil) }
      return Decision(entered.place, entry: entered.event)
    }
  }

  private enum Skipping {
    case entered, left
    /// What goes on to the next step.
    case skipped(any Sendable)
  }

  /// Asks a step that was made whether to skip, and skips it.
  @inline(never)
  private func skipping(_ node: Node, _ made: StepInstance, _ cargo: Cargo) async throws -> Skipping {
    // Left while it was made: no other code of a step's is to run.
    guard goesOn else { return .left }
    guard case .with(let output)? = try await node.body.skip?(made, cargo.value) else { return .entered }
    guard try await skipped(node, made, cargo) else { return .left }
    return .skipped(output)
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

  @inline(never)
  private func finish(_ cargo: Cargo) async throws -> Bool {
    try await decideWalking { machine in
      let event = machine.finish(cargo.value)
      return Decision(event != nil, event: event)
    }
  }

  /// Whether nobody has asked to leave.
  private var goesOn: Bool { withState { $0.machine.phase == .walking } }

  private func notBegun(_ place: Place) -> Bool {
    let visit = place.visit.id
    return withState { state in
      let notBegun = state.machine.notBegun(visit)
      // What a commit under way adopts does not know of it yet.
      if notBegun, state.isCommitting {
        state.deferred.append { machine in
          _ = machine.notBegun(visit)
          return Decision(())
        }
      }
      return notBegun
    }
  }

  /// A step, its factory, its `skip` or its edge threw. False: the flow is being left, and the error is nobody's; or it
  /// was the commit hook that threw, and the run stops.
  @inline(never)
  func failed(_ node: Node?, _ error: any Error) async -> Bool {
    if let failure = error as? CommitFailure {
      await halt(failure.error)
      return false
    }
    do {
      guard try await tidyUp() else { return false }
      return try await decideWalking { machine in
        let event = machine.fail(node?.info.id ?? "", error)
        return Decision(event != nil, event: event)
      }
    } catch {
      await halt(error.error)
      return false
    }
  }
}

// MARK: - After a step

extension FlowCore {
  private enum Returned { case quietly, left, toTidyUp }

  /// The step has returned. In the everyday case that is all.
  @inline(never)
  private func returned() -> Returned {
    guard commit == nil else { return .toTidyUp }
    return withState { state in
      if state.machine.asking != nil || state.machine.hasRunningWork { return .toTidyUp }
      return state.machine.returned() ? .quietly : .left
    }
  }

  /// Ends what the step has left behind, by tasks of its own that it did not wait for: an open question is withdrawn,
  /// and a `once` that is under way is waited for. False: the flow is being left.
  @inline(never)
  private func tidyUp() async throws(CommitFailure) -> Bool {
    // First nothing new may begin, then what was begun is ended.
    let isLeft = !(try await decideWalking(commits: false) { Decision($0.returned()) })
    if let question = withState({ $0.machine.asking?.question.id }) {
      try await decideWalking { Decision((), event: $0.withdraw(question)) }
    }
    await waitForRunningWork()
    return !isLeft && goesOn  // it may have been left while it waited
  }
}
