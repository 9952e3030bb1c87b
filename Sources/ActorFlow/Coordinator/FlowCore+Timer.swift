/// The one timer of a run.
struct TimerState: Sendable {
  var task: Task<Void, Never>?
  /// When it wakes; nil: it does not sleep.
  var wakes: Duration?
  /// It has woken, and looks for what comes next when it is done.
  var isRinging = false
  var isOver = false
}

extension FlowCore.State {
  /// Whether the machine wants to be told of the time earlier than the timer will wake. Asked after each input.
  var timerIsLate: Bool {
    mutating get {
      guard machine.alarmsHaveChanged(), !timer.isOver, !timer.isRinging, let due = machine.nextAlarm else {
        return false
      }
      return timer.wakes.map { due < $0 } ?? true
    }
  }
}

// Time: tells the machine when it wants to be told.
extension FlowCore {
  /// Sleeps until the earliest alarm, tells the machine, and so on until nothing is armed.
  func keepTime() async {
    var earliest = Duration.zero
    while let (due, watch) = nextSleep(after: earliest) {
      do { try await watch.sleep(until: due) } catch { return }
      withState { $0.timer.isRinging = true }
      do {
        while try await ring() {}
        earliest = .zero
      } catch {
        // It could not be committed, so the alarm is as it was, and is tried again in a while.
        earliest = elapsed.later(by: .seconds(1))
      }
    }
  }

  private func nextSleep(after earliest: Duration) -> (Duration, Stopwatch)? {
    withState { state in
      state.timer.isRinging = false
      state.timer.wakes = nil
      guard !state.timer.isOver, let due = state.machine.nextAlarm, let watch = stopwatch else { return nil }
      state.timer.wakes = max(due, earliest)
      return (max(due, earliest), watch)
    }
  }

  /// Whether there may be more that is due.
  func ring() async throws -> Bool {
    let now = elapsed
    guard commit == nil else { return try await decide { Self.decision(on: $0.ring(at: now)) } }
    // As a commit does: who comes after it finds whoever was concerned told.
    await gate.enter()
    defer { gate.leave() }
    return try await decide { Self.decision(on: $0.ring(at: now)) }
  }

  /// Waits for a ringing that is under way: whoever it concerns has been told.
  func timerHasRung() async throws {
    guard commit == nil else { return try await catchUp() }
    await gate.enter()
    gate.leave()
  }

  private static func decision(on rung: FlowMachine.Rung) -> Decision<Bool> {
    var decision = Decision(true)
    switch rung {
    case .none: decision.value = false
    case .stale: break
    case .leave(let leaving):
      decision.event = leaving.event?.entry
      decision.track = leaving.track
      decision.cancelsWalk = leaving.cancelsWalk
    case .overdue(let track, let event):
      decision.event = event.entry
      decision.track = track
      decision.errand = .answer(.success(TimeIsUp()))
    case .remind(let track, let number):
      decision.track = track
      decision.errand = .nudge(number)
    case .waited(let number, let event):
      decision.event = event.entry
      decision.errand = .wake(number: number, TimeIsUp())
    case .paused(let track):
      decision.track = track
      decision.errand = .endPause
    }
    return decision
  }

  /// Waits on the run's clock before a walk begins. False: the flow is being left.
  @inline(never)
  func pause(_ duration: Duration, on track: TrackID) async -> Bool {
    let cell = Cell()
    let now = elapsed
    do {
      let waits = try await decide(on: track) { machine in
        var decision = Decision(machine.pause(duration, on: track, at: now))
        if decision.value { decision.errand = .pause(cell) }
        return decision
      }
      guard waits else { return false }
      _ = try await cell.value()
      return true
    } catch {
      withState { _ = $0.pauses.removeValue(forKey: track) }
      return false
    }
  }
}
