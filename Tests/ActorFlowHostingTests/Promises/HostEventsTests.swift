import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Events of hosted flows", .timeLimit(.minutes(15))) struct HostEventsTests {
  private let flow = Flow<String, String>("f") {
    Step("a") { Asker() }
    Step("b") { Asker() }
    Step("c") { Asker() }
  }

  @Test("a watcher sees every event once, however often the flow is passivated, until it ends")
  func acrossPassivation() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flows = try await host.register(flow)
    let (all, others) = (host.flow("f").events, host.flow("g").events)
    try await flows.start(id: "f", with: "-")
    try await flows.start(id: "g", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    let late = host.flow("f").events
    let known = try await host.flow("f").history().count
    for answer in ["1", "2", "3"] {
      try await host.answerNext("f", "\"\(answer)\"")
      await host.isQuiet()
    }
    var seen: [NavigationEvent] = []
    for await event in all { seen.append(event) }
    let history = try await host.flow("f").history()
    #expect(seen.map(\.sequence) == history.map(\.sequence))
    #expect(seen.map(\.sequence) == Array(1...seen.count))
    #expect(seen.compactMap(\.position.step).last?.path == "f/c")
    var seenLate: [Int] = []
    for await event in late { seenLate.append(event.sequence) }
    #expect(seenLate == Array((known + 1)...history.count))
    // A watcher of another flow sees nothing of this one.
    try await host.flow("g").abandon()
    var flowsSeen: Set<FlowID> = []
    for await event in others { flowsSeen.formUnion(event.position.questions.map(\.id.flow)) }
    #expect(flowsSeen == ["g"])
  }

  @Test("an event that the store did not accept is not published")
  func afterTheCommit() async throws {
    let store = FaultyStore(MemoryFlowStore())
    let host = FlowHost(store: store)
    let flows = try await host.register(flow)
    let events = host.flow("f").events
    try await flows.start(id: "f", with: "-")
    let view = try await host.flow("f").settled()
    await host.isQuiet()
    let known = try await host.flow("f").history().count
    store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    let question = try #require(view.questions.first?.id)
    await #expect(throws: FlowStoreError.self) { try await host.flow("f").answer(question, with: "1") }
    store.plan { _ in nil }
    try await host.flow("f").delete()
    var sequences: [Int] = []
    for await event in events { sequences.append(event.sequence) }
    #expect(sequences == Array(1...known))
  }
}
