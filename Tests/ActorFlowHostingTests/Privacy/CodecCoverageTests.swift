import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

/// Everything a person said passes the codec, and what stores find flows by does not.
@Suite("What passes a codec", .timeLimit(.minutes(15))) struct CodecCoverageTests {
  private let clock = ManualWallClock()
  private let files = SimulatedFiles(seed: 1)

  private func host(
    _ store: any FlowStore, _ codec: PersonCodec?, format: Int? = nil
  ) throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = codec
    options.writesFormat = format
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private func open() async throws -> FileFlowStore {
    try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files), segmentBytes: 4_000)
  }

  @Test("no file has what a person said: inputs, prompts, answers, records, signals, reasons, notes, errors")
  func files() async throws {
    let store = try await open()
    let codec = PersonCodec()
    let host = try host(store, codec)
    let flows = try await host.register(TalkingFlow.flow { true })
    try await TalkingFlow.talk(flows, on: host, "f")
    try await host.answerNext("f", #"{"text": "SECRET-verdict", "more": "SECRET-junk"}"#)
    try await host.flow("f").retry(reason: "SECRET-reason")
    #expect(try await host.flow("f").settled().failure?.contains("SECRET-error") == true)
    try await host.flow("f").abandon(reason: "SECRET-reason")
    try await host.emptied()
    await store.close()
    #expect(self.files.contents().found(TalkingFlow.said + ["SECRET-junk"]) == [])
    #expect(self.files.contents().found(TalkingFlow.indexed).count >= TalkingFlow.indexed.count)
    let again = try self.host(try await open(), codec)
    let view = try await again.flow("f").view()
    #expect(view.trace["traceparent"] == "SECRET-trace" && view.reason == "SECRET-reason")
    let history = try await again.flow("f").history()
    #expect(history.contains { $0.what == "noted" && $0.detail == "SECRET-note" })
    #expect(history.contains { $0.what == "retried" && $0.detail == "SECRET-reason" })
    #expect(history.contains { $0.what == "suspended" && $0.detail?.contains("SECRET-error") == true })
    #expect(history.contains { $0.what == "reassigned" && $0.detail?.hasSuffix(": SECRET-reason") == true })
    let answers = history.filter { $0.what == "answered" }.map { $0.answer.map { String(decoding: $0, as: UTF8.self) } }
    #expect(answers == [nil, #"{"text":"SECRET-verdict"}"#])
  }

  @Test("without a codec the details of the history are stored as they are")
  func plain() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(store, nil)
    let flows = try await host.register(TalkingFlow.flow())
    try await TalkingFlow.talk(flows, on: host, "f")
    let stored = try await store.history(of: "f", after: 0, limit: 99)
    #expect(try await host.flow("f").history() == stored)
    #expect(stored.contains { $0.detail == "SECRET-note" })
  }

  @Test("a detail of any text is read as it was written, with a codec and without", arguments: [true, false])
  func anyText(_ hasCodec: Bool) async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(store, hasCodec ? PersonCodec() : nil)
    let flows = try await host.register(TalkingFlow.flow())
    try await flows.start(id: "f", with: "-")
    let texts = ["\u{1}", "\u{1}AQ==", "\u{1}AAAA", "\u{1}\u{301}", "e\u{301}", "plain", "🎈"]
    for text in texts { try await host.flow("f").note(text) }
    let notes = try await host.flow("f").history().filter { $0.what == "noted" }.compactMap(\.detail)
    #expect(notes.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    var seen: [HistoryEntry] = []
    for try await entry in host.flow("f").news() {
      seen.append(entry)
      if seen.filter({ $0.what == "noted" }).count == texts.count { break }
    }
    #expect(try await host.flow("f").history().starts(with: seen))
  }

  @Test("the codec chooses a key by the id and the labels of the start, and every call has its reference")
  func keys() async throws {
    let store = MemoryFlowStore(clock: clock)
    let codec = PersonCodec()
    let host = try host(store, codec)
    let flows = try await host.register(TalkingFlow.flow())
    try await TalkingFlow.talk(flows, on: host, "f")
    try await TalkingFlow.talk(flows, on: host, "g")
    try await flows.start(id: "h", with: "-")
    #expect(codec.told["f"] == ["customer": "SECRET-person", "region": "north"] && codec.told["h"] == [:])
    #expect(try await store.load("f")?.snapshot.keyReference == "key-0")
    #expect(try await store.load("g")?.snapshot.keyReference == "key-0")
    #expect(try await store.load("h")?.snapshot.keyReference == nil)
    await host.isQuiet()
    // Another host goes on with the key of the start, whatever the labels are by now.
    let other = try self.host(store, codec)
    try await other.register(TalkingFlow.flow())
    try await other.answerNext("f", #"{"text": "yes"}"#)
    #expect(try await store.load("f")?.snapshot.keyReference == "key-0")
    #expect(codec.used["f"] == ["key-0"] && codec.used["h"] == [nil])
  }

  @Test("a store that is written in an older format takes no key, and its history stays plain for the older hosts")
  func olderFormat() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = try host(store, PersonCodec(), format: 8)
    let flows = try await host.register(TalkingFlow.flow())
    #expect(await code { try await flows.start(id: "f", with: "-", labels: ["customer": "c"]) } == .notStorable)
    #expect(try await store.load("f") == nil)
    try await flows.start(id: "g", with: "-")
    try await host.flow("g").note("readable")
    #expect(try await store.history(of: "g", after: 0, limit: 9).contains { $0.detail == "readable" })
    #expect(try await store.load("g")?.snapshot.format == 8)
    // From the next format on, new entries pass the codec, and older ones are read as they are.
    await host.isQuiet()
    let next = try self.host(store, PersonCodec(), format: 9)
    try await next.register(TalkingFlow.flow())
    try await next.flow("g").note("sealed")
    #expect(try await next.flow("g").history().filter { $0.what == "noted" }.map(\.detail) == ["readable", "sealed"])
    #expect(try await store.history(of: "g", after: 0, limit: 9).filter { $0.detail == "sealed" }.isEmpty)
  }
}

/// Answers are in the history only where the prompt says so.
@Suite("Audited answers", .timeLimit(.minutes(15))) struct AuditedAnswerTests {
  private let clock = ManualWallClock()

  @Test("the answer to an audited prompt stands with its entry, however it was given, and no other answer does")
  func entries() async throws {
    let store = MemoryFlowStore(clock: clock)
    let host = FlowHost(store: store, clock: clock)
    let flow = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) -> String in
        for key in ["1", "2", "3"] { _ = try await context.ask(TalkingFlow.Verdict(about: key), key: key) }
        return try await context.ask(Form(text: "plain"))
      }
    }
    try await host.register(flow).start(id: "f", with: "-")
    let handle = host.flow("f")
    let first = try await handle.settled().questions[0].id
    #expect(await code { try await handle.answer(first, json: #"{"wrong": 1}"#.utf8) } == .wrongAnswerType)
    try await handle.answer(first, with: TalkingFlow.Papers(text: "typed"), by: Principal(id: "ann"))
    _ = try await handle.settled()
    try await handle.answer(TalkingFlow.Verdict.self, with: TalkingFlow.Papers(text: "by prompt"))
    try await host.answerNext("f", #"{ "more": 1, "text": "json" }"#)
    try await host.answerNext("f", #""not audited""#)
    let answered = try await handle.history().filter { $0.what == "answered" }
    #expect(
      answered.map { $0.answer.map { String(decoding: $0, as: UTF8.self) } }
        == [#"{"text":"typed"}"#, #"{"text":"by prompt"}"#, #"{"text":"json"}"#, nil])
    #expect(answered[0].by == "ann" && answered[0].detail?.isEmpty == false)
    #expect(try await handle.history().filter { $0.what != "answered" }.allSatisfy { $0.answer == nil })
    // A store has no place for answers but the detail.
    #expect(try await store.history(of: "f", after: 0, limit: 99).allSatisfy { $0.answer == nil })
  }

  @Test("in a flow of an older format an audited prompt is refused, and the error names the option")
  func olderFormat() async throws {
    var options = FlowHost.Options()
    options.writesFormat = 8
    let host = try FlowHost(store: MemoryFlowStore(clock: clock), clock: clock, options: options)
    let flow = Flow<String, String>("f") {
      Step("a") { (_: String, context: StepContext) in
        try await context.ask(TalkingFlow.Verdict(about: "-")).text
      }
    }
    try await host.register(flow).start(id: "f", with: "-")
    let view = try await host.flow("f").settled()
    #expect(view.status == .suspended && view.failure?.contains("writesFormat") == true, "\(view.failure ?? "")")
  }
}
