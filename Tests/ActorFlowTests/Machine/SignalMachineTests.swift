import Testing

@testable import ActorFlow

@Suite("Signals on the machine") struct SignalMachineTests {
  @Test("the latest 10,000 keys are remembered")
  func keys() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let stay = Stay(driver.visit)
    for number in 0...10_000 {
      guard case .waiting = try driver.give({ try $0.wait(for: "s", as: Int.self, at: stay, until: nil) }),
        case .received = try driver.give({ try $0.send(number, to: "s", key: "\(number)") })
      else { throw Refused() }
    }
    guard case .duplicate = try driver.give({ try $0.send(1, to: "s", key: "1") }) else { throw Refused() }
    guard case .duplicate = try driver.give({ try $0.send(1, to: "s", key: "10000") }) else { throw Refused() }
    guard case .buffered = try driver.give({ try $0.send(0, to: "s", key: "0") }) else { throw Refused() }
    guard case .duplicate = try driver.give({ try $0.send(0, to: "s", key: "0") }) else { throw Refused() }
    guard case .buffered = try driver.give({ try $0.send(1, to: "s", key: "1") }) else { throw Refused() }
  }

  @Test("of the latest 10,000 keys those are remembered that have at most 1 MiB with their signals' names")
  func longKeys() throws {
    var driver = try MachineDriver(.automatic)
    let name = String(repeating: "s", count: 256)
    func send(_ number: Int) throws -> String {
      let key = "\(number)" + String(repeating: "k", count: 256 - "\(number)".utf8.count)
      return try driver.send(key, to: name)
    }
    driver.enter(0)
    // Each has 512 bytes, so 2,048 of them are 1 MiB.
    for number in 0..<2_048 {
      #expect(try driver.receive(from: name) == "waiting")
      #expect(try send(number) == "received")
    }
    #expect(try send(0) == "duplicate")
    #expect(try driver.receive(from: name) == "waiting")
    #expect(try send(2_048) == "received")
    #expect(try send(1) == "duplicate" && send(2_048) == "duplicate")
    #expect(try send(0) == "buffered", "the oldest is forgotten")
  }

  @Test("a key, and the name of a signal, have at most 256 bytes")
  func keyBytes() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let (longest, longer) = ("é" + String(repeating: "k", count: 254), "é" + String(repeating: "k", count: 255))
    #expect(code { try driver.send(longer, to: "s") } == .tooLarge)
    #expect(code { try driver.send("k", to: longer) } == .tooLarge)
    #expect(code { try driver.receive(from: longer) } == .tooLarge, "it could not be sent")
    #expect(!driver.machine.signals.isUsed)
    #expect(try driver.send(longest, to: longest) == "buffered")
  }

  @Test("buffered signals have at most 1 MiB in all, as has a single one")
  func bufferedBytes() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    #expect(code { try driver.send("0", to: "s", size: 1 << 20) } == .tooLarge, "with its name")
    #expect(try driver.send("1", to: "s", size: (1 << 20) - 1) == "buffered")
    #expect(code { try driver.send("2", to: "s") } == .signalsFull)
    #expect(try driver.receive(from: "t") == "waiting")
    #expect(
      try driver.send("3", to: "t", size: 1 << 19) == "received", "a signal that a step waits for is not buffered")
    #expect(try driver.receive(from: "s") == "received")
    #expect(try driver.send("2", to: "s", size: 1 << 19) == "buffered", "a refused signal uses up no key")
  }

  @Test("an ending drops buffered signals, and refuses new ones; a back drops none")
  func endings() throws {
    for ending in ["abandon", "cancel", "fail", "back"] {
      var driver = try MachineDriver(.automatic, .automatic)
      try driver.enterAndAsk(0)
      driver.enter(1)
      #expect(try driver.send("k", to: "s", size: 100) == "buffered")
      switch ending {
      case "abandon": try driver.abandon()
      case "cancel": driver.cancel()
      case "fail": driver.fail()
      default: try driver.backUp()
      }
      let isBack = ending == "back"
      #expect(driver.machine.signals.buffer.count == (isBack ? 1 : 0), "\(ending)")
      #expect(
        driver.latest.discarded.contains { $0 is [SignalBuffer.BufferedSignal] } != isBack,
        "dropped signals are released outside the turn")
      #expect(try driver.send("k", to: "s") == "duplicate")
      #expect(try driver.send("l", to: "s") == (isBack ? "buffered" : "flowEnded"))
    }
  }

  @Test("while the flow is leaving for an end no signal is accepted, and no wait may begin")
  func whileLeaving() throws {
    var driver = try MachineDriver(.automatic)
    driver.enter(0)
    let stay = Stay(driver.visit)
    guard case .waiting(let number) = try driver.give({ try $0.wait(for: "s", as: Int.self, at: stay, until: nil) })
    else { throw Refused() }
    #expect(driver.machine.isSettled && driver.machine.position.waits.count == 1)
    try driver.abandon()
    let resumed = driver.latest.resumedWaits
    #expect(resumed.count == 1 && resumed[0].number == number && resumed[0].isCancelled)
    #expect(driver.machine.position.waits.isEmpty)
    #expect(throws: CancellationError.self) {
      try driver.give { _ = try $0.wait(for: "s", as: Int.self, at: stay, until: nil) }
    }
    #expect(try driver.send(nil, to: "s") == "flowEnded")
    _ = driver.rollBack()
    #expect(try driver.send(nil, to: "s") == "flowEnded")
  }
}

extension MachineDriver {
  /// Sends a number, and returns the result.
  fileprivate mutating func send(_ key: String?, to signal: String, size: Int = 0) throws -> String {
    switch try give({ try $0.send(1, to: signal, key: key, size: size) }) {
    case .received: "received"
    case .buffered: "buffered"
    case .duplicate: "duplicate"
    case .flowEnded: "flowEnded"
    }
  }

  /// The step in focus waits for a number.
  fileprivate mutating func receive(from signal: String) throws -> String {
    let stay = Stay(visit)
    switch try give({ try $0.wait(for: signal, as: Int.self, at: stay, until: nil) }) {
    case .received: return "received"
    case .overdue: return "overdue"
    case .withdrawn: return "withdrawn"
    case .waiting: return "waiting"
    }
  }
}
