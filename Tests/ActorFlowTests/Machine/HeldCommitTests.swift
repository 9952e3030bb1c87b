import Testing

@testable import ActorFlow

/// The machine says which commits may wait for the next one, and until when.
@Suite("Commits that wait") struct HeldCommitTests {
  private func driver(_ flow: Flow<String, String>? = nil) throws -> MachineDriver {
    var driver = try flow.map { try MachineDriver($0) } ?? MachineDriver(.automatic, .automatic, .automatic)
    driver.machine.holdTime = .milliseconds(100)
    return driver
  }

  @Test("a move waits, a question does not, and with its commit the waiting is over")
  func moveAndQuestion() throws {
    var driver = try driver()
    #expect(driver.need() == .now, "the launch")
    driver.enter(0)
    #expect(driver.need(at: .seconds(1)) == .later)
    #expect(driver.latest.timer == .milliseconds(1_100) && driver.machine.nextWake == .milliseconds(1_100))
    #expect(driver.machine.nextTimer == nil, "the stored state wakes for no commit that waits")
    driver.enter(1)
    #expect(driver.need(at: .seconds(2)) == .later)
    #expect(driver.machine.nextWake == .milliseconds(1_100), "the first change counts")
    _ = try driver.ask()
    #expect(driver.need() == .now)
    #expect(driver.machine.nextWake == nil)
  }

  @Test("a skipped step waits, an answer, a `once` and an end do not")
  func others() throws {
    var driver = try driver()
    driver.skip(0)
    #expect(driver.need() == .later)
    driver.enter(1)
    let question = try driver.ask()
    try driver.answer(question)
    #expect(driver.need() == .now)
    driver.enter(2)
    let scope = RecordScope(Stay(driver.visit), isRollback: false)
    _ = try driver.give { try $0.beginOnce("charge", scope: scope, type: String.self) { KeyBits(high: 1, low: 2) } }
    #expect(driver.need() == .now)
    driver.give { $0.endOnce("charge", scope: scope, value: "done") }
    #expect(driver.need() == .now)
    driver.finish()
    #expect(driver.need() == .now)
  }

  @Test("a request never waits, and a machine without a time to wait holds nothing")
  func requested() throws {
    var driver = try driver()
    driver.enter(0)
    #expect(driver.need(isRequested: true) == .now)
    driver.machine.holdTime = nil
    driver.enter(1)
    #expect(driver.need() == .now)
  }

  @Test("a step that is entered durably does not wait; the steps around it do")
  func durableEntry() throws {
    var driver = try driver(
      Flow<String, String> {
        Step("a") { Asker() }
        Step("b") { Asker() }.durableEntry()
        Step("c") { Asker() }
      })
    driver.enter(0)
    #expect(driver.need() == .later)
    driver.enter(1)
    #expect(driver.need() == .now)
    driver.enter(2)
    #expect(driver.need() == .later)
  }

  @Test("when the time is over, the machine asks for a commit, and an earlier look asks for none")
  func time() throws {
    var driver = try driver()
    driver.enter(0)
    #expect(driver.need(at: .zero) == .later)
    #expect(!driver.give { $0.fire(at: .milliseconds(99)) })
    #expect(driver.need() == .none)
    #expect(driver.give { $0.fire(at: .milliseconds(100)) })
    #expect(driver.need() == .now)
    #expect(!driver.give { $0.fire(at: .milliseconds(100)) })
    #expect(driver.need() == .none)
  }

  @Test("an end that could not be committed is not committed with what waits")
  func halt() throws {
    var driver = try driver()
    driver.enter(0)
    #expect(driver.need() == .later)
    driver.give { $0.halt(Refused()) }
    #expect(driver.need() == .none)
  }

  @Test("nothing waits while the flow is settled: the end of one branch, while the other one asks")
  func settled() throws {
    var driver = try driver(
      Flow<String, String> {
        Parallel {
          Step("l") { Asker() }
          Step("r") { Asker() }
        } join: { left, right in
          left + right
        }
      })
    let node = try #require(driver.graph.nodes.first { $0.fork != nil })
    let plan = try #require(node.fork)
    let tracks = try #require(
      driver.give { $0.fork(node, plan, payload: Payload("-"), inputs: ["-", "-"], on: .main) })
    #expect(driver.need() == .later)
    for (track, name) in zip(tracks, ["l", "r"]) {
      let step = try #require(driver.graph.nodes.first { $0.info.id.name == name })
      driver.give { _ = $0.enter(step, instance: nil, payload: Payload("-"), on: track) }
      #expect(driver.need() == .later)
    }
    let visit = try #require(driver.machine.visit(of: tracks[0])?.id)
    _ = try driver.give { try $0.ask(Form(text: "?"), key: nil, visit: visit, on: tracks[0]) }
    #expect(driver.need() == .now)
    #expect(driver.give { $0.finishBranch(tracks[1], "r") })
    #expect(driver.need() == .now, "nobody but the answerer of the other branch goes on")
  }
}

extension MachineDriver {
  /// The need of the latest input for a commit.
  fileprivate mutating func need(isRequested: Bool = false, at now: Duration = .zero) -> FlowMachine.CommitNeed {
    machine.takeCommitNeed(of: &latest, isRequested: isRequested, at: now)
  }
}
