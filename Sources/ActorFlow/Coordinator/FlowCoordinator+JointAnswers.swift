// Answers to steps that only ask: in a durable flow, the answer and the next question are one commit.
extension FlowCoordinator {
  /// Decides and commits an answer, with the move to the next step and its question if both steps only ask; see ``Ask``.
  /// Everything else is as in ``decide(on:cause:evenPassivated:waiter:newStopwatch:_:)``.
  ///
  /// If the store refuses the joint commit for its content, the answer is committed alone. The step then asks by itself,
  /// and fails.
  ///
  /// - Parameter input: Answers the question, unless it returns another one.
  nonisolated func decideAnswer(
    on track: TrackID, cause: (any CommitCause)?, asker: OneShot?,
    _ input: @Sendable (inout FlowMachine, any Stopwatch) throws -> Question?
  ) async throws -> Question? {
    guard isPersisted, let cause, commit != nil, await onlyAsks(track) else {
      return try await decide(on: track, cause: cause, input)
    }
    await order.lock()
    defer { order.unlock() }
    if cancellation.isPending { await hearOfCancellation() }
    var (next, stopwatch) = try await nextMachine(for: cause, evenPassivated: false)
    var (changed, answer) = try next.react { try input(&$0, stopwatch) }
    let time = stopwatch.elapsed()
    _ = next.takeCommitNeed(of: &answer, isRequested: true, at: time)
    let answered = next.events(of: answer, at: time)
    if changed == nil, let asker {
      var joint = next
      let asked = joint.askNext(after: answer, on: track, at: time) { try persisted($0, of: $1) }
      if let asked {
        do {
          let events = answered + joint.events(asked.events, at: time)
          let isLast = try await commit(joint, events, cause, at: time, keeping: asker)
          var afterwards = await adopt(joint, answer, asked, keeping: asker, on: track, at: time, isLast: isLast)
          afterwards.perform()
          asker.giveBack()
          return nil
        } catch let error as FlowError where error.code == .tooLarge || error.code == .notStorable {}
      }
    }
    let isLast = try await commit(next, answered, cause, at: time)
    var afterwards = await adopt(next, answer, nil, nil, at: time, isLast: isLast)
    afterwards.perform()
    return changed
  }

  private func onlyAsks(_ track: TrackID) -> Bool {
    withState { $0.machine.top(of: track)?.node.body.question != nil }
  }

  /// Adopts an answer and what follows it. The asker goes on waiting, for the answer to the next question.
  private func adopt(
    _ joint: FlowMachine, _ answer: Reaction, _ asked: FlowMachine.JointQuestion, keeping asker: OneShot,
    on track: TrackID, at time: Duration, isLast: Bool
  ) -> Afterwards {
    var answer = answer
    answer.keepAsker(on: track)
    var afterwards = withState { state in
      state.machine = joint
      var afterwards = adopt(answer, nil, nil, at: time, in: &state)
      afterwards.add(adopt(asked.move, nil, nil, at: time, in: &state))
      afterwards.add(adopt(asked.question, asker, nil, at: time, in: &state))
      return afterwards
    }
    if isLast { passivate(&afterwards) }
    return afterwards
  }

  /// Moves the cursor on after a step that only asks. Its asker may have waited on for the answer to a later question:
  /// then the step of that question is the one that has returned.
  @inline(never)
  nonisolated func leaveAsker(
    _ cursor: inout Cursor, _ asker: Place, making answer: any Sendable, on track: TrackID
  ) async throws {
    let place = await latestPlace(on: track) ?? asker
    if place.visit.id != asker.visit.id {
      (cursor.place, cursor.node) = (place, place.node)
      // The scopes around it were not armed by this walk.
      cursor.isUnwatched = true
    }
    cursor.leave(place, making: try place.node.body.question?.typed(answer) ?? answer)
  }

  private func latestPlace(on track: TrackID) -> Place? { withState { $0.machine.top(of: track) } }
}
