import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite struct WallClockTests {
  @Test("a manual wall clock wakes a sleeper at its time of day, and not before")
  func manual() async throws {
    let clock = ManualWallClock(Date(timeIntervalSince1970: 1_000_000))
    let deadline = clock.now.addingTimeInterval(86_400)
    async let slept: Void = clock.sleep(until: deadline)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(86_399))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    try await slept
    #expect(clock.now == Date(timeIntervalSince1970: 1_086_400))
    try await clock.sleep(until: .distantPast)
  }

  @Test("a time that was stored and read is still the instant at which the clock wakes")
  func stored() async throws {
    let clock = ManualWallClock()
    let deadline = clock.now.addingTimeInterval(1.1).stored
    async let slept: Void = clock.sleep(until: deadline)
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(1_100))
    #expect(clock.sleepers == 0)
    try await slept
  }

  @Test("a cancelled sleeper wakes at once, on both clocks", arguments: [true, false])
  func cancelled(manual: Bool) async throws {
    let clock: any WallClock = manual ? ManualWallClock() : .system
    let sleeper = Task { try await clock.sleep(until: .distantFuture) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}
