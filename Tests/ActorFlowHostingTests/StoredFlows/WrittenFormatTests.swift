import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// A rolling deploy begins with hosts that read the old format only. They must be able to go on with every flow until
/// the operator raises the format.
@Suite("The format in which flows are stored", .timeLimit(.minutes(15))) struct WrittenFormatTests {
  private let store = MemoryFlowStore()

  private var flow: Flow<String, String> {
    Flow("order") {
      Step("first") { Asker() }
      Step("second") { Asker() }
    }
  }

  private func host(writing format: Int?) async throws -> (host: FlowHost, flows: RegisteredFlow<String, String>) {
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: store, options: options)
    return (host, try await host.register(flow))
  }

  private func format(of id: FlowID) async throws -> UInt8 {
    let row = try #require(try await store.load(id)).snapshot
    let format = try HostedState(of: row).format
    #expect(row.format == Int(format))
    return format
  }

  /// Returns the name of the journal's key of the answer that the flow was given.
  private func journaled(_ id: FlowID) async throws -> [String] {
    let row = try #require(try await store.load(id)).snapshot
    return try HostedState(of: row).machine.main.focus.answers.map { "\($0.key.name.text)#\($0.key.number)" }
  }

  @Test("a store without flows begins with the newest format, and later hosts go on with it")
  func emptyStore() async throws {
    for id: FlowID in ["a", "b"] {
      let (host, flows) = try await host(writing: nil)
      try await flows.start(id: id, with: "-")
      try await host.emptied()
      #expect(try await format(of: id) == MachineSnapshot.format)
    }
  }

  @Test("a store whose flows have the old format keeps it: new flows and changed ones")
  func oldStore() async throws {
    let old = try await host(writing: 5)
    try await old.flows.start(id: "a", with: "-")
    try await old.host.emptied()
    let new = try await host(writing: nil)
    try await new.flows.start(id: "b", with: "-")
    try await new.host.answerNext("a", #""1""#)
    try await new.host.emptied()
    for id: FlowID in ["a", "b"] { #expect(try await format(of: id) == 5) }
    // The build that knows only the old format takes over again.
    let back = try await host(writing: 5)
    for _ in 1...2 { try await back.host.answerNext("b", #""1""#) }
    try await back.host.answerNext("a", #""2""#)
    #expect(try await back.flows.outcome(of: "a") == .finished("-12"))
    #expect(try await back.flows.outcome(of: "b") == .finished("-11"))
  }

  @Test("once the operator raises it, each flow gets the new format when it is activated, and no host lowers it")
  func raised() async throws {
    let old = try await host(writing: 5)
    for id: FlowID in ["a", "b"] { try await old.flows.start(id: id, with: "-") }
    try await old.host.emptied()
    let new = try await host(writing: 6)
    try await new.host.answerNext("a", #""1""#)
    try await new.host.emptied()
    #expect(try await format(of: "a") == 6)
    #expect(try await format(of: "b") == 5, "not activated yet")
    let late = try await host(writing: 5)
    try await late.host.answerNext("a", #""2""#)
    #expect(try await format(of: "a") == 6)
    #expect(try await late.flows.outcome(of: "a") == .finished("-12"))
    let next = try await host(writing: nil)
    try await next.flows.start(id: "c", with: "-")
    #expect(try await format(of: "c") == 6, "the store was raised")
  }

  @Test("an answer is journaled under the name that the hosts of its format look for")
  func keys() async throws {
    let flow = Flow<String, String>("order") {
      Step("both") { (_: String, context: StepContext) in
        try await context.ask(Form(text: "1")) + (try await context.ask(Form(text: "2")))
      }
    }
    for (format, name) in [(5, "Form#1"), (6, "ActorFlowHostingTests.Form#1")] {
      var options = FlowHost.Options()
      options.writesFormat = format
      let host = try FlowHost(store: store, options: options)
      try await host.register(flow).start(id: "f", with: "-")
      try await host.answerNext("f", #""1""#)
      try await host.emptied()
      #expect(try await journaled("f") == [name])
      // The flow is raised in the middle of its visit: the answer gets its new name, and is not asked for again.
      let raised = FlowHost(store: store)
      let flows = try await raised.register(flow)
      try await raised.answerNext("f", #""2""#)
      #expect(try await flows.outcome(of: "f") == .finished("12"))
      try await raised.flow("f").delete()
    }
  }

  @Test(
    "calls that need the newest format are refused before they do anything, and succeed once it is raised",
    arguments: 0..<5)
  func newCalls(_ call: Int) async throws {
    let log = Log()
    let flow = Flow<String, String>("order") {
      Step("new") { (_: String, context: StepContext) in
        switch call {
        case 0: "\(try await context.attempt("charge") { _ in log.charge() })"
        case 1: "\(try await context.now(key: "began").sinceStart >= .zero)"
        case 2: "\(try await context.label("stage", "new"))"
        case 3: try await context.reply(to: Form(text: "")).answer
        default: "\(try await context.first(of: Form(text: ""), or: Signal<Int>("paid")))"
        }
      }
    }
    var options = FlowHost.Options()
    options.writesFormat = 5
    let old = try FlowHost(store: store, options: options)
    try await old.register(flow).start(id: "f", with: "-")
    let view = try await old.flow("f").settled(within: .seconds(600))
    #expect(view.status == .suspended && view.failure?.contains("writesFormat") == true, "\(view.failure ?? "")")
    #expect(log.all.isEmpty && view.questions.isEmpty && view.signals.isEmpty)
    try await old.emptied()
    options.writesFormat = 6
    let new = try FlowHost(store: store, options: options)
    let flows = try await new.register(flow)
    try await new.flow("f").retry()
    if call >= 3 { try await new.answerNext("f", #""yes""#) }
    await new.isQuiet()
    guard case .finished = try await flows.outcome(of: "f") else {
      Issue.record("it has not finished")
      return
    }
    #expect(log.all.count == (call == 0 ? 1 : 0))
  }

  @Test(
    "a flow that failed for good is `failed`; in a row for earlier versions its body says so",
    arguments: [5, 6, 7, 8, 9])
  func failure(_ format: Int) async throws {
    let flow = Flow<String, String>("order") {
      Step("first") { Asker() }
      Step("last") { (_: String) -> String in throw Boom() }
    }
    .onFailure(.rollBack)
    var options = FlowHost.Options()
    options.writesFormat = format
    let host = try FlowHost(store: store, options: options)
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    let view = try await host.answerNext("f", #""1""#)
    #expect(view.status == .failed && view.status.isTerminal)
    #expect(try await flows.outcome(of: "f") == .failed("Boom()"))
    let row = try #require(try await store.load("f")).snapshot
    #expect(row.status == (format == 5 ? .suspended : .failed))
    #expect(try FlowSnapshot(decoding: row.encoded()) == row)
    let rowFormat = [5: 1, 6: 2, 7: 3, 8: 3, 9: 4][format]
    #expect(row.encoded()[4] == rowFormat.map(UInt8.init), "the format of the row itself")
    // A request of a later host repairs the index once, and only if it can.
    let revision = try await host.flow("f").view().revision
    let stranger = try FlowHost(store: store, options: options)
    #expect(await code { try await stranger.flow("f").abandon() } == .unmigrated)
    let later = try FlowHost(store: store, options: options)
    try await later.register(flow)
    #expect(await code { try await later.flow("f").abandon() } == .flowEnded)
    let last = try await later.flow("f").view()
    #expect(last.revision == revision && last.status == .failed)
  }

  @Test("from format 10 on, rows have the time of the start: a flow that is raised gets it with its next commit")
  func starts() async throws {
    let clock = ManualWallClock()
    let store = MemoryFlowStore(clock: clock)
    var options = FlowHost.Options()
    options.writesFormat = 9
    let older = try FlowHost(store: store, clock: clock, options: options)
    try await older.register(flow).start(id: "a", with: "-")
    try await older.emptied()
    let began = clock.now.stored
    #expect(try await store.load("a")?.snapshot.startedAt == nil)
    #expect(try await older.list(FlowQuery(startedBefore: .distantFuture)).flows.isEmpty)
    clock.advance(by: .seconds(10))
    options.writesFormat = nil
    let same = try FlowHost(store: store, clock: clock, options: options)
    try await same.register(flow)
    try await same.answerNext("a", #""1""#)
    try await same.emptied()
    #expect(try await store.load("a")?.snapshot.startedAt == nil, "the store's flows have format 9")
    options.writesFormat = 10
    let newer = try FlowHost(store: store, clock: clock, options: options)
    let flows = try await newer.register(flow)
    try await flows.start(id: "b", with: "-")
    try await newer.answerNext("a", #""2""#)
    try await newer.emptied()
    for _ in 1...2 {
      clock.advance(by: .seconds(10))
      try await newer.answerNext("b", #""1""#)
    }
    try await newer.emptied()
    let second = began.addingTimeInterval(10)
    #expect(try await newer.list().flows.map(\.startedAt) == [began, second])
    #expect(try await newer.flow("b").view().startedAt == second)
    let later = second.addingTimeInterval(1)
    for (time, ids) in [(began, []), (second, ["a"]), (later, ["a", "b"])] as [(Date, [FlowID])] {
      #expect(try await newer.list(FlowQuery(status: [.finished], startedBefore: time)).flows.map(\.id) == ids)
    }
    #expect(try await newer.count(FlowQuery(startedBefore: second)) == 1)
  }

  @Test("names of statuses in stores and JSON are never reused")
  func names() {
    typealias Status = FlowSnapshot.Status
    #expect(Status(rawValue: "failed") == .suspended && Status(rawValue: "parked") == .unmigrated)
    for status in Status.allCases {
      #expect(Status(rawValue: status.rawValue) == status)
      #expect(!["failed", "parked"].contains(status.rawValue))
    }
    #expect(Status(rawValue: "?") == nil)
  }

  @Test("a format that is not written is refused, with those that are", arguments: [-1, 0, 4, 11, 300])
  func invalid(_ format: Int) async throws {
    let error = await #expect(throws: FlowError.self) { try await host(writing: format) }
    #expect(error?.code == .badOptions && error?.message.contains("it must be 5 to 10") == true)
  }
}

extension Log {
  fileprivate func charge() -> Int {
    add("charged")
    return all.count
  }
}
