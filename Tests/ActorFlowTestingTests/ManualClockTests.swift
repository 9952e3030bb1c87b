import ActorFlow
import ActorFlowTesting
import Testing

@Suite struct ManualClockTests {
  /// The names of the sleepers in the order in which they were resumed: each runs alone on an actor, in order of
  /// arrival.
  private actor WakeLog {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }

  @Test("a sleeper wakes when its deadline is reached, and not before")
  func deadline() async throws {
    let clock = ManualClock()
    async let slept: Void = clock.sleep(for: .seconds(10))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleepers == 0)
    try await slept
    #expect(clock.now.offset == .seconds(10))
  }

  @Test("a sleep until a past deadline returns at once")
  func passed() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)))
    try await clock.sleep(for: .zero)
  }

  @Test("time never goes back")
  func negative() {
    let clock = ManualClock()
    clock.advance(by: .seconds(-1))
    #expect(clock.now == ManualClock.Instant())
  }

  @Test("one advance wakes all sleepers that are due, and leaves the others")
  func due() async throws {
    let clock = ManualClock()
    let wakeLog = WakeLog()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seconds in [3, 1, 2] {
        group.addTask {
          try await clock.sleep(for: .seconds(seconds))
          await wakeLog.add("\(seconds)")
        }
      }
      try await clock.waitForSleepers(3)
      for seconds in 1...3 {
        clock.advance(by: .seconds(1))
        #expect(clock.sleepers == 3 - seconds)
        _ = try await group.next()
      }
    }
    #expect(await wakeLog.lines == ["1", "2", "3"])
  }

  @Test("a cancelled sleeper is removed at once, and throws CancellationError")
  func cancelled() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers(1)
    sleeper.cancel()
    #expect(clock.sleepers == 0)
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test("a task that is cancelled already does not sleep")
  func cancelledBefore() async throws {
    let clock = ManualClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers == 0)
  }

  @Test("waiting for sleepers can be cancelled")
  func waitingCancelled() async throws {
    let clock = ManualClock()
    let watcher = Task { try await clock.waitForSleepers(1) }
    watcher.cancel()
    await #expect(throws: CancellationError.self) { try await watcher.value }
  }

  @Test("2,000 sleepers, half of them cancelled while the clock moves, all end")
  func contention() async throws {
    let clock = ManualClock()
    let count = 2_000
    let woken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<count {
        group.addTask {
          let sleeper = Task { try await clock.sleep(until: .init(offset: .milliseconds(number % 50))) }
          if number.isMultiple(of: 2) { sleeper.cancel() }
          do { try await sleeper.value } catch { return false }
          return true
        }
      }
      group.addTask {
        for _ in 0..<50 {
          clock.advance(by: .milliseconds(1))
          await Task.yield()
        }
        return false
      }
      var woken = 0
      for await isWoken in group where isWoken { woken += 1 }
      return woken
    }
    #expect(woken >= count / 2)
    #expect(clock.sleepers == 0)
  }
}
