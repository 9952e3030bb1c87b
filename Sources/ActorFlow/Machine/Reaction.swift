/// The consequences of one input of the machine: the events to publish, and the actions to perform.
///
/// They are collected while the input runs, and ``FlowMachine/react(to:)`` returns them together with the input's
/// value.
package struct Reaction: Sendable {
  /// The event to publish. Most inputs publish at most one.
  package internal(set) var event: LogEntry?
  /// The event to publish before ``event``, if the input opens or closes both a question and a wait.
  package internal(set) var firstEvent: LogEntry?
  /// The time at which the machine's timers are to fire next; `nil` if the time that was last given still holds.
  package internal(set) var timer: Duration?
  /// The values that the input has dropped. They are released outside the turn, because that may run a user's `deinit`,
  /// and before any task is resumed, so that no resumed task can find them alive.
  package internal(set) var discarded: [any Sendable] = []
  /// Whether the input has changed nothing that a later process must know, so that it needs no commit of its own. What
  /// it changed is committed with the next input.
  package internal(set) var isTransient = false
  /// Whether the commit of the input may wait for the next one; see ``FlowMachine/takeCommitNeed(of:isRequested:at:)``.
  var mayBeHeld = false
  /// The actions, in the order in which they are to be performed.
  package internal(set) var actions: [Action] = []

  package enum Action: Sendable {
    /// A walk begins on the track: from now on a leave cancels its task.
    case startWalk(TrackID)
    /// The track is left: cancel the task that walks it.
    case cancelWalk(TrackID)

    /// The calling task waits for the answer to the question that was opened on the track.
    case awaitAnswer(TrackID)
    case resumeAsker(TrackID, OneShot.Outcome)
    /// Remind the asker for the nth time.
    case remind(TrackID, Int)

    /// The calling task waits for a signal, as the wait of this number.
    case awaitSignal(Int)
    case resumeWait(Int, OneShot.Outcome)

    /// The calling task waits until a pause of the track has ended.
    case awaitPause(TrackID)
    case endPause(TrackID, OneShot.Outcome)

    /// The calling task asks for something that the step gave up in an earlier attempt. Hold the task until it gives up
    /// again or the step is over.
    case hold(TrackID)
    case releaseHeld(TrackID)
    /// The calling task is held as well, and may be told to ask again.
    case holdPresumed(TrackID)
    case askAgain(TrackID)

    /// The calling task waits until the flow has reached this milestone.
    case awaitMilestone(Milestone)
    /// The work of a `once` has ended: the tasks that wait for it check again.
    case wakeOnce
  }

  package init() {}

  /// The events in their order.
  package var events: [LogEntry] { [firstEvent, event].compactMap { $0 } }
}

extension FlowMachine {
  /// Takes an input.
  ///
  /// - Parameter input: Calls one of the machine's inputs.
  /// - Returns: The input's value, and its consequences.
  /// - Throws: The error of the input, which has then not changed the machine.
  @inline(__always)
  package mutating func react<Value>(to input: (inout FlowMachine) throws -> Value) rethrows -> (Value, Reaction) {
    do { return (try input(&self), takeReaction()) } catch {
      reaction = Reaction()
      throw error
    }
  }

  private mutating func takeReaction() -> Reaction {
    inputs += 1
    if timers.takeChange() { reaction.timer = nextTimer }
    // Exchanged, because a copy retains and releases each of its values.
    var taken = Reaction()
    swap(&taken, &reaction)
    return taken
  }

  /// Notes that the input needs no commit.
  mutating func needsNoCommit() { reaction.isTransient = true }

  mutating func perform(_ action: Reaction.Action) { reaction.actions.append(action) }

  /// Hands out a user's value, to be released outside the turn.
  mutating func discard(_ value: any Sendable) { reaction.discarded.append(value) }
}
