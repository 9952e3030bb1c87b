import Testing

@testable import ActorFlow

@Suite("Attempts on the machine") struct AttemptMachineTests {
  private let bits = KeyBits(high: 1, low: 2)
  private let refused = RecordedError(Refused())

  private func driver() throws -> MachineDriver {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    return driver
  }

  private func scope(_ driver: MachineDriver) -> RecordScope { RecordScope(visit: driver.visit, isRollback: false) }

  private func begin(
    _ driver: inout MachineDriver, _ key: String = "k", isAttempt: Bool = true
  ) throws -> FlowMachine.OnceBegun {
    let (scope, bits) = (scope(driver), bits)
    return try driver.give {
      try $0.beginOnce(key, scope: scope, type: Int.self, isAttempt: isAttempt, drawBits: { bits })
    }
  }

  /// Begins the work, and returns its idempotency key.
  private func run(_ driver: inout MachineDriver, _ key: String = "k", isAttempt: Bool = true) throws -> String {
    guard case .run(let idempotencyKey) = try begin(&driver, key, isAttempt: isAttempt) else {
      throw Failure("the work of \(key) does not run")
    }
    return idempotencyKey
  }

  private func fail(_ driver: inout MachineDriver, _ key: String = "k") -> Bool {
    let (scope, refused) = (scope(driver), refused)
    return driver.give { $0.endAttempt(key, scope: scope, failure: refused) }
  }

  private func word(_ begun: FlowMachine.OnceBegun) -> String {
    switch begun {
    case .run: "run"
    case .wait: "wait"
    case .done(let value): "done \(value)"
    case .failed(let error): "failed \(error)"
    }
  }

  private func latest(_ driver: MachineDriver) -> [String] { driver.machine.main.focus.memory?.latestFailures ?? [] }

  @Test("a failure is a result: a later call returns it, and no work runs")
  func failure() throws {
    var driver = try driver()
    _ = try run(&driver)
    #expect(try word(begin(&driver)) == "wait")
    let isRecorded = fail(&driver)
    #expect(isRecorded && driver.machine.runningWorks == 0)
    #expect(try word(begin(&driver)) == "failed \(refused)")
    #expect(!driver.machine.hasRunningWork(on: .main))
  }

  @Test("work that throws after its visit was left records nothing, and keeps its key")
  func left() throws {
    var driver = try driver()
    let idempotencyKey = try run(&driver)
    try driver.abandon()
    let isRecorded = fail(&driver)
    #expect(!isRecorded && !driver.machine.hasRunningWork(on: .main))
    let record = driver.machine.record("k", scope: scope(driver))
    guard case .interrupted? = record?.state else { throw Failure("\(String(describing: record))") }
    #expect(record?.idempotencyKey == idempotencyKey)
  }

  @Test("work that throws after its step has returned records nothing")
  func returned() throws {
    var driver = try driver()
    _ = try run(&driver)
    _ = driver.give { $0.returned() }
    #expect(!fail(&driver))
    guard case .interrupted? = driver.machine.record("k", scope: scope(driver))?.state else {
      throw Failure("recorded")
    }
  }

  @Test("a value is the record of once and attempt; a failure is only that of attempt")
  func oneNamespace() throws {
    var driver = try driver()
    let scope = scope(driver)
    for isAttempt in [false, true] {
      _ = try run(&driver, "\(isAttempt)", isAttempt: isAttempt)
      driver.give { $0.endOnce("\(isAttempt)", scope: scope, value: 7) }
      #expect(try word(begin(&driver, "\(isAttempt)", isAttempt: !isAttempt)) == "done 7")
    }
    _ = try run(&driver, "k")
    #expect(fail(&driver))
    #expect(code { try begin(&driver, "k", isAttempt: false) } == .wrongRecordType)
    #expect(try word(begin(&driver)) == "failed \(refused)")
  }

  @Test("an attempt takes over a once that threw, with its idempotency key, and the other way round")
  func takenOver() throws {
    var driver = try driver()
    let scope = scope(driver)
    let first = try run(&driver, isAttempt: false)
    driver.give { $0.endOnce("k", scope: scope, value: nil) }
    #expect(try run(&driver) == first)
    driver.give { $0.endOnceUncommitted("k", scope: scope) }
    #expect(try run(&driver, isAttempt: false) == first)
  }

  @Test("another attempt of the visit runs the failures again that nothing has followed, with their keys")
  func again() throws {
    var driver = try driver()
    let first = try run(&driver, "1")
    #expect(fail(&driver, "1"))
    let second = try run(&driver, "2")
    #expect(latest(driver) == [])
    #expect(fail(&driver, "2"))
    #expect(latest(driver) == ["2"])
    driver.give { $0.forgetLatestFailures(on: .main) }
    #expect(try word(begin(&driver, "1")) == "failed \(refused)")
    #expect(try run(&driver, "2") == second && second != first)
  }

  @Test("attempts that began before the failure, and the time, do not follow it")
  func beside() throws {
    var driver = try driver()
    _ = try run(&driver, "1")
    _ = try run(&driver, "2")
    #expect(fail(&driver, "1") && fail(&driver, "2"))
    let (scope, bits) = (scope(driver), bits)
    _ = try driver.give {
      try $0.recordTime("t", scope: scope, drawBits: { bits }, at: { FlowTime(sinceStart: .zero) })
    }
    #expect(latest(driver) == ["1", "2"])
  }

  @Test("a question, a wait, an answer, a signal and other work follow a failure")
  func followed() throws {
    var driver = try driver()
    let stay = Stay(driver.visit)
    let steps: [(inout MachineDriver) throws -> Void] = [
      { _ = try $0.ask() },
      { driver in
        let question = try #require(driver.machine.position.questions.first)
        try driver.answer(question)
      },
      { driver in _ = try driver.give { try $0.wait(for: "s", as: Int.self, at: stay, until: nil) } },
      { driver in _ = try driver.give { try $0.send(1, to: "s", key: nil) } },
      { driver in _ = try run(&driver, "other", isAttempt: false) },
    ]
    for (index, step) in steps.enumerated() {
      let key = "\(index)"
      _ = try run(&driver, key)
      #expect(fail(&driver, key))
      #expect(latest(driver) == [key])
      try step(&driver)
      #expect(latest(driver) == [], "\(index)")
    }
  }

  @Test("the time limit of a wait follows a failure, also of a wait that the step has not repeated yet")
  func limitFollowed() throws {
    var driver = try driver()
    let wait = PackedWait(
      signal: "s", key: JournalKey(name: .signal("s", by: .child), number: 1), number: 1, type: "Int")
    driver.give { $0[.main].reopening = Reopening(question: nil, waits: [wait]) }
    _ = try run(&driver)
    #expect(fail(&driver))
    #expect(latest(driver) == ["k"])
    driver.give { $0.stopWaiting(1) }
    #expect(latest(driver) == [])
  }

  @Test("the first time under a key stays")
  func time() throws {
    var driver = try driver()
    let (scope, bits) = (scope(driver), bits)
    func time(_ driver: inout MachineDriver, at seconds: Int) throws -> FlowTime? {
      let begun = try driver.give {
        try $0.recordTime(
          "t", scope: scope, drawBits: { bits }, at: { FlowTime(sinceStart: .seconds(seconds)) })
      }
      guard case .done(let time) = begun else { return nil }
      return time as? FlowTime
    }
    #expect(try time(&driver, at: 3) == FlowTime(sinceStart: .seconds(3)))
    #expect(try time(&driver, at: 5) == FlowTime(sinceStart: .seconds(3)))
    #expect(code { try begin(&driver, "t") } == .wrongRecordType)
    try driver.abandon()
    #expect(try time(&driver, at: 7) == FlowTime(sinceStart: .seconds(3)))
  }

  @Test("a retried snapshot runs the latest failures of the failed step again, and no other")
  func retried() throws {
    var snapshot = MachineSnapshot()
    #expect(snapshot.retry() == nil)
    func failure(_ isLatest: Bool) -> PackedAttemptFailure {
      PackedAttemptFailure(type: "Refused", message: "Refused()", isLatest: isLatest)
    }
    func track(_ step: StepID) -> PackedTrack {
      var track = PackedTrack()
      track.places = [PackedPlace(visit: PackedVisit(id: 1, step: step), payload: 0, backTarget: -1)]
      track.focus.records = [true, false].map {
        PackedRecord(key: "\($0)", type: "Int", idempotencyKey: "\($0)", failure: failure($0))
      }
      return track
    }
    snapshot.fault = PackedFault(step: "f/b", error: StoredFailure(Refused()))
    (snapshot.main, snapshot.branches) = (track("f/a"), [track("f/b")])
    #expect(snapshot.retry()?.step == "f/b" && snapshot.fault == nil)
    #expect(snapshot.main.focus.records.map(\.failure) == [failure(true), failure(false)])
    #expect(snapshot.branches[0].focus.records.map(\.failure) == [nil, failure(false)])
  }
}
