/// The consequences of one input of the machine: the event to publish, and the actions to perform.
///
/// They are collected while the input runs, and ``FlowMachine/react(to:)`` returns them together with the input's value.
package struct Reaction: Sendable {
  /// The event to publish. An input publishes at most one.
  package internal(set) var event: LogEntry?
  /// The time at which the machine wants to be told of the time; nil if that may stay as it is.
  package internal(set) var timer: Duration?
  /// The values that the input has dropped. They are released outside the turn, because that may run a `deinit` of the
  /// user's, and before anything is resumed, so that a task that goes on finds nothing of them.
  package internal(set) var discarded: [any Sendable] = []
  /// Most inputs cause at most one action, which needs no array.
  private var first: Action?
  private var more: [Action] = []

  package enum Action: Sendable {
    /// A walk begins on the track: from now on a leave cancels its task.
    case startWalk(TrackID)
    /// The track is left: cancel the task that walks it.
    case cancelWalk(TrackID)

    /// The task that gave the input waits for the answer to the question that was opened on the track.
    case awaitAnswer(TrackID)
    case resumeAsker(TrackID, OneShot.Outcome)
    /// Remind the asker, for the nth time.
    case remind(TrackID, Int)

    /// The task that gave the input waits for a signal, as the wait of this number.
    case awaitSignal(Int)
    case resumeWait(Int, OneShot.Outcome)

    /// The task that gave the input waits until a pause of the track has ended.
    case awaitPause(TrackID)
    case endPause(TrackID, OneShot.Outcome)

    /// The task that gave the input comes for something that the step gave up in an earlier attempt: it waits until it
    /// gives up again, or the step is over.
    case hold(TrackID)
    case releaseHeld(TrackID)

    /// The task that gave the input waits until the flow has come to this point.
    case awaitMilestone(Milestone)
    /// The work of a `once` has ended: whoever waits for it looks again.
    case wakeOnce
  }

  package init() {}

  /// The actions, in the order in which they are performed.
  package var actions: [Action] { (first.map { [$0] } ?? []) + more }

  @inline(__always)
  package func forEachAction(_ body: (Action) -> Void) {
    guard let first else { return }
    body(first)
    for action in more { body(action) }
  }

  mutating func add(_ action: Action) {
    if first == nil { first = action } else { more.append(action) }
  }
}

extension FlowMachine {
  /// Takes an input.
  ///
  /// - Parameter input: Calls one of the machine's inputs.
  /// - Returns: The input's value, and what is to be done because of it.
  /// - Throws: What the input throws; the machine has not changed then.
  @inline(__always)
  package mutating func react<Value>(to input: (inout FlowMachine) throws -> Value) rethrows -> (Value, Reaction) {
    do { return (try input(&self), takeReaction()) } catch {
      reaction = Reaction()
      throw error
    }
  }

  private mutating func takeReaction() -> Reaction {
    if timers.takeChange() { reaction.timer = nextTimer }
    defer { reaction = Reaction() }
    return reaction
  }

  mutating func perform(_ action: Reaction.Action) { reaction.add(action) }

  /// Hands a value of the user's out, to be released outside the turn.
  mutating func discard(_ value: any Sendable) { reaction.discarded.append(value) }
}
