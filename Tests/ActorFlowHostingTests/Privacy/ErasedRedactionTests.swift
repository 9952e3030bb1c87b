import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// The key of a flow is gone, and a redaction removes what the key did not reach.
@Suite("Redacted flows whose key was erased", .timeLimit(.minutes(15))) struct ErasedRedactionTests {
  private let clock = ManualWallClock()
  private let codec = PersonCodec()
  private let officer = Principal(id: "officer")

  private func host(
    on store: any FlowStore, _ edit: (inout FlowHost.Options) -> Void = { _ in }
  ) throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = codec
    edit(&options)
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private func open(_ files: SimulatedFiles) async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files), segmentBytes: 3_000)
  }

  /// Lets a flow ask its first question, which is assigned to a person.
  private func ask(_ id: FlowID, _ flows: RegisteredFlow<String, String>, on host: FlowHost) async throws {
    try await flows.start(
      id: id, with: "SECRET-input", labels: ["customer": "SECRET-person", "region": "north"],
      by: Principal(id: "SECRET-principal"))
    let question = try await host.flow(id).settled().questions[0].id
    try await host.flow(id).reassign(
      question, to: ["SECRET-assignee"], reason: "SECRET-reason", by: Principal(id: "operator"), key: "r")
  }

  private func finish(_ id: FlowID, _ flows: RegisteredFlow<String, String>, on host: FlowHost) async throws {
    try await TalkingFlow.talk(flows, on: host, id)
    let question = try await host.flow(id).settled().questions[0].id
    try await host.flow(id).answer(
      question, with: TalkingFlow.Papers(text: "SECRET-verdict"), by: Principal(id: "clerk"), key: "v")
    #expect(try await host.flow(id).settled().status == .finished)
    try await host.emptied()
  }

  @Test("an open flow loses its state, labels, tasks and names, and no byte of a person is in any file")
  func openFlow() async throws {
    let files = SimulatedFiles(seed: 1)
    var store = try await open(files)
    let witness = Witness()
    let host = try host(on: store) { $0.observers = [witness] }
    let flows = try await host.register(TalkingFlow.flow())
    try await TalkingFlow.talk(flows, on: host, "later")
    try await ask("first", flows, on: host)
    try await host.emptied()
    let traces = TalkingFlow.said + TalkingFlow.indexed
    #expect(!files.contents().found(traces).isEmpty)
    let ids: [FlowID] = ["first", "later"]
    var old: [FlowID: [HistoryEntry]] = [:]
    for id in ids { old[id] = try await host.flow(id).history() }
    let began = try await host.flow("first").view().startedAt
    let key = try #require(codec.erase("SECRET-person"))
    clock.advance(by: .seconds(1))
    for id in ids {
      let view = try await host.flow(id).redact(keeping: ["region"], reason: "request 17", by: officer)
      #expect(view.isRedacted && view.status == .erased && view.labels == ["region": "north"])
      #expect(view.startedAt == began && view.steps == (id == "first" ? ["talk/passport"] : ["talk/verdict"]))
      let row = try #require(try await store.load(id)).snapshot
      #expect(row.status == .erased && row.tasks.isEmpty && row.wakeAt == nil)
      #expect(row.body.isEmpty && row.values.isEmpty && row.keyReference == "key-0")
      #expect(witness.words(of: id).filter { $0 == "erased" }.count == 1)
      try await store.erase(id)
    }
    #expect(files.contents().found(traces) == [])
    codec.restore(key, of: "SECRET-person")
    for _ in 0..<2 {
      await store.close()
      #expect(files.contents().found(traces) == [])
      store = try await open(files)
      let host = try self.host(on: store)
      let flows = try await host.register(TalkingFlow.flow())
      #expect(try await host.catchUp().isEmpty)
      #expect(try await host.list(FlowQuery(label: .init("region", "north"))).flows.map(\.id) == ids)
      #expect(try await host.tasks().tasks.isEmpty)
      #expect(try await host.backlog() == FlowHost.Backlog(erased: 2))
      #expect(try await host.plan().erased == 2)
      for id in ids {
        let history = try await host.flow(id).history()
        let before = try #require(old[id])
        #expect(history.dropLast().map(\.sequence) == before.map(\.sequence))
        #expect(history.dropLast().map(\.what) == before.map(\.what))
        #expect(history.dropLast().map(\.at) == before.map(\.at))
        #expect(history.dropLast().allSatisfy { $0.detail == nil && $0.answer == nil })
        #expect(Set(history.compactMap(\.by)) == ["operator", "officer"])
        let last = try #require(history.last)
        #expect(last.sequence == history.count && last.what == "redacted" && last.detail == "request 17")
        // The key has come back, and the flow does not.
        #expect(try await host.flow(id).view().isRedacted)
        #expect(await code { try await host.flow(id).abandon() } == .erased)
        #expect(await code { try await flows.start(id: id, with: "-") } == .erased)
        let revision = try await host.flow(id).view().revision
        #expect(try await host.flow(id).redact(keeping: ["region"], reason: "again").revision == revision)
        #expect(try await host.flow(id).history() == history)
      }
    }
    let last = try self.host(on: store)
    #expect(try await last.flow("first").redact().labels.isEmpty)
    let reasons = try await last.flow("first").history().filter { $0.what == "redacted" }.map(\.detail)
    #expect(reasons == ["request 17", nil])
    try await last.flow("first").delete()
    #expect(try await store.load("first") == nil)
    await store.close()
  }

  @Test("an ended flow stays indexed as it ended, with the named staff, and is purged")
  func endedFlow() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(on: store)
    try await finish("f", try await host.register(TalkingFlow.flow()), on: host)
    _ = codec.erase("SECRET-person")
    let view = try await host.flow("f").redact(naming: ["clerk"], by: officer)
    #expect(view.status == .erased && view.isRedacted && view.labels.isEmpty)
    let row = try #require(try await store.load("f")).snapshot
    #expect(row.status == .finished && row.body.isEmpty && row.values.isEmpty)
    let history = try await host.flow("f").history()
    #expect(history.filter { $0.what == "answered" }.map(\.by) == [nil, "clerk"])
    #expect(history.allSatisfy { $0.detail == nil && $0.answer == nil })
    #expect(try await host.flow("f").redact(naming: ["clerk"]).revision == view.revision)
    #expect(try await host.flow("f").redact().revision == view.revision.next)
    #expect(try await host.flow("f").history().compactMap(\.by).allSatisfy { ["operator", "officer"].contains($0) })
    clock.advance(by: .seconds(1))
    #expect(try await host.purge(endedBefore: clock.now).purged == ["f"])
  }

  @Test("a flow that is in memory when its key is erased leaves memory and is redacted; with its key it is refused")
  func inMemory() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(on: store) { $0.keepHot = .seconds(1_000) }
    try await ask("f", try await host.register(TalkingFlow.flow()), on: host)
    let question = try await host.flow("f").settled().questions[0].id
    #expect(await code { try await host.flow("f").redact() } == .notEnded)
    _ = codec.erase("SECRET-person")
    #expect(try await host.flow("f").redact().isRedacted)
    #expect(try await store.load("f")?.snapshot.tasks.isEmpty == true)
    let papers = TalkingFlow.Papers(text: "late")
    #expect(await code { try await host.flow("f").answer(question, with: papers) } == .erased)
    #expect(try await host.flow("f").redact().revision == host.flow("f").view().revision)
    try await host.shutDown()
  }

  @Test("a store that is written in a format before 9 is not redacted, and nothing has changed")
  func olderFormat() async throws {
    struct Gone: BodyCodec {
      func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw ErasedKey() }
      func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { throw ErasedKey() }
    }
    let store = MemoryFlowStore(clock: clock)
    let first = try host(on: store) { $0.writesFormat = 8 }
    try await first.register(Flow<String, String>("f") { Step("a") { Asker() } }).start(id: "f", with: "-")
    try await first.emptied()
    let before = try await store.load("f")
    let older = try host(on: store) { ($0.writesFormat, $0.codec) = (8, Gone()) }
    #expect(await code { try await older.flow("f").redact() } == .notStorable)
    #expect(try await store.load("f") == before)
    let newer = try host(on: store) { ($0.writesFormat, $0.codec) = (9, Gone()) }
    #expect(try await newer.flow("f").redact().isRedacted)
    #expect(try await store.load("f")?.snapshot.format == 9)
  }
}
