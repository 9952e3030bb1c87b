import Testing

@testable import ActorFlow

/// The machine says which inputs need no commit of their own.
@Suite("Inputs without a commit") struct CommitNeedTests {
  @Test("the beginning of a walk, the end of a step and a new instance need no commit; an entry and a question do")
  func walk() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    #expect(!driver.latest.isTransient, "the launch")
    driver.give { $0.watch(nil, on: .main, at: .zero) }
    #expect(driver.latest.isTransient)
    driver.enter(0)
    #expect(!driver.latest.isTransient)
    let visit = driver.visit
    #expect(!driver.give { $0.notBegun(visit) })
    #expect(driver.latest.isTransient)
    let question = try driver.ask()
    #expect(!driver.latest.isTransient)
    try driver.answer(question)
    #expect(!driver.latest.isTransient)
    let reloaded = driver.give { $0.reloaded(nil) }
    #expect(reloaded != nil)
    #expect(driver.latest.isTransient)
    _ = driver.give { $0.stepIsOver(on: .main) }
    #expect(driver.latest.isTransient)
  }

  @Test("a move to the next step needs a commit, although the end of the step alone needs none")
  func move() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let (node, payload) = (driver.graph.nodes[1], Payload("to b"))
    guard case .entered = driver.give({ $0.move(to: node, instance: nil, payload: payload) }) else {
      Issue.record("the next step is not entered")
      return
    }
    #expect(!driver.latest.isTransient)
  }

  @Test("the end of a `once` needs a commit; the end that could not be committed is kept without one")
  func once() throws {
    for isCommitted in [true, false] {
      var driver = try MachineDriver(.automatic)
      driver.enter(0)
      let scope = RecordScope(Stay(driver.visit), isRollback: false)
      _ = try driver.give { try $0.beginOnce("charge", scope: scope, type: String.self) { KeyBits(high: 1, low: 2) } }
      #expect(!driver.latest.isTransient)
      driver.give {
        guard isCommitted else { return $0.endOnceUncommitted("charge", scope: scope) }
        $0.endOnce("charge", scope: scope, value: "done")
      }
      #expect(driver.latest.isTransient != isCommitted)
      guard case .wakeOnce? = driver.latest.actions.first else {
        Issue.record("nobody is woken: \(driver.latest.actions)")
        return
      }
      #expect(!driver.machine.hasRunningWork(on: .main))
    }
  }

  @Test("a run that stops because a decision could not be committed is not committed either")
  func halt() throws {
    var driver = try MachineDriver(.automatic)
    driver.give { $0.halt(Refused()) }
    #expect(driver.latest.isTransient && driver.machine.phase == .ended)
  }

  @Test("the note that an input needs no commit does not outlive the input, even one that is refused")
  func refused() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    #expect(throws: (any Error).self) {
      try driver.give { machine in
        _ = machine.stepIsOver(on: .main)
        throw Refused()
      }
    }
    driver.give { _ in }
    #expect(!driver.latest.isTransient)
  }

  @Test("a flow may be passivated while it only waits, unless a timer is due or a reminder runs")
  func passivation() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    #expect(!driver.machine.mayPassivate(if: .isIdle, at: .zero, areAskersBack: true), "the step runs")
    _ = try driver.ask()
    #expect(driver.machine.mayPassivate(if: .isIdle, at: .zero, areAskersBack: true))
    #expect(!driver.machine.mayPassivate(if: .isIdle, at: .zero, areAskersBack: false))
    #expect(!driver.machine.mayPassivate(if: .isSuspended, at: .zero, areAskersBack: true))
    #expect(driver.machine.mayPassivate(if: .always, at: .zero, areAskersBack: false))

    var waiting = try MachineDriver(.automatic)
    waiting.enter(0)
    let stay = Stay(waiting.visit)
    _ = try waiting.give { try $0.wait(for: "paid", as: String.self, at: stay, until: .seconds(9), at: .zero) }
    #expect(waiting.machine.mayPassivate(if: .isIdle, at: .seconds(8), areAskersBack: true))
    #expect(!waiting.machine.mayPassivate(if: .isIdle, at: .seconds(9), areAskersBack: true), "its timer is due")
  }
}
