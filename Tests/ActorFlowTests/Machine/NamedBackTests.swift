import ActorFlow
import Testing

@Suite("Rule 3: the target of a back with a name") struct NamedBackTests {
  @Test("back to a name leads to the nearest earlier place of that name, also to an automatic one")
  func automatic() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("ABc")
    try driver.backUp(to: "a")
    #expect(driver.rollBack() == "cba[a]")
    driver.enter(1)
    driver.enter(2)
    try driver.backUp(to: "b")
    #expect(driver.rollBack() == "cb[b]")
  }

  @Test("a name finds the nearest of several places")
  func nearest() throws {
    var driver = try MachineDriver(
      Flow {
        Flow("one") { Step("x") { Asker() } }
        Flow("two") { Step("x") { Asker() } }
        Step("y") { Asker() }
      })
    for index in 0...2 { driver.enter(index) }
    try driver.backUp(to: "x")
    _ = driver.rollBack()
    #expect(driver.machine.position.step == "two/x")
  }

  @Test("a whole path finds the place of that path")
  func path() throws {
    var driver = try MachineDriver(
      Flow {
        Flow("one") { Step("x") { Asker() } }
        Flow("two") { Step("x") { Asker() } }
        Step("y") { Asker() }
      })
    for index in 0...2 { driver.enter(index) }
    try driver.backUp(to: "one/x")
    _ = driver.rollBack()
    #expect(driver.machine.position.step == "one/x")
  }

  @Test("from a place its own name leads to an earlier one")
  func sameNameEarlier() throws {
    var driver = try MachineDriver(
      Flow {
        Flow("one") { Step("x") { Asker() } }
        Flow("two") { Step("x") { Asker() } }
      })
    driver.enter(0)
    driver.enter(1)
    try driver.backUp(to: "x")
    _ = driver.rollBack()
    #expect(driver.machine.position.step == "one/x")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var walk: String
    var policies: [BackUpPolicy]
    var name: StepID

    init(_ description: String, _ walk: String, _ policies: [BackUpPolicy], to name: StepID) {
      testDescription = description
      self.walk = walk
      self.policies = policies
      self.name = name
    }
  }

  static let refusals = [
    Refusal("unknown", "ABc", [.automatic, .automatic, .automatic], to: "nobody"),
    Refusal("current", "ABc", [.automatic, .automatic, .automatic], to: "c"),
    Refusal("not reached yet", "AB", [.automatic, .automatic, .automatic], to: "c"),
    Refusal("passed through", "ABc", [.automatic, .passThrough, .automatic], to: "b"),
    Refusal("one-way itself", "ABc", [.automatic, .oneWay, .automatic], to: "b"),
    Refusal("beyond a one-way", "ABc", [.automatic, .oneWay, .automatic], to: "a"),
    Refusal("settled itself", "ABc", [.automatic, .settling, .automatic], to: "b"),
    Refusal("beyond a settled", "ABc", [.automatic, .settling, .automatic], to: "a"),
    Refusal("skipped", "A(b)c", [.automatic, .returnable, .automatic], to: "b"),
    Refusal("a wrong path", "ABc", [.automatic, .automatic, .automatic], to: "x/a"),
  ]

  @Test("these names throw cannotBackUp, and nothing has changed", arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    var driver = try MachineDriver(refusal.policies)
    try driver.walk(refusal.walk)
    let count = driver.events.count
    let error = #expect(throws: FlowError.self) { try driver.backUp(to: refusal.name) }
    #expect(error?.code == .cannotBackUp)
    #expect(driver.machine.phase == .walking)
    #expect(driver.events.count == count)
    #expect(driver.machine.sequence == count)
  }

  @Test("a place that was skipped and stayed on the stack can be named, and is not compensated")
  func skippedOnStack() throws {
    var driver = try MachineDriver(.automatic, .returnableIfSkipped, .automatic)
    try driver.walk("A(b)C")
    try driver.backUp(to: "b")
    #expect(driver.rollBack() == "c[b]")
  }

  @Test("a name leads beyond a place that was skipped and stayed on the stack")
  func beyondSkippedOnStack() throws {
    var driver = try MachineDriver(.automatic, .returnableIfSkipped, .automatic)
    try driver.walk("A(b)C")
    try driver.backUp(to: "a")
    #expect(driver.rollBack() == "ca[a]")
  }
}
