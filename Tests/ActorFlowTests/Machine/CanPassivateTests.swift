import ActorFlow
import Testing

/// A flow can be passivated if it is settled and no work of its steps is under way.
@Suite("Passivation on the machine") struct CanPassivateTests {
  private var driver: MachineDriver
  private let stay: Stay

  init() throws {
    driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    stay = Stay(driver.visit)
  }

  private mutating func wait(for signal: String) throws -> Int {
    guard
      case .waiting(let number) = try driver.give({ [stay] in
        try $0.wait(for: signal, as: Int.self, at: stay, until: nil)
      })
    else { throw Refused() }
    return number
  }

  @Test("a flow whose step asks and waits one after the other can be passivated at each")
  mutating func oneByOne() throws {
    #expect(!driver.machine.canPassivate)
    let question = try driver.ask()
    #expect(driver.machine.canPassivate)
    try driver.answer(question)
    #expect(!driver.machine.isSettled)
    _ = try wait(for: "s")
    #expect(driver.machine.canPassivate)
  }

  @Test("an answered asker is executing, although something else is open")
  mutating func answered() throws {
    _ = try wait(for: "s")
    let question = try driver.ask()
    #expect(driver.machine.canPassivate)
    try driver.answer(question)
    #expect(driver.machine.isSettled && !driver.machine.canPassivate && !driver.machine.isPresentable)
    _ = try driver.ask()
    #expect(driver.machine.canPassivate && driver.machine.isPresentable)
  }

  @Test("a waiter is executing when its signal has arrived; the open question is still shown")
  mutating func received() throws {
    _ = try driver.ask()
    _ = try wait(for: "s")
    guard case .received = try driver.give({ try $0.send(1, to: "s", key: nil) }) else { throw Refused() }
    #expect(driver.machine.isSettled && !driver.machine.canPassivate && driver.machine.isPresentable)
  }

  @Test("a given-up wait executes no longer; a wait that timed out does")
  mutating func givenUp() throws {
    let (late, cancelled) = (try wait(for: "late"), try wait(for: "cancelled"))
    let question = try driver.ask()
    driver.give { $0.stopWaiting(cancelled, isGivenUp: true) }
    #expect(driver.machine.canPassivate)
    driver.give { $0.stopWaiting(late) }
    #expect(!driver.machine.canPassivate)
    driver.give { $0.withdraw(question.id.number) }
    #expect(!driver.machine.isSettled)
    _ = try wait(for: "next")
    #expect(driver.machine.canPassivate)
  }

  @Test("the next visit starts without executing tasks, and a flow that has ended can be passivated")
  mutating func ended() throws {
    _ = try wait(for: "s")
    let question = try driver.ask()
    try driver.answer(question)
    driver.enter(1)
    _ = try driver.ask()
    #expect(driver.machine.canPassivate)
    try driver.abandon(rollBack: false)
    _ = driver.rollBack()
    #expect(driver.machine.canPassivate)
  }

  @Test(
    "a failed attempt is forgotten: its pause can be passivated, and so can the next attempt with less open at once")
  func retried() throws {
    var driver = try TrackDriver(
      Flow { Raw.step("a").retry(3, backoff: .constant(.seconds(60))) })
    let visit = try #require(driver.running[.main]?.visit.id)
    _ = try driver.machine.wait(for: "s", as: Int.self, at: Stay(visit), until: nil)
    try driver.answer(driver.ask("a"))
    #expect(!driver.machine.canPassivate, "the asker is executing")
    try driver.fail("a")
    #expect(driver.machine.canPassivate, "nothing but the clock is running")
    driver.advance(by: .seconds(60))
    #expect(!driver.machine.canPassivate)
    try driver.ask("a")
    #expect(driver.machine.canPassivate && driver.machine.isPresentable)
  }
}
