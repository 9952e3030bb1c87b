import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// After a redaction the facts of a flow are left, and nothing that a person said.
@Suite("Redacted flows", .timeLimit(.minutes(15))) struct RedactionTests {
  private let clock = ManualWallClock()
  private let officer = Principal(id: "officer")
  private let other = Flow<String, String>("other") { Step("a") { Asker() } }

  private func open(_ files: SimulatedFiles, _ fault: (@Sendable (DiskOperation) -> DiskFault?)? = nil) async throws
    -> FileFlowStore
  {
    try await FileFlowStore(
      directory: "/store", clock: clock, disk: Disk(files, fault: fault), segmentBytes: 3_000)
  }

  /// Lets a person talk, and the flow finish.
  private func finish(_ id: FlowID, on host: FlowHost, _ flows: RegisteredFlow<String, String>) async throws {
    try await TalkingFlow.talk(flows, on: host, id)
    let question = try await host.flow(id).settled().questions[0].id
    try await host.flow(id).answer(
      question, with: TalkingFlow.Papers(text: "SECRET-verdict"), by: Principal(id: "clerk"), key: "v")
    #expect(try await host.flow(id).settled().status == .finished)
    try await host.emptied()
  }

  @Test("no byte of a person is in any file after redact and erase, and the facts are", arguments: [true, false])
  func everyByte(_ hasCodec: Bool) async throws {
    let files = SimulatedFiles(seed: 1)
    var store = try await open(files)
    var options = FlowHost.Options()
    options.codec = hasCodec ? PersonCodec() : nil
    let host = try FlowHost(store: store, clock: clock, options: options)
    let flows = try await host.register(TalkingFlow.flow())
    try await finish("f", on: host, flows)
    let others = try await host.register(other)
    for number in 0..<20 { try await others.start(id: FlowID("OTHER-\(number)"), with: "OTHER-input") }
    try await host.emptied()
    let traces = TalkingFlow.said + TalkingFlow.indexed + ["clerk"]
    #expect(!files.contents().found(traces).isEmpty)
    let (before, old) = (try await host.flow("f").view(), try await host.flow("f").history())
    clock.advance(by: .seconds(1))
    let view = try await host.flow("f").redact(keeping: ["region"], reason: "request 17", by: officer)
    #expect(view.isRedacted && view.status == .finished && view.output == nil && view.revision == before.revision.next)
    #expect(view.labels == ["region": "north"] && view.stack == before.stack && view.startedAt == before.startedAt)
    try await store.erase("f")
    #expect(files.contents().found(traces) == [])
    for _ in 0..<2 {
      // Closing writes a snapshot of the index.
      await store.close()
      #expect(files.contents().found(traces) == [])
      store = try await open(files)
      let host = try FlowHost(store: store, clock: clock, options: options)
      let again = try await host.flow("f").view()
      #expect(again.isRedacted && again.labels == view.labels && again.revision == view.revision)
      let history = try await host.flow("f").history()
      #expect(history.dropLast().map(\.sequence) == old.map(\.sequence))
      #expect(history.dropLast().map(\.what) == old.map(\.what) && history.dropLast().map(\.step) == old.map(\.step))
      #expect(history.dropLast().map(\.at) == old.map(\.at))
      #expect(history.dropLast().allSatisfy { $0.detail == nil && $0.answer == nil })
      #expect(Set(history.compactMap(\.by)) == ["operator", "officer"])
      #expect(history.last?.what == "redacted" && history.last?.detail == "request 17")
      #expect(try await host.list(FlowQuery(label: FlowQuery.Label("region", "north"))).flows.map(\.id) == ["f"])
      #expect(try await host.list(FlowQuery(label: FlowQuery.Label("mood", "SECRET-label"))).flows.isEmpty)
      try await host.register(other)
      #expect(try await host.flow("OTHER-3").settled().questions.count == 1)
      try await host.emptied()
    }
    await store.close()
  }

  @Test("the staff whose names are kept stay in the history, and nobody else does")
  func naming() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    try await finish("f", on: host, try await host.register(TalkingFlow.flow()))
    try await host.flow("f").redact(naming: ["clerk"], by: officer)
    let answered = try await host.flow("f").history().filter { $0.what == "answered" }
    #expect(answered.map(\.by) == [nil, "clerk"])
  }

  @Test("those who acted in a rendered step are named no more, and who assigned a question is")
  func rendered() async throws {
    let host = FlowHost(store: MemoryFlowStore(clock: clock), clock: clock)
    let flow = Flow<Void, String>("f") {
      Step("tap") { Tapped() }
      Step("vote") { (input: String, context: StepContext) in try await context.ask(Vote(assignees: [input])) }
    }
    let flows = try await host.register(flow)
    try await flows.start(id: "f")
    let hosted = host.flow("f")
    for tap in ["a", "b", "done"] {
      let question = try #require(try await hosted.settled().questions.first)
      try await hosted.answer(question.id, with: tap, by: Principal(id: "customer"))
    }
    let question = try #require(try await hosted.settled().questions.first)
    try await hosted.reassign(question.id, to: ["bob"], reason: "away", by: officer)
    try await hosted.answer(question.id, with: "yes", by: Principal(id: "bob"))
    #expect(try await hosted.settled().status == .finished)
    #expect(try await hosted.history().contains { $0.what == "updated" && $0.by == "customer" })
    try await hosted.redact(by: officer)
    let history = try await hosted.history()
    #expect(Set(history.compactMap(\.by)) == ["officer"])
    #expect(history.first { $0.what == "reassigned" }?.by == "officer")
  }

  private struct TapView: Prompt, Codable {
    typealias Answer = String
    static let promptName = "test.tap"
    var taps: Int
  }

  private struct Tapped: RenderedStep {
    func makeState() -> Int { 0 }
    func apply(_ tap: String, to state: inout Int) -> String? {
      state += 1
      return tap == "done" ? tap : nil
    }
    func render(_ state: Int, in scope: inout RenderScope<Tapped>) -> TapView { TapView(taps: state) }
  }

  private struct Vote: ReassignablePrompt, Codable {
    typealias Answer = String
    static let promptName = "test.vote"
    var assignees: [String]
  }

  @Test("a redaction that is repeated writes nothing, and one that removes more does")
  func repeated() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    try await finish("f", on: host, try await host.register(TalkingFlow.flow()))
    let first = try await host.flow("f").redact(keeping: ["region", "mood"], reason: "one", by: officer)
    let second = try await host.flow("f").redact(keeping: ["region", "mood"], reason: "two")
    #expect(second.revision == first.revision && second.labels == first.labels)
    let third = try await host.flow("f").redact(keeping: ["region"])
    #expect(third.revision == first.revision.next && third.labels == ["region": "north"])
    try await host.flow("f").note("SECRET-later", by: officer)
    #expect(try await host.flow("f").history().last?.detail == "SECRET-later")
    try await host.flow("f").redact(keeping: ["region"])
    let history = try await host.flow("f").history()
    #expect(history.allSatisfy { $0.detail?.contains("SECRET") != true })
    #expect(history.filter { $0.what == "redacted" }.map(\.detail) == ["one", nil, nil])
    #expect(history.map(\.sequence) == Array(1...history.count))
  }

  @Test("what asks for a value of a redacted flow is told so, and its keys and signals are forgotten")
  func afterwards() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(TalkingFlow.flow())
    try await finish("f", on: host, flows)
    let person = Principal(id: "SECRET-principal")
    #expect(
      try await host.flow("f").send("SECRET-webhook", to: TalkingFlow.webhook, key: "w", by: person) == .duplicate)
    try await host.flow("f").redact()
    #expect(await code { try await flows.outcome(of: "f") } == .redacted)
    #expect(await code { try await flows.start(id: "f", with: "SECRET-input") } == .alreadyStarted)
    #expect(await code { try await host.flow("f").retry() } == .flowEnded)
    #expect(await code { try await host.flow("f").abandon() } == .flowEnded)
    #expect(try await host.flow("f").send("SECRET-webhook", to: TalkingFlow.webhook, key: "w") == .flowEnded)
    var news: [String] = []
    for try await entry in host.flow("f").news() { news.append(entry.what) }
    #expect(news.last == "redacted")
    try await host.flow("f").delete()
    #expect(try await flows.start(id: "f", with: "anew").status == .runnable)
  }

  @Test("abandoned and failed flows keep how they ended, without the reason and the error")
  func endings() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(TalkingFlow.flow())
    try await TalkingFlow.talk(flows, on: host, "a")
    try await host.flow("a").abandon(reason: "SECRET-reason", by: Principal(id: "SECRET-principal"))
    let failing = try await host.register(
      Flow<String, String>("failing") { Step("a") { (_: String) -> String in throw Boom() } }.onFailure(.rollBack))
    try await failing.start(id: "b", with: "SECRET-input")
    #expect(try await host.flow("b").settled().status == .failed)
    try await host.emptied()
    for (id, status) in [("a", FlowSnapshot.Status.abandoned), ("b", .failed)] as [(FlowID, FlowSnapshot.Status)] {
      let view = try await host.flow(id).redact()
      #expect(view.status == status && view.reason?.isEmpty != false && view.failure == nil)
      #expect(try await host.flow(id).view().status == status)
      #expect(try await store.load(id)?.snapshot.status == status)
    }
    #expect(try await flows.outcome(of: "a") == .abandoned(reason: ""))
    // The ended flow is loaded, noted and purged like any other.
    try await host.flow("a").note("seen")
    clock.advance(by: .seconds(1))
    #expect(Set(try await host.purge(endedBefore: clock.now).purged) == ["a", "b"])
  }

  private final class Switch: Sendable {
    private let state = Lock(true)
    var isOn: Bool { state.withLock { $0 } }
    func mend() { state.withLock { $0 = false } }
  }

  /// Its `backUp` throws until it is mended.
  private actor Stubborn: FlowStep {
    let isBroken: Switch
    init(_ isBroken: Switch) { self.isBroken = isBroken }
    func proceed(_ text: String, context: StepContext) async throws -> String {
      try await context.ask(Form(text: text))
    }
    func backUp(context: RollbackContext) throws { if isBroken.isOn { throw Boom() } }
  }

  @Test("an open flow is refused, and so is one with a `backUp` to repeat; nothing has changed")
  func refused() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let isBroken = Switch()
    let flow = Flow<String, String>("f") { Step("a") { Stubborn(isBroken) } }
    try await host.register(flow).start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    #expect(await code { try await host.flow("f").redact() } == .notEnded)
    try await host.emptied()
    #expect(await code { try await host.flow("f").redact() } == .notEnded)
    _ = await code { try await host.flow("f").abandon() }
    try await host.emptied()
    let revision = try #require(try await store.load("f")).revision
    #expect(await code { try await host.flow("f").redact() } == .rollbackFailed)
    #expect(try await store.load("f")?.revision == revision)
    isBroken.mend()
    try await host.flow("f").retry()
    _ = try await host.flow("f").settled()
    #expect(try await host.flow("f").redact().isRedacted)
    #expect(await code { try await host.flow("none").redact() } == .noSuchFlow)
    #expect(await code { try await host.flow("f").redact(reason: String(repeating: "x", count: 2_000)) } == .tooLarge)
  }

  @Test("a failed `backUp` that an edit is told to forget is not repeated, and does not keep the flow from a redaction")
  func forgottenFailure() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let flow = Flow<String, String>("f") {
      Step<String, String>("start") { Asker() }
      Step("a") { Stubborn(Switch()) }
      Step<String, String>("end") { Asker() }
    }
    try await host.register(flow).start(id: "f", with: "-")
    for _ in 0..<2 { try await host.answerNext("f", #""1""#) }
    _ = await code { try await host.flow("f").backUp(to: "start") }
    let owed = try await host.flow("f").settled()
    #expect(owed.undoFailures.map(\.step?.name) == ["a"] && owed.status == .waiting)
    #expect(await code { try await host.flow("f").edit([.forget("a")]) } == .compensationOwed)
    try await host.flow("f").edit([.forget("a")], forgetting: ["a"])
    let refusal = await code { try await host.flow("f").compensateAgain() }
    #expect(refusal == .notActive)
    try await host.flow("f").abandon()
    try await host.emptied()
    #expect(try await store.load("f")?.snapshot.rollbackFailed == true)
    let redacted = try await host.flow("f").redact()
    #expect(redacted.isRedacted && !redacted.rollbackFailed)
  }

  @Test("a store that cannot replace a history, or is written in an older format, is not redacted")
  func unable() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    try await finish("f", on: host, try await host.register(TalkingFlow.flow()))
    struct Appending: FlowStore {
      let base: MemoryFlowStore
      func load(_ id: FlowID) async throws -> StoredFlow? { try await base.load(id) }
      func commit(_ write: FlowWrite) async throws -> StoredFlow { try await base.commit(write) }
      func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {}
      func list(_ query: FlowQuery, after: String?, limit: Int) async throws -> FlowPage {
        try await base.list(query, after: after, limit: limit)
      }
      func tasks(_ query: TaskQuery, after: String?, limit: Int) async throws -> TaskPage {
        try await base.tasks(query, after: after, limit: limit)
      }
      func history(of id: FlowID, after: Int, limit: Int) async throws -> [HistoryEntry] {
        try await base.history(of: id, after: after, limit: limit)
      }
      func note(_ key: String) async throws -> StoreNote? { nil }
      func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {}
    }
    let other = FlowHost(store: Appending(base: store), clock: clock)
    #expect(await code { try await other.flow("f").redact() } == .notStorable)
    let old = MemoryFlowStore(clock: clock)
    var options = FlowHost.Options()
    options.writesFormat = 8
    let older = try FlowHost(store: old, clock: clock, options: options)
    try await older.register(Flow<String, String>("f") { Step("a") { Asker() } }).start(id: "f", with: "-")
    try await older.answerNext("f", #""x""#)
    try await older.emptied()
    #expect(await code { try await older.flow("f").redact() } == .notStorable)
    options.writesFormat = 9
    #expect(try await FlowHost(store: old, clock: clock, options: options).flow("f").redact().isRedacted)
  }

  @Test("a redaction and an erasure that die at any call leave a whole flow, and can be repeated")
  func interrupted() async throws {
    var number = 0
    var isDone = false
    while !isDone {
      number += 1
      let files = SimulatedFiles(seed: UInt64(number))
      let store = try await open(files)
      let host = FlowHost(store: store, clock: clock)
      try await finish("f", on: host, try await host.register(TalkingFlow.flow()))
      let old = try await host.flow("f").history()
      await store.close()
      let limit = number
      let calls = Lock((isArmed: false, count: 0))
      let dying = try await open(files) { _ in
        calls.withLock { calls in
          guard calls.isArmed else { return nil }
          calls.count += 1
          return calls.count == limit ? .crash : nil
        }
      }
      calls.withLock { $0.isArmed = true }
      do {
        try await FlowHost(store: dying, clock: clock).flow("f").redact(by: officer)
        try await dying.erase("f")
        isDone = true
      } catch {}
      await dying.close()
      files.crash()
      let again = try await open(files)
      let next = FlowHost(store: again, clock: clock)
      let (view, history) = (try await next.flow("f").view(), try await next.flow("f").history())
      #expect(history.count == old.count + (view.isRedacted ? 1 : 0), "call \(number)")
      #expect(view.isRedacted || history == old, "call \(number)")
      #expect(await again.unreadable().isEmpty)
      try await next.flow("f").redact(by: officer)
      try await again.erase("f")
      #expect(files.contents().found(TalkingFlow.said + TalkingFlow.indexed) == [], "call \(number)")
      #expect(try await next.flow("f").history().count == old.count + 1)
      await again.close()
    }
    #expect(number > 10)
  }
}
