import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// The events that observers of a host see.
@Suite("Observers of a host", .timeLimit(.minutes(15))) struct ObserverTests {
  private let clock = ManualWallClock()
  private let witness = Witness()

  private func host(on store: any FlowStore) throws -> FlowHost {
    try FlowHost(store: store, clock: clock, owner: "host", options: .observed(by: witness))
  }

  /// A flow whose first step cannot be compensated.
  private let failing = Flow<String, String>("f") {
    Step("a") { Scripted(backUp: { _ in throw Boom() }) { text, _ in text } }
    Step("b") { Asker() }
  }

  @Test("an observer sees a flow from its start to its end, in order")
  func wholeFlow() async throws {
    let host = try host(on: MemoryFlowStore(clock: clock))
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        Step("pay") { (text: String, context: StepContext) in
          try await context.once("charge") { _ in text + "!" }
        }
      })
    try await flows.start(id: "x", with: "-", by: Principal(id: "ann"))
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await host.isQuiet()
    let first = witness.words(of: "x")
    #expect(
      first == [
        "committed start", "started by ann", "activated", "began a", "committed ", "asked 1 at a", "ended a: cancelled",
        "passivated",
      ])
    try await host.flow("x").answer(question, with: "1", by: Principal(id: "bob"))
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let rest = witness.words(of: "x").dropFirst(first.count).filter { $0 != "committed " }
    #expect(
      Array(rest) == [
        "activated", "began a again", "committed answer", "answered 1 by bob", "ended a: returned", "began pay",
        "effect charge of pay", "effect charge: returned", "ended pay: returned", "ended finished", "passivated",
      ])
    #expect(witness.events.allSatisfy { $0.host == "host" && $0.at == clock.now })
    #expect(witness.events.allSatisfy { $0.flow == nil || $0.definition == "f" && $0.version == 1 })
    for case .committed(let commit) in witness.events.map(\.kind) { #expect(commit.bytes > 0) }
  }

  @Test("no event has an answer, a prompt, a value or the message of an error")
  func noSecrets() async throws {
    let store = FaultyStore(MemoryFlowStore(clock: clock))
    let host = try host(on: store)
    struct Leaky: Error { let secret = "SECRET" }
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { Asker() }
        Step("b") { (text: String, context: StepContext) -> String in
          try await context.once("key") { _ in throw Leaky() }
        }
      })
    try await flows.start(id: "x", with: "SECRET")
    let question = try #require(try await host.flow("x").settled().questions.first?.id)
    await #expect(throws: Refused.self) { try await host.flow("x").answer(question, with: "") }
    store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    await #expect(throws: FlowStoreError.self) { try await host.flow("x").answer(question, with: "SECRET") }
    store.plan { _ in nil }
    try await host.flow("x").answer(question, with: "SECRET")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let words = witness.words(of: "x")
    #expect(words.contains("suspended at b: Leaky"))
    #expect(words.contains("refused answer by -: Refused"))
    #expect(words.contains("refused answer by -: unavailable"))
    #expect(words.contains("store: unavailable"))
    #expect(words.contains("effect key: threw Leaky"))
    var text = ""
    for event in witness.events { dump(event, to: &text) }
    #expect(!text.contains("SECRET"))
    #expect(!text.contains("~"), "the secret part of a question's id")
  }

  @Test("a timer says how late it has fired")
  func lateTimer() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(on: store)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("a") { (text: String, context: StepContext) in
          try await context.ask(Form(text: text), within: .seconds(60)) ?? "nobody"
        }
      })
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    clock.advance(by: .seconds(62))
    try await host.catchUp()
    #expect(witness.words(of: "x").filter { $0.hasPrefix("timer") } == ["timer late by \(Duration.seconds(2))"])
  }

  @Test("a backUp that throws is reported with its step, and the ending after it")
  func failedCompensation() async throws {
    let host = try host(on: MemoryFlowStore(clock: clock))
    let flows = try await host.register(failing)
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    _ = try? await host.flow("x").abandon(by: Principal(id: "ann"))
    await host.isQuiet()
    let words = witness.words(of: "x")
    #expect(words.contains("backUp of a: threw Boom"))
    let ending = try #require(words.firstIndex(of: "ended abandoned"))
    // The caller gets the error of the rollback when the flow has ended.
    #expect(words[ending...].contains("refused abandon by ann: rollbackFailed"))
    #expect(words.last == "passivated")
  }

  @Test("a `backUp` that fails again when an operator has it called is reported")
  func failedAgain() async throws {
    let host = try host(on: MemoryFlowStore(clock: clock))
    let flows = try await host.register(failing)
    try await flows.start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    _ = try? await host.flow("x").abandon()
    await host.isQuiet()
    let before = witness.words(of: "x").count
    let ann = Principal(id: "ann")
    #expect(await code { try await host.flow("x").compensateAgain(by: ann) } == .rollbackFailed)
    await host.isQuiet()
    let words = witness.words(of: "x").dropFirst(before).filter { $0 != "activated" && $0 != "passivated" }
    #expect(words.contains("backUp of a: threw Boom"))
    #expect(words.last == "refused compensateAgain by ann: rollbackFailed")
    #expect(words.contains("committed compensateAgain"))
  }

  @Test("a flow that fits no version is reported with its definition")
  func unmigrated() async throws {
    let store = MemoryFlowStore(clock: clock)
    let first = FlowHost(store: store, clock: clock, owner: "host")
    try await first.register(Flow<String, String>("f") { Step("a") { Asker() } }).start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    let second = try host(on: store)
    try await second.register(Flow<String, String>("f") { Step("other") { Asker() } }, version: 2, from: 1)
    #expect(await code { try await second.flow("x").answer(Form.self, with: "1") } == .unmigrated)
    let events = witness.events.filter { if case .unmigrated = $0.kind { true } else { false } }
    #expect(events.map(\.flow) == ["x"] && events.map(\.definition) == ["f"])
  }

  @Test("events say how long a step, an effect and a write took, and which revision the write made")
  func durations() async throws {
    let base = MemoryFlowStore(clock: clock)
    let store = FaultyStore(base)
    let host = try host(on: store)
    let flow = Flow<String, String>("f") { [clock] in
      Step("pay") { (text: String, context: StepContext) in
        clock.advance(by: .seconds(2))
        return try await context.once("charge") { _ in
          clock.advance(by: .seconds(3))
          return text
        }
      }
    }
    store.plan { [clock] call in
      if call.operation == .commit { clock.advance(by: .milliseconds(10)) }
      return nil
    }
    try await host.register(flow).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    var (revisions, longest): ([Int], [Duration]) = ([], [.zero, .zero, .zero])
    for event in witness.events {
      switch event.kind {
      case .effectEnded(_, "charge", .returned, let time): longest[0] = time
      case .stepEnded(_, .returned, let time): longest[1] = time
      case .committed(let commit):
        revisions.append(commit.revision.number)
        longest[2] = max(longest[2], commit.duration)
      default: break
      }
    }
    #expect(longest[0] == .seconds(3) && longest[2] == .milliseconds(10))
    #expect(longest[1] >= .seconds(5) && longest[1] < .seconds(6), "with the commits of the effect")
    #expect(revisions == Array(1...revisions.count))
    #expect(try await base.load("x")?.revision.number == revisions.last)
  }

  @Test("an answer says how long its question was open, also when another host has asked it, and a request has its key")
  func waitingTime() async throws {
    let store = MemoryFlowStore(clock: clock)
    let flow = Flow<String, String>("f") { Step("a") { Asker() } }
    let first = FlowHost(store: store, clock: clock, owner: "first")
    try await first.register(flow).start(id: "x", with: "-", trace: ["traceparent": "t"])
    _ = try await first.flow("x").settled()
    try await first.shutDown()
    clock.advance(by: .seconds(7))
    let second = try host(on: store)
    try await second.register(flow)
    try await second.flow("x").answer(Form.self, with: "1", by: Principal(id: "bob"), key: "click")
    _ = try await second.flow("x").settled()
    await second.isQuiet()
    var (answers, requests): ([String], [String]) = ([], [])
    for event in witness.events {
      switch event.kind {
      case .answered(let question, let by, let time):
        answers.append("\(question.number) at \(question.step) by \(by ?? "-") after \(time ?? .zero)")
      case .requestEnded(let request, .returned, _):
        requests.append("\(request.kind) \(request.key ?? "-") by \(request.by ?? "-") of \(event.definition ?? "-")")
        #expect(event.trace == ["traceparent": "t"])
      default: break
      }
    }
    #expect(answers == ["1 at a by bob after \(Duration.seconds(7))"])
    #expect(requests == ["answer click by bob of f"])
  }

  @Test("a request is reported in the task of its caller, with the time that it took")
  func requestTime() async throws {
    let store = FaultyStore(MemoryFlowStore(clock: clock))
    let caller = CallerWitness()
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: .observed(by: caller))
    let flows = try await host.register(Flow<String, String>("f") { Step("a") { Asker() } })
    store.plan { [clock] call in
      if call.operation == .commit { clock.advance(by: .milliseconds(10)) }
      return nil
    }
    try await CallerWitness.$caller.withValue("ann's request") {
      _ = try await flows.start(id: "x", with: "-")
    }
    await host.isQuiet()
    let seen = caller.seen.withLock { $0 }
    #expect(seen.map(\.caller) == ["ann's request"])
    #expect(seen.allSatisfy { $0.time >= .milliseconds(10) })
  }

  /// An observer that remembers requests, with a value of the task in which it is called.
  private final class CallerWitness: HostObserver {
    @TaskLocal static var caller: String?
    let seen = Lock<[(caller: String?, time: Duration)]>([])

    func observe(_ event: HostEvent) {
      guard case .requestEnded(_, _, let time) = event.kind else { return }
      seen.withLock { $0.append((Self.caller, time)) }
    }
  }

  @Test("a `backUp` says how long it took")
  func compensationTime() async throws {
    let host = try host(on: MemoryFlowStore(clock: clock))
    let flow = Flow<String, String>("f") { [clock] in
      Step("a") { Scripted(backUp: { _ in clock.advance(by: .seconds(2)) }) { text, _ in text } }
      Step("b") { Asker() }
    }
    try await host.register(flow).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    try await host.flow("x").abandon()
    await host.isQuiet()
    var times: [Duration] = []
    for event in witness.events {
      if case .compensationEnded("a", .returned, let time) = event.kind { times.append(time) }
    }
    #expect(times == [.seconds(2)])
  }

  @Test("a lease that another host has ended is reported once for each flow")
  func lostLease() async throws {
    let store = MemoryFlowStore(clock: clock)
    let gate = Gate()
    let flow = Flow<String, String>("f") {
      Step("a") { (text: String, _: StepContext) in
        await gate.pass()
        return text
      }.durableEntry()
      Step("b") { Asker() }
    }
    let host = try host(on: store)
    try await host.register(flow).start(id: "x", with: "-")
    await gate.reached()
    clock.advance(by: .seconds(31))
    _ = try await store.acquire("x", owner: "other", for: .seconds(60))
    gate.open()
    await host.isQuiet()
    #expect(witness.words(of: "x").count { $0 == "lease lost" } == 1)
  }

  @Test("a refused start is reported")
  func refusedStart() async throws {
    let host = try host(on: MemoryFlowStore(clock: clock))
    let flows = try await host.register(Flow<String, String>("f") { Step("a") { Asker() } })
    try await flows.start(id: "x", with: "-")
    #expect(await code { try await flows.start(id: "x", with: "other", by: Principal(id: "ann")) } == .alreadyStarted)
    #expect(witness.words(of: "x").last { $0.hasPrefix("refused") } == "refused start by ann: alreadyStarted")
  }

  @Test("a host without observers has nothing to call")
  func noObservers() async {
    #expect(FlowHost(store: MemoryFlowStore()).shared.observation == nil)
  }
}
