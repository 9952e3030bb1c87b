/// The state of a run's only timer task.
struct TimerState: Sendable {
  var task: Task<Void, Never>?
  /// The time at which the task wakes; `nil` if it does not sleep.
  var wakes: Duration?
  /// Whether the task sleeps for a timer, and not only until a commit is held back no longer.
  var isForTimer = false
  /// Whether the task has woken and fires timers. It looks for the next one when it is done.
  var isFiring = false
  var isOver = false
}

// Time: fires the timers of the machine, which has no clock.
extension FlowCoordinator {
  /// Starts to sleep until the earliest timer, unless a sleep under way ends no later. A sleep for no timer is replaced
  /// by one for a timer in any case, so that a test that waits for the sleep of the timer sees it.
  nonisolated func setTimer(
    _ due: Duration, isForTimer: Bool, in timer: inout TimerState, _ afterwards: inout Afterwards
  ) {
    guard !timer.isOver, !timer.isFiring else { return }
    if let wakes = timer.wakes, wakes <= due, timer.isForTimer || !isForTimer { return }
    (timer.wakes, timer.isForTimer) = (due, isForTimer)
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
    withState { state in
      if let due = state.machine.nextWake {
        setTimer(due, isForTimer: state.machine.nextTimer != nil, in: &state.timer, &afterwards)
      }
    }
    return afterwards
  }

  /// Sleeps until the earliest timer, fires it, and so on until no timer is armed.
  nonisolated func keepTime() async {
    var earliest = Duration.zero
    while let (due, isForTimer, stopwatch) = await nextSleep(after: earliest) {
      do { try await stopwatch.sleep(until: due, isForTimer: isForTimer) } catch { return }
      await beginFiring()
      do {
        while try await fire() {}
        earliest = .zero
      } catch {
        // The timer could not be committed and is still armed, so it is tried again after a second.
        earliest = stopwatch.elapsed().later(by: .seconds(1))
      }
    }
  }

  private func beginFiring() { state.timer.isFiring = true }

  private func nextSleep(after earliest: Duration) -> (due: Duration, isForTimer: Bool, any Stopwatch)? {
    state.timer.isFiring = false
    state.timer.wakes = nil
    guard !state.timer.isOver, let wake = withState({ $0.machine.nextWake }) else { return nil }
    let (due, isForTimer) = (max(wake, earliest), withState { $0.machine.nextTimer != nil })
    (state.timer.wakes, state.timer.isForTimer) = (due, isForTimer)
    return (due, isForTimer, state.stopwatch)
  }

  /// Fires what is due next, if anything is. Returns whether more may be due.
  ///
  /// In order even without a commit hook, so that ``timersHaveFired()`` waits until the tasks concerned are resumed.
  nonisolated func fire() async throws -> Bool {
    let (late, isMoreDue) = try await decideInOrder { machine, stopwatch in
      let (now, due) = (stopwatch.elapsed(), machine.nextTimer)
      return (due.flatMap { $0 <= now ? now - $0 : nil }, machine.fire(at: now))
    }
    if let late { observation?.timerFired(late) }
    return isMoreDue
  }

  /// Waits until a timer that is firing has resumed the tasks concerned.
  nonisolated func timersHaveFired() async {
    await order.lock()
    order.unlock()
  }

  /// Waits on the run's clock before a walk begins. Returns false if the flow is being left.
  @inline(never)
  nonisolated func pause(_ duration: Duration, on track: TrackID) async -> Bool {
    let waiter = OneShot()
    do {
      let waits = try await decide(on: track, waiter: waiter) { machine, stopwatch in
        machine.pause(duration, on: track, at: stopwatch.elapsed())
      }
      guard waits else { return false }
      _ = try await waiter.value()
      return true
    } catch {
      await forgetPause(on: track)
      return false
    }
  }

  private func forgetPause(on track: TrackID) { state.pauses[track] = nil }
}

/// A clock that measures the time since its start.
package protocol Stopwatch: AnyObject, Sendable {
  /// Returns the time since the start.
  func elapsed() -> Duration

  /// Sleeps until this much time has elapsed, or shorter.
  ///
  /// - Parameter isForTimer: Whether the flow has a timer. If not, the sleep only ends the holding back of a commit.
  func sleep(until due: Duration, isForTimer: Bool) async throws
}

/// The stopwatch of a run that has not begun.
final class StoppedStopwatch: Stopwatch {
  static let shared = StoppedStopwatch()

  private init() {}

  func elapsed() -> Duration { .zero }
  func sleep(until due: Duration, isForTimer: Bool) {}
}

/// A stopwatch that starts when it is made, and takes its time from a clock.
final class ClockStopwatch<C: Clock>: Stopwatch where C.Duration == Duration {
  private let clock: C
  private let start: C.Instant

  init(_ clock: C) {
    (self.clock, start) = (clock, clock.now)
  }

  func elapsed() -> Duration { start.duration(to: clock.now) }

  /// A cancelled sleep of the system's clocks takes up memory until it would have ended, so no sleep is longer than a
  /// minute.
  func sleep(until due: Duration, isForTimer: Bool) async throws {
    let isSystems = clock is ContinuousClock || clock is SuspendingClock
    let end = isSystems ? min(due, elapsed().later(by: .seconds(60))) : due
    try await clock.sleep(until: start.advanced(by: end), tolerance: nil)
  }
}

extension Clock<Duration> {
  /// Starts a stopwatch.
  func stopwatch() -> any Stopwatch { ClockStopwatch(self) }
}

/// A stopwatch for a flow that began in an earlier process.
package final class PersistedStopwatch: Stopwatch {
  private let time: @Sendable () -> Duration
  private let sleepUntil: Sleep

  /// Sleeps as ``sleep(until:isForTimer:)`` does.
  package typealias Sleep = @Sendable (_ due: Duration, _ isForTimer: Bool) async throws -> Void

  /// - Parameters:
  ///   - elapsed: The time since the start.
  ///   - sleepUntil: Sleeps until this much time has elapsed, or shorter.
  package init(elapsed: @escaping @Sendable () -> Duration, sleepUntil: @escaping Sleep) {
    (time, self.sleepUntil) = (elapsed, sleepUntil)
  }

  package func elapsed() -> Duration { time() }

  package func sleep(until due: Duration, isForTimer: Bool) async throws { try await sleepUntil(due, isForTimer) }
}
