/// The one timer of a run.
struct TimerState: Sendable {
  var task: Task<Void, Never>?
  /// When it wakes; nil: it does not sleep.
  var wakes: Duration?
  /// It has woken, and looks for what comes next when it is done.
  var isRinging = false
  var isOver = false
}

// Time: tells the machine when it wants to be told.
extension FlowCoordinator {
  /// Whether the machine wants to be told of the time earlier than the timer will wake. Asked after each input.
  var timerIsLate: Bool {
    guard machine.alarmsHaveChanged(), !timer.isOver, !timer.isRinging, let due = machine.nextAlarm else {
      return false
    }
    return timer.wakes.map { due < $0 } ?? true
  }

  /// Begins to sleep until the earliest alarm, unless a sleep that ends no later is under way.
  func setTimer(_ afterwards: inout Afterwards) {
    guard !timer.isOver, !timer.isRinging, let due = machine.nextAlarm else { return }
    if let wakes = timer.wakes, wakes <= due { return }
    timer.wakes = due
    let old = timer.task
    if let old { afterwards.add(.cancel(old)) }
    timer.task = timekeeping(after: old)
  }

  /// Sets the timer of a flow that was read back.
  nonisolated func setTimer() async {
    var afterwards = await timerSet()
    afterwards.perform()
  }

  private func timerSet() -> Afterwards {
    var afterwards = Afterwards()
    setTimer(&afterwards)
    return afterwards
  }

  /// Sleeps until the earliest alarm, tells the machine, and so on until nothing is armed.
  nonisolated func keepTime() async {
    var earliest = Duration.zero
    while let (due, stopwatch) = await nextSleep(after: earliest) {
      do { try await stopwatch.sleep(until: due) } catch { return }
      await beginRinging()
      do {
        while try await ring() {}
        earliest = .zero
      } catch {
        // It could not be committed, so the alarm is as it was, and is tried again in a while.
        earliest = stopwatch.elapsed().later(by: .seconds(1))
      }
    }
  }

  private func beginRinging() { timer.isRinging = true }

  private func nextSleep(after earliest: Duration) -> (Duration, Stopwatch)? {
    timer.isRinging = false
    timer.wakes = nil
    guard !timer.isOver, let due = machine.nextAlarm else { return nil }
    timer.wakes = max(due, earliest)
    return (max(due, earliest), stopwatch)
  }

  /// Whether there may be more that is due.
  nonisolated func ring() async throws -> Bool {
    guard commit == nil else { return try await ringInOrder() }
    // As with a commit: the tasks concerned are told before anybody else who waits in order comes.
    await order.lock()
    defer { order.unlock() }
    return try await ringInOrder()
  }

  private nonisolated func ringInOrder() async throws -> Bool {
    try await decide { machine, stopwatch in Self.decision(on: machine.ring(at: stopwatch.elapsed())) }
  }

  /// Waits for a ringing that is under way: the tasks concerned have been told.
  nonisolated func timerHasRung() async throws {
    guard commit == nil else { return try await catchUp() }
    await order.lock()
    order.unlock()
  }

  private static func decision(on rung: FlowMachine.Rung) -> Decision<Bool> {
    var decision = Decision(true)
    switch rung {
    case .none: decision.value = false
    case .stale: break
    case .leave(let leaving): decision = Decision(true, leaving)
    case .overdue(let track, let event):
      decision.event = event.entry
      decision.track = track
      decision.errand = .answer(.success(TimeIsUp()))
    case .remind(let track, let number):
      decision.track = track
      decision.errand = .remind(number)
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
  nonisolated func pause(_ duration: Duration, on track: TrackID) async -> Bool {
    let waiter = OneShot()
    do {
      let waits = try await decide(on: track) { machine, stopwatch in
        var decision = Decision(machine.pause(duration, on: track, at: stopwatch.elapsed()))
        if decision.value { decision.errand = .pause(waiter) }
        return decision
      }
      guard waits else { return false }
      _ = try await waiter.value()
      return true
    } catch {
      await forgetPause(on: track)
      return false
    }
  }

  private func forgetPause(on track: TrackID) { pauses[track] = nil }
}
