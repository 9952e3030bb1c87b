import ActorFlow
import Testing

@Suite("Rule 3: the target of a back without a name") struct BackTargetTests {
  /// A walk (a capital asked, in brackets: skipped), the steps compensated by the back, and the step that proceeds
  /// again.
  struct Case: Sendable, CustomTestStringConvertible {
    var policies: [BackUpPolicy]
    var walk: String
    var rollBack: String
    var testDescription: String { "\(walk) over \(policies) goes back as \(rollBack)" }

    init(_ walk: String, _ policies: [BackUpPolicy], _ rollBack: String) {
      self.policies = policies
      self.walk = walk
      self.rollBack = rollBack
    }
  }

  static let leading: [Case] = [
    Case("Ab", [.automatic, .automatic], "ba[a]"),
    Case("Abc", [.automatic, .automatic, .automatic], "cba[a]"),
    Case("ABc", [.automatic, .automatic, .automatic], "cb[b]"),
    Case("ab", [.returnable, .automatic], "ba[a]"),
    Case("Abc", [.automatic, .returnable, .automatic], "cb[b]"),
    Case("ABc", [.automatic, .passThrough, .automatic], "cba[a]"),
    Case("ABCd", [.automatic, .passThrough, .passThrough, .automatic], "dcba[a]"),
    Case("aBc", [.returnable, .passThrough, .automatic], "cba[a]"),
    Case("A(b)c", [.automatic, .automatic, .automatic], "ca[a]"),
    Case("A(b)c", [.automatic, .returnable, .automatic], "ca[a]"),
    Case("A(b)c", [.automatic, .returnableIfSkipped, .automatic], "c[b]"),
    Case("Abc", [.automatic, .returnableIfSkipped, .automatic], "cb[b]"),
    Case("(a)b", [.returnableIfSkipped, .automatic], "b[a]"),
    Case("(a)(b)c", [.returnableIfSkipped, .passThrough, .automatic], "c[a]"),
    Case("ABc", [.oneWay, .automatic, .automatic], "cb[b]"),
    Case("AB", [.automatic, .oneWay], "ba[a]"),
    Case("ABCd", [.automatic, .oneWay, .automatic, .automatic], "dc[c]"),
    Case("A(b)c", [.automatic, .oneWay, .automatic], "ca[a]"),
    Case("AB", [.automatic, .settling], "ba[a]"),
    Case("A(b)c", [.automatic, .settling, .automatic], "ca[a]"),
    Case("ABCd", [.automatic, .settling, .automatic, .automatic], "dc[c]"),
  ]

  @Test(
    "back compensates the places above the target, newest first, then the target, which proceeds", arguments: leading)
  func leads(_ back: Case) throws {
    var driver = try MachineDriver(back.policies)
    try driver.walk(back.walk)
    #expect(driver.machine.position.canBackUp)
    try driver.backUp()
    #expect(driver.rollBack() == back.rollBack)
  }

  static let nowhere: [Case] = [
    Case("a", [.automatic], ""),
    Case("A", [.automatic], ""),
    Case("ab", [.automatic, .automatic], ""),
    Case("(a)b", [.automatic, .automatic], ""),
    Case("(a)b", [.returnable, .automatic], ""),
    Case("Ab", [.passThrough, .automatic], ""),
    Case("Ab", [.oneWay, .automatic], ""),
    Case("Ab", [.settling, .automatic], ""),
    Case("ABc", [.automatic, .oneWay, .automatic], ""),
    Case("ABc", [.returnable, .oneWay, .automatic], ""),
    Case("ABc", [.automatic, .settling, .automatic], ""),
    Case("ABCd", [.automatic, .oneWay, .passThrough, .automatic], ""),
    Case("AB(c)d", [.automatic, .oneWay, .automatic, .automatic], ""),
    Case("ABc(d)e", [.automatic, .settling, .automatic, .returnable, .automatic], ""),
  ]

  @Test("a back without a target throws cannotBackUp, and nothing has changed", arguments: nowhere)
  func refused(_ back: Case) throws {
    var driver = try MachineDriver(back.policies)
    try driver.walk(back.walk)
    let before = driver.machine.position
    #expect(!before.canBackUp)
    let refusal = #expect(throws: FlowError.self) { try driver.backUp() }
    #expect(refusal?.code == .cannotBackUp)
    #expect(driver.machine.phase == .walking)
    #expect(driver.machine.leave == nil)
    #expect(driver.machine.sequence == driver.events.count)
    #expect(driver.machine.position.stack == before.stack)
  }

  @Test("a question that is still open does not make its own step the target")
  func ownQuestion() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    try driver.walk("Ab")
    _ = try driver.ask()
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
  }

  @Test("a question that was withdrawn counts as asked")
  func withdrawn() throws {
    var driver = try MachineDriver(.automatic, .automatic)
    driver.enter(0)
    let question = try driver.ask()
    driver.give { $0.withdraw(question.id.number) }
    driver.enter(1)
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
  }

  @Test("a place that asks nothing in its next visit is no longer a target")
  func silentSecondVisit() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("ABc")
    try driver.backUp()
    #expect(driver.rollBack() == "cb[b]")
    driver.enter(2)
    try driver.backUp()
    #expect(driver.rollBack() == "cba[a]")
  }

  @Test("each back leads one place further, until there is none")
  func repeated() throws {
    var driver = try MachineDriver(.automatic, .automatic, .automatic)
    try driver.walk("ABC")
    try driver.backUp()
    #expect(driver.rollBack() == "cb[b]")
    try driver.backUp()
    #expect(driver.rollBack() == "ba[a]")
    #expect(!driver.machine.position.canBackUp)
    #expect(throws: FlowError.self) { try driver.backUp() }
  }

  @Test("before the first step was entered there is no target")
  func beforeFirst() throws {
    var driver = try MachineDriver(.automatic)
    let refusal = #expect(throws: FlowError.self) { try driver.backUp() }
    #expect(refusal?.code == .cannotBackUp)
    #expect(driver.lines == ["launched"])
  }

  @Test("automatic steps after a question are all passed over")
  func far() throws {
    var driver = try MachineDriver(Array(repeating: .automatic, count: 26))
    try driver.walk("Abcdefghijklmnopqrstuvwxyz")
    try driver.backUp()
    #expect(driver.rollBack() == "zyxwvutsrqponmlkjihgfedcba[a]")
  }
}
