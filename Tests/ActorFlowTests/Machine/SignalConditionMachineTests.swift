import Testing

@testable import ActorFlow

/// Waits for a signal whose value meets a condition, decided by the machine alone.
@Suite("Conditions of waits on the machine") struct SignalConditionMachineTests {
  private struct Unjudged: Error {}

  private func driver(_ journal: FlowMachine.Journal = .off) throws -> MachineDriver {
    var driver = try MachineDriver(Flow("f") { Step("a") { Asker() } }, journal: journal)
    driver.enter(0)
    driver.forget()
    return driver
  }

  private func numbers(_ values: Int...) -> SignalCondition {
    SignalCondition { (value: Int) in values.contains(value) }
  }

  @Test("a signal goes to the longest-open wait whose condition it meets, and is buffered if there is none")
  func sent() throws {
    var driver = try driver()
    #expect(try driver.wait(numbers(1)) == "waits as 1")
    #expect(try driver.wait(numbers(2)) == "waits as 2")
    #expect(try driver.wait(numbers(1, 2)) == "waits as 3")
    #expect(try driver.wait(nil) == "waits as 4")
    #expect(try driver.send(2) == "received by 2")
    #expect(try driver.send(2) == "received by 3")
    #expect(try driver.send(2) == "received by 4")
    #expect(try driver.send(2) == "buffered")
    #expect(try driver.send(1) == "received by 1", "what is buffered does not block it")
    #expect(driver.machine.position.waits.isEmpty && driver.machine.signals.buffer.count == 1)
  }

  @Test("a wait takes the oldest buffered signal that meets its condition, and leaves the others in their order")
  func buffered() throws {
    var driver = try driver()
    for value in [1, 2, 3, 2] { #expect(try driver.send(value) == "buffered") }
    #expect(try driver.wait(numbers(2)) == "received 2")
    #expect(try driver.wait(numbers(4)) == "waits as 1")
    #expect(driver.machine.signals.buffer.map { $0.value as? Int } == [1, 3, 2])
    #expect(try driver.wait(nil) == "received 1")
    #expect(try driver.wait(numbers(2, 3)) == "received 3")
  }

  @Test("signals of another type go to a wait for their type; if all open waits are for another type they are refused")
  func types() throws {
    var driver = try driver()
    let stay = Stay(driver.visit)
    #expect(try driver.wait(numbers(1)) == "waits as 1")
    #expect(code { try driver.send("text") } == .typeMismatch)
    _ = try driver.give { try $0.wait(for: "s", as: String.self, at: stay, until: nil) }
    #expect(try driver.send("text") == "received by 2")
    #expect(code { try driver.send("text") } == .typeMismatch)
    #expect(try driver.send(7) == "buffered", "the type is right, and only the condition is not met")
  }

  @Test("a signal that meets no condition counts under its key, and takes room in the buffer")
  func bounded() throws {
    var driver = try driver()
    #expect(try driver.wait(numbers(-1)) == "waits as 1")
    for number in 0..<SignalBuffer.capacity { #expect(try driver.send(number, key: "\(number)") == "buffered") }
    #expect(try driver.send(0, key: "0") == "duplicate")
    #expect(code { try driver.send(1_000, key: "1000") } == .signalsFull)
    #expect(try driver.send(-1, key: "-1") == "received by 1", "needs no room")
  }

  @Test("a task that gave up is passed over, and the next wait gets the signal if it meets that one's condition")
  func givenUp() throws {
    var driver = try driver()
    for condition in [numbers(1, 2), numbers(2), numbers(1)] { _ = try driver.wait(condition) }
    let sent = try driver.give { try $0.send(1, to: "s", key: nil, reserving: { $0 != 1 }) }
    guard case .received = sent else { throw Refused() }
    #expect(driver.latest.resumedWaits.map(\.number) == [3])
  }

  @Test("an input is refused, and changes nothing, if the coordinator has no verdict yet")
  func unjudged() throws {
    var driver = try driver(.reloading)
    let stay = Stay(driver.visit)
    #expect(try driver.send(1) == "buffered")
    let condition = numbers(2)
    #expect(throws: Unjudged.self) {
      try driver.give {
        _ = try $0.wait(for: "s", as: Int.self, at: stay, matching: condition, until: nil) { _ in throw Unjudged() }
      }
    }
    #expect(try driver.wait(condition) == "waits as 1")
    #expect(driver.machine.look(at: .main) { $0.waits.first?.key.number } == 1)
    #expect(throws: Unjudged.self) {
      try driver.give { _ = try $0.send(2, to: "s", key: "k", judging: { _ in throw Unjudged() }) }
    }
    #expect(try driver.send(2, key: "k") == "received by 1")
  }

  @Test("a condition is released outside the input, because it may hold a user's values")
  func released() throws {
    var driver = try driver()
    _ = try driver.wait(numbers(1))
    _ = try driver.wait(numbers(1))
    _ = try driver.send(1)
    #expect(driver.latest.discarded.contains { $0 is SignalCondition })
    try driver.abandon()
    #expect(driver.latest.discarded.contains { $0 is SignalCondition })
  }

  // MARK: - After activation

  private func restored(_ machine: FlowMachine) throws -> FlowMachine {
    let names = GraphNames(machine.graph)
    let snapshot = try machine.snapshot(names, with: JSONCodec())
    return try FlowMachine(snapshot, of: "machine", names: names, codec: JSONCodec(), at: .zero)
  }

  @Test("what comes before the step waits again is buffered, and then judged by the wait's condition")
  func reopened() throws {
    var driver = try driver(.persisting)
    #expect(try driver.wait(numbers(2)) == "waits as 1")
    driver.machine = try restored(driver.machine)
    #expect(try driver.send(1) == "buffered" && driver.send(2) == "buffered" && driver.send(2) == "buffered")
    #expect(driver.machine.isReopening(waitFor: "s"))
    #expect(try driver.wait(numbers(2)) == "received 2")
    #expect(!driver.machine.isReopening(waitFor: "s"))
    #expect(driver.lines.last == "received a s")
    #expect(driver.machine.signals.buffer.count == 2)
    driver.machine = try restored(driver.machine)
    #expect(try driver.wait(numbers(3)) == "received 2", "the journal knows, and asks no condition")
    #expect(try driver.wait(numbers(2)) == "received 2", "a stored signal is read back to be judged")
    #expect(try driver.wait(numbers(2)) == "waits as 2")
  }

  @Test("a stored signal that can no longer be read is received, so that the step fails with both types")
  func unreadable() throws {
    let condition = SignalCondition { (_: Int) in false }
    #expect(condition.isMet(StoredValue(PackedValue(type: "Int", bytes: [0]), codec: JSONCodec())))
    #expect(!condition.isMet(StoredValue(PackedValue(type: "Int", bytes: Array("7".utf8)), codec: JSONCodec())))
  }
}

extension MachineDriver {
  /// The step in focus waits for a number.
  fileprivate mutating func wait(_ condition: SignalCondition?) throws -> String {
    let stay = Stay(visit)
    switch try give({ try $0.wait(for: "s", as: Int.self, at: stay, matching: condition, until: nil, by: .step) }) {
    case .received(let value): return "received \(try StepBody.cast(value, to: Int.self))"
    case .overdue: return "overdue"
    case .withdrawn: return "withdrawn"
    case .waiting(let number): return "waits as \(number)"
    }
  }

  fileprivate mutating func send(_ value: any Sendable, key: String? = nil) throws -> String {
    switch try give({ try $0.send(value, to: "s", key: key) }) {
    case .received: "received by \(latest.resumedWaits.map(\.number).first ?? 0)"
    case .buffered: "buffered"
    case .duplicate: "duplicate"
    case .flowEnded: "flowEnded"
    }
  }
}
