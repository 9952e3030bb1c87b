import Testing

@testable import ActorFlow

/// The `backUp`s that threw during a leave after which the flow goes on, and what is compensated beside the flow.
@Suite("Rule 4: failed backUps are kept for a later compensation") struct KeptFailureTests {
  private func driver(journal: FlowMachine.Journal = .persisting) throws -> MachineDriver {
    try MachineDriver(
      Flow<String, String> {
        for name in ["a", "b", "c"] { Step(name) { Asker() }.onBackUp(.automatic) }
      }, journal: journal)
  }

  private func kept(_ driver: MachineDriver) -> [String] {
    driver.machine.undoFailures.map { ($0.place?.visit.info.id.name ?? "-") + ($0.isOfEarlierLeave ? "" : "!") }
  }

  @Test("a back keeps what failed above the place that it lands on")
  func back() throws {
    var driver = try driver()
    try driver.walk("ABc")
    try driver.backUp(to: "a")
    #expect(driver.rollBack(failing: ["c", "b", "a"]) == "cba[a]")
    // The records of the place that is landed on go on with it, and its next backUp is called with them.
    #expect(kept(driver) == ["c", "b"])
  }

  @Test("several backs add to each other, and the flow's end to them")
  func several() throws {
    var driver = try driver()
    try driver.walk("ABc")
    try driver.backUp()
    #expect(driver.rollBack(failing: ["c"]) == "cb[b]")
    try driver.backUp()
    #expect(driver.rollBack(failing: ["b"]) == "ba[a]")
    #expect(kept(driver) == ["c", "b"])
    try driver.abandon()
    #expect(driver.rollBack(failing: ["a"]) == "a")
    #expect(kept(driver) == ["c", "b", "a!"])
  }

  @Test("a flow that is not persisted keeps nothing, because no one can ask for it later")
  func notPersisted() throws {
    var driver = try driver(journal: .off)
    try driver.walk("Ab")
    try driver.backUp()
    #expect(driver.rollBack(failing: ["b"]) == "ba[a]")
    #expect(kept(driver) == [])
  }

  // MARK: - Beside the flow

  private static func record(_ key: String) -> PackedRecord {
    PackedRecord(key: key, type: "String", idempotencyKey: key)
  }

  private static func place(_ visit: Int, records: [String] = []) -> PackedPlace {
    PackedPlace(
      visit: PackedVisit(id: visit, step: StepID("f/s\(visit)")), payload: 0, backTarget: 0, isInner: true,
      records: records.map { record($0) })
  }

  private static func failure(_ visit: Int, _ message: String = "first", records: [String] = []) -> PackedUndoFailure {
    PackedUndoFailure(error: StoredFailure(type: "Refused", message: message), place: place(visit, records: records))
  }

  private static let owing: MachineSnapshot = {
    var snapshot = MachineSnapshot()
    snapshot.undoFailures = [failure(3), failure(1), failure(2)]
    return snapshot
  }()

  @Test("what is compensated beside the flow has the chosen places only, the newest on top, and no way back")
  func aside() throws {
    let aside = try #require(Self.owing.compensatingAside { $0.place?.visit.id != 2 })
    #expect(aside.main.places.map(\.visit.id) == [1, 3])
    #expect(aside.main.places.allSatisfy { $0.backTarget == -1 })
    #expect(aside.main.phase == .compensating && aside.undoFailures.isEmpty)
    #expect(Self.owing.compensatingAside { _ in false } == nil)
  }

  @Test("a backUp that has returned is owed no more, one that has thrown keeps its new error and records")
  func takeOver() throws {
    var (flow, visits) = (Self.owing, Set([1, 3]))
    var aside = try #require(flow.compensatingAside { visits.contains($0.place?.visit.id ?? 0) })
    #expect(flow.takeOver(aside, awaiting: &visits).isEmpty)
    #expect(flow.undoFailures.map(\.place?.visit.id) == [3, 1, 2])

    // 3 has thrown again.
    aside.main.places.removeLast()
    aside.main.focus = PackedFocus(isEntered: true)
    aside.main.leave?.failures = [Self.failure(3, "again", records: ["refund"])]
    let first = flow.takeOver(aside, awaiting: &visits)
    #expect(first.map(\.step) == ["f/s3"] && first.map(\.error?.message) == ["again"])
    #expect(visits == [1])
    #expect(flow.undoFailures[0].error.message == "again")
    #expect(flow.undoFailures[0].place?.records.map(\.key) == ["refund"])
    #expect(flow.takeOver(aside, awaiting: &visits).isEmpty, "each is told once")

    // 1 has returned.
    aside.main = PackedTrack()
    aside.undoFailures = [Self.failure(3, "again", records: ["refund"])]
    let second = flow.takeOver(aside, awaiting: &visits)
    #expect(second.map(\.step) == ["f/s1"] && second.allSatisfy { $0.error == nil })
    #expect(visits.isEmpty)
    #expect(flow.undoFailures.map(\.place?.visit.id) == [3, 2])
  }

  @Test("the records that a backUp has made so far are taken over while it runs")
  func records() throws {
    var (flow, visits) = (Self.owing, Set([3]))
    var aside = try #require(flow.compensatingAside { $0.place?.visit.id == 3 })
    aside.main.focus.records = [Self.record("refund")]
    #expect(flow.takeOver(aside, awaiting: &visits).isEmpty)
    #expect(flow.undoFailures[0].place?.records.map(\.key) == ["refund"])
    #expect(flow.undoFailures[0].error.message == "first")
  }
}
