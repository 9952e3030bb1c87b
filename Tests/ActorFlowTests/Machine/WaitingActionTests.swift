import Testing

@testable import ActorFlow

/// The actions for tasks that wait for a pause or for the work of a `once`.
@Suite("Actions for waiting tasks") struct WaitingActionTests {
  @Test("the task that begins a pause waits for its end, and the timer is set")
  func pause() throws {
    var driver = try MachineDriver(.automatic)
    #expect(driver.give { $0.pause(.seconds(5), on: .main, at: .seconds(1)) })
    guard driver.latest.actions.count == 1, case .awaitPause(.main)? = driver.latest.actions.first else {
      Issue.record("the pause is not awaited: \(driver.latest.actions)")
      return
    }
    #expect(driver.latest.timer == .seconds(6) && driver.latest.event == nil)
    #expect(driver.give { $0.fire(at: .seconds(6)) })
    #expect(driver.latest.endedPauses(inTime: true) == [.main])
  }

  @Test("a flow that is being left begins no pause, and a leave ends a pause")
  func left() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    #expect(driver.give { $0.pause(.seconds(5), on: .main, at: .zero) })
    try driver.give { try $0.abandon(reason: "", rollBack: true, since: .zero) }
    #expect(driver.latest.endedPauses(inTime: false) == [.main])
    #expect(!driver.give { $0.pause(.seconds(5), on: .main, at: .zero) })
    #expect(driver.latest.actions.isEmpty && driver.machine.nextTimer == nil)
  }

  @Test("the end of the work of a `once` wakes each task that waits for it, whether it made a value or threw")
  func once() throws {
    for value in ["done", nil] {
      var driver = try MachineDriver(.automatic)
      driver.enter(0)
      let scope = RecordScope(Stay(driver.visit), isRollback: false)
      let begun = try driver.give {
        try $0.beginOnce("charge", scope: scope, type: String.self) { KeyBits(high: 1, low: 2) }
      }
      guard case .run = begun else {
        Issue.record("the work is not to run")
        return
      }
      #expect(driver.latest.actions.isEmpty)
      driver.give { $0.endOnce("charge", scope: scope, value: value) }
      guard driver.latest.actions.count == 1, case .wakeOnce? = driver.latest.actions.first else {
        Issue.record("nobody is woken: \(driver.latest.actions)")
        return
      }
      #expect(!driver.machine.hasRunningWork(on: .main))
    }
  }
}
