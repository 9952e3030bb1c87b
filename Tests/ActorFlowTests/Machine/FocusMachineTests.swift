import Testing

@testable import ActorFlow

@Suite("Rule 5: there is always a step in focus") struct FocusMachineTests: AskingFlows {
  private func stack(_ driver: TrackDriver) -> [String] { driver.position.stack.map(\.step.name) }

  @Test("in a pause before another attempt at the flow's beginning the last visit stays in focus")
  func pause() throws {
    let pause = Backoff.constant(.seconds(60))
    var driver = try TrackDriver(two("b", "c").retry(2, backoff: pause))
    try driver.make(at: "b")
    let visit = driver.position.stack.top?.id
    try driver.fail("c")
    #expect(driver.compensatedLine == "c b" && driver.steps.isEmpty)
    #expect(stack(driver) == ["c"] && driver.position.stack.top?.id == visit && driver.position.status == .running)
    #expect(!driver.position.canBackUp)
    driver.advance(by: .seconds(60))
    #expect(stack(driver) == ["b"])
    #expect(driver.lines.suffix(2) == ["unwound - 0", "moved c→b"])
  }

  @Test("while a recovery at the flow's beginning runs the failed step stays in focus, until its successor is entered")
  func recovery() throws {
    var driver = try TrackDriver(
      Flow {
        step("b").recover { _ in "" }
        step("c")
      })
    var during: [String] = []
    driver.recovery = { _ in
      during = ["asked"]
      return ""
    }
    try driver.fail("b")
    #expect(during == ["asked"])
    #expect(driver.events.allSatisfy { event in event.sequence < 3 || !event.position.stack.isEmpty })
    #expect(stack(driver) == ["c"])
    #expect(driver.lines.suffix(2) == ["unwound - 0", "moved b→c"])
  }

  @Test("in a pause at a branch's beginning the last visit stays in focus in that branch")
  func branch() throws {
    var driver = try TrackDriver(
      Flow {
        Parallel {
          two("b", "c").retry(2, backoff: .constant(.seconds(60)))
          step("d")
        } join: {
          $0 + $1
        }
      })
    try driver.make(at: "b")
    try driver.fail("c")
    #expect(driver.position.branches.first?.stack.map(\.step.name) == ["c"])
  }

  @Test("an abandon in such a pause leaves the visit in focus, and calls no backUp again")
  func abandonInPause() throws {
    var driver = try TrackDriver(two("b", "c").retry(2, backoff: .constant(.seconds(60))))
    try driver.make(at: "b")
    try driver.fail("c")
    driver.forget()
    try driver.abandon()
    #expect(driver.undone.isEmpty)
    #expect(driver.lines.first == "leaving c abandoned" && driver.position.status == .ended(.abandoned(reason: "")))
  }

  @Test("a flow that finishes with its recovery shows no visit that was compensated")
  func finishedByRecovery() throws {
    var driver = try TrackDriver(Flow { step("b").recover { _ in "" } })
    try driver.fail("b")
    #expect(driver.position.status == .ended(.finished) && stack(driver).isEmpty)
  }

  @Test("after a finish the stack shows the visits that still stand on it")
  func finished() throws {
    var driver = try TrackDriver(two("b", "c"))
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(driver.position.status == .ended(.finished) && stack(driver) == ["c", "b"])
  }

  @Test("after a finish a settling step is gone, with everything before it")
  func settled() throws {
    var driver = try TrackDriver(
      Flow {
        step("b")
        step("c").onBackUp(.settling)
      })
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(driver.position.status == .ended(.finished) && stack(driver).isEmpty)
    driver = try TrackDriver(
      Flow {
        step("b").onBackUp(.settling)
        step("c")
      })
    try driver.make(at: "b")
    try driver.make(at: "c")
    #expect(stack(driver) == ["c"])
  }
}
