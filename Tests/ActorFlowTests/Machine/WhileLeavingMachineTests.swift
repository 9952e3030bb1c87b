import ActorFlow
import Testing

/// The reason for which a visit is being left: the columns of the table "While leaving".
enum LeavingBy: String, Sendable, CaseIterable, CustomTestStringConvertible {
  case back, abandon, failure, cancelledCaller = "cancelled caller"
  var testDescription: String { "while leaving by \(rawValue)" }

  var reason: LeaveReason {
    switch self {
    case .back: .back
    case .abandon: .abandoned(reason: "first")
    case .failure: .failed
    case .cancelledCaller: .cancelled
    }
  }
}

/// The progress of the leave.
enum LeavingStage: String, Sendable, CaseIterable, CustomTestStringConvertible {
  /// The step has not returned.
  case stepRuns = "the step still runs"
  /// A `backUp` runs.
  case backUpRuns = "a backUp runs"
  var testDescription: String { rawValue }
}

@Suite("While leaving, on the machine") struct WhileLeavingMachineTests {
  /// `A` and `B` have asked, `c` has the focus with an open question, and is being left.
  private func driver(_ by: LeavingBy, _ stage: LeavingStage) throws -> (MachineDriver, Question) {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("ABc")
    let question = try driver.ask()
    switch by {
    case .back: try driver.backUp()
    case .abandon: try driver.abandon("first")
    case .failure: driver.fail()
    case .cancelledCaller: driver.cancel()
    }
    if stage == .backUpRuns || by == .failure {
      driver.comeBack()
      let place = driver.rollBackToFirst()
      #expect(place?.node.info.id == "c")
    }
    driver.forget()
    return (driver, question)
  }

  private func expectUnchanged(_ driver: MachineDriver, _ before: FlowMachine) {
    #expect(driver.events.isEmpty)
    #expect(driver.machine.sequence == before.sequence)
    #expect(driver.machine.phase == before.phase)
    #expect(driver.machine.leave?.reason == before.leave?.reason)
    #expect(driver.machine.position.status == before.position.status)
  }

  /// Returns the remaining rollback, from where the driver stands.
  private func rest(of driver: inout MachineDriver, _ by: LeavingBy, _ stage: LeavingStage) -> String {
    if stage == .backUpRuns || by == .failure { driver.compensated() }
    return driver.rollBack()
  }

  @Test("backUp", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func backUp(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, _) = try driver(by, stage)
    let before = driver.machine
    let refusal = #expect(throws: FlowError.self) { try driver.backUp() }
    #expect(refusal?.code == (by == .back ? .moving : .ending))
    let named = #expect(throws: FlowError.self) { try driver.backUp(to: "a") }
    #expect(named?.code == (by == .back ? .moving : .ending))
    expectUnchanged(driver, before)
  }

  @Test("abandon", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func abandon(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, _) = try driver(by, stage)
    let before = driver.machine
    let leaving = try driver.abandon("second")
    #expect(leaving.cancelledWalks.isEmpty)
    if by == .back {
      #expect(driver.lines == ["leaving c abandoned"])
      #expect(driver.machine.leave?.reason == .abandoned(reason: "second"))
      _ = rest(of: &driver, by, stage)
      #expect(driver.lines == ["leaving c abandoned", "abandoned second", "rolledBack 0"])
      #expect(driver.machine.ending == .abandoned(reason: "second"))
    } else {
      expectUnchanged(driver, before)
      _ = rest(of: &driver, by, stage)
      #expect(driver.machine.ending == (by.ending))
    }
  }

  @Test("the caller cancels", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func cancel(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, _) = try driver(by, stage)
    let before = driver.machine
    let leaving = driver.cancel()
    #expect(leaving.cancelledWalks.isEmpty)
    if by == .back {
      #expect(driver.lines == ["leaving c cancelled"])
      _ = rest(of: &driver, by, stage)
      #expect(driver.lines == ["leaving c cancelled", "cancelled", "rolledBack 0"])
      #expect(driver.machine.ending == .cancelled)
    } else {
      expectUnchanged(driver, before)
      _ = rest(of: &driver, by, stage)
      #expect(driver.machine.ending == by.ending)
    }
  }

  @Test("answer is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func answer(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, question) = try driver(by, stage)
    let before = driver.machine
    let refusal = #expect(throws: FlowError.self) { try driver.answer(question) }
    #expect(refusal?.code == .questionClosed)
    let ofType = #expect(throws: FlowError.self) { try driver.machine.openQuestion(of: Form.self) }
    #expect(ofType?.code == .noSuchQuestion)
    expectUnchanged(driver, before)
  }

  @Test("update is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func update(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, question) = try driver(by, stage)
    let before = driver.machine
    #expect(throws: (any Error).self) { try driver.give { try $0.update(Form(text: "new"), visit: question.visit) } }
    expectUnchanged(driver, before)
  }

  @Test("ask is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func ask(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, question) = try driver(by, stage)
    let before = driver.machine
    #expect(throws: (any Error).self) {
      try driver.give { try $0.ask(Form(text: "new"), key: nil, visit: question.visit) }
    }
    expectUnchanged(driver, before)
  }

  @Test("a new once is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func once(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, question) = try driver(by, stage)
    let before = driver.machine
    let scope = RecordScope(visit: question.visit, isRollback: false)
    #expect(throws: (any Error).self) {
      try driver.give { try $0.beginOnce("new", scope: scope, type: Int.self) { KeyBits(high: 1, low: 2) } }
    }
    #expect(!driver.machine.hasRunningWork(on: .main))
    expectUnchanged(driver, before)
  }

  @Test("a request from inside the step is refused", arguments: LeavingBy.allCases, LeavingStage.allCases)
  func fromInside(by: LeavingBy, stage: LeavingStage) throws {
    var (driver, question) = try driver(by, stage)
    let before = driver.machine
    #expect(throws: (any Error).self) { try driver.give { try $0.backUp(from: question.visit, since: .zero) } }
    #expect(throws: (any Error).self) { try driver.give { try $0.abandon("no", from: question.visit, since: .zero) } }
    expectUnchanged(driver, before)
  }

  @Test("a step that returns late changes nothing, for whatever reason it was left", arguments: LeavingBy.allCases)
  func lateStep(by: LeavingBy) throws {
    guard by != .failure else { return }
    var (driver, _) = try driver(by, .stepRuns)
    driver.finish()
    driver.fail()
    let isEntered = driver.enter(2)
    #expect(!isEntered)
    driver.skip(2)
    #expect(driver.events.isEmpty)
  }
}

extension LeavingBy {
  /// The ending of the run, if nothing changes it; nil for a back.
  var ending: Ending? {
    switch self {
    case .back: nil
    case .abandon: .abandoned(reason: "first")
    case .failure: .failed
    case .cancelledCaller: .cancelled
    }
  }
}
