import ActorFlow
import Testing

@Suite("Rule 12 and the streams of events") struct EventStreamTests {
  private let flow = Flow {
    Step("a") { Asker() }
    Step("b") { Asker() }
  }

  private let lines = [
    "launched", "moved -→a", "asked a", "answered", "moved a→b", "asked b", "answered", "finished",
  ]

  @Test("each access is a subscription of its own, and each gets every event", arguments: [1, 2, 16])
  func independent(count: Int) async throws {
    let flow = launch(flow, with: "")
    let readers = (1...count).map { _ in Task { await flow.lines } }
    for answer in ["1", "2"] { try await flow.answer(answer) }
    for reader in readers { #expect(await reader.value == lines) }
    _ = await flow.result
  }

  @Test("a late subscriber first gets the events that the log still holds")
  func late() async throws {
    let flow = launch(flow, with: "")
    try await flow.answer("1")
    _ = try await flow.coordinator.settled()
    #expect(await flow.events(upTo: 6).map(\.change.line) == Array(lines.prefix(6)))
    try await flow.answer("2")
    _ = await flow.result
    #expect(await flow.lines == lines)
  }

  @Test("a subscription made before the first run waits for it")
  func beforeRun() async throws {
    let coordinator = FlowCoordinator(id: "test")
    let stream = coordinator.events
    let waiting = Task { await allEvents(of: coordinator).map(\.change.line) }
    let flow = launch(flow, with: "", on: coordinator)
    for answer in ["1", "2"] { try await flow.answer(answer) }
    #expect(await waiting.value == lines)
    var read: [String] = []
    for await event in stream { read.append(event.change.line) }
    #expect(read == lines)
    _ = await flow.result
  }

  @Test("a second run's events begin with 1 again, under the next run number; ids continue")
  func secondRun() async throws {
    let flow = launch(flow, with: "")
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = await flow.result
    let old = flow.coordinator.events
    let first = await flow.events
    _ = try await flow.coordinator.run(Flow { Step("x") { Automatic() } }, with: "")
    let second = await flow.events
    #expect(second.map(\.sequence) == [1, 2, 3])
    #expect(second.allSatisfy { $0.run == 2 })
    #expect(second.last?.position.stack.top?.id == VisitID(3))
    #expect(first.last?.position.stack.top?.id == VisitID(2))
    // A subscription of the first run stays with the first run.
    var read: [Int] = []
    for await event in old { read.append(event.run) }
    #expect(read == Array(repeating: 1, count: lines.count))
  }

  @Test(
    "a reader that falls behind a small log sees the gap, and has the whole position with the next event",
    arguments: [1, 2, 3])
  func gap(capacity: Int) async throws {
    let clock = TestClock()
    let flow = launch(flow, with: "", on: FlowCoordinator(id: "test", eventLog: capacity), clock: clock)
    var iterator = flow.coordinator.events.makeAsyncIterator()
    _ = try await flow.coordinator.settled()
    let first = await iterator.next()
    #expect(first?.sequence == max(1, 3 - capacity + 1))
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = await flow.result
    var rest: [NavigationEvent] = []
    while let event = await iterator.next() { rest.append(event) }
    #expect(rest.map(\.sequence) == Array((8 - capacity + 1)...8))
    #expect(rest.last?.position.status == .ended(.finished))
    #expect(rest.last?.position.stack.count == 2)
  }

  @Test("a log of no capacity holds the latest event", arguments: [0, -5])
  func smallest(capacity: Int) async throws {
    let coordinator = FlowCoordinator(eventLog: capacity)
    _ = try await coordinator.run(Flow { Step("a") { Automatic() } }, with: "")
    #expect(await allEvents(of: coordinator).map(\.sequence) == [3])
  }

  @Test("a reader that does not read costs the flow nothing: the flow runs to its end")
  func unread() async throws {
    let coordinator = FlowCoordinator(eventLog: 8)
    let parked = (1...64).map { _ in coordinator.events.makeAsyncIterator() }
    let flow = Flow<String, String> { for number in 1...200 { Step("\(number)") { Automatic() } } }
    _ = try await coordinator.run(flow, with: "")
    for var iterator in parked.prefix(2) { #expect(await iterator.next()?.sequence == 202 - 8 + 1) }
  }

  @Test("a reading task that is cancelled ends its own loop only")
  func cancelledReader() async throws {
    let flow = launch(flow, with: "")
    _ = try await flow.coordinator.settled()
    let (caughtUp, reading) = (
      Checkpoint(),
      { (mark: Checkpoint) in
        Task {
          var count = 0
          for await _ in flow.coordinator.events {
            count += 1
            if count == 3 { mark.mark() }
          }
          return count
        }
      }
    )
    let (given, other) = (reading(caughtUp), reading(caughtUp))
    await caughtUp.reached(2)
    given.cancel()
    #expect(await given.value == 3)
    for answer in ["1", "2"] { try await flow.answer(answer) }
    #expect(await other.value == 8)
    _ = await flow.result
  }

  @Test("a stream that is dropped unread, or left in the middle, affects no other reader")
  func dropped() async throws {
    let flow = launch(flow, with: "")
    for await _ in flow.coordinator.events { break }
    _ = flow.coordinator.events
    for answer in ["1", "2"] { try await flow.answer(answer) }
    _ = await flow.result
    #expect(await flow.lines == lines)
  }

  @Test("one event wakes all waiting readers")
  func wakesAll() async throws {
    let flow = launch(flow, with: "")
    _ = try await flow.coordinator.settled()
    let waiting = Checkpoint()
    let readers = (1...32).map { _ in
      Task {
        var iterator = flow.coordinator.events.makeAsyncIterator()
        for _ in 1...3 { _ = await iterator.next() }
        waiting.mark()
        return await iterator.next()?.change.line
      }
    }
    await waiting.reached(32)
    try await flow.answer("1")
    for reader in readers { #expect(await reader.value == "answered") }
    flow.run.cancel()
    _ = await flow.result
  }

  @Test("an event shares its visits with the one before")
  func shared() async throws {
    let coordinator = FlowCoordinator(eventLog: 10_000)
    let flow = Flow<String, String> { for number in 1...20 { Step("\(number)") { (input: String) in input } } }
    _ = try await coordinator.run(flow, with: "")
    let moves = await allEvents(of: coordinator).filter { $0.change.line.hasPrefix("moved") }
    #expect(moves.count == 20)
    for (earlier, later) in zip(moves, moves.dropFirst()) {
      #expect(later.position.stack.node?.below === earlier.position.stack.node)
    }
  }
}
