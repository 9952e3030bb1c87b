import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("The history of a flow", .timeLimit(.minutes(15))) struct HistoryTests {
  private let store = MemoryFlowStore()
  private let signal = Signal<Int>("paid")
  private let ann = Principal(id: "ann")

  private func host() -> FlowHost { FlowHost(store: store, owner: "host") }

  private func flow(_ step: String) -> Flow<String, String> {
    Flow("f") {
      Step(step) { Asker() }
      Step("wait") { [signal] (text: String, context: StepContext) in "\(text)\(try await context.wait(for: signal))" }
    }
  }

  /// The words of the entries from this number on, with sender and content.
  private func history(_ host: FlowHost, after sequence: Int = 0) async throws -> [String] {
    let history = try await host.flow("x").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    return history.dropFirst(sequence).map { entry in
      "\(entry.what)\(entry.by.map { " by \($0)" } ?? "")\(entry.detail.map { ": \($0)" } ?? "")"
    }
  }

  @Test("a signal's entry names its sender once, whether a step waits for it or not")
  func sent() async throws {
    let host = host()
    try await host.register(flow("a")).start(id: "x", with: "-")
    _ = try await host.flow("x").settled()
    await host.isQuiet()
    let before = try await history(host).count
    for _ in 0..<2 { try await host.flow("x").send(1, to: signal, key: "1", by: ann) }
    await host.isQuiet()
    #expect(try await history(host, after: before) == ["sent by ann: paid"])
    try await host.answerNext("x", "\"a\"")
    #expect(try await history(host).last == "finished")
    let last = try await history(host, after: before + 1).map { $0.prefix { $0 != ":" } }
    #expect(last.filter { $0.hasPrefix("sent") || $0.hasPrefix("received") } == [])
  }

  @Test("a signal to a step that waits in memory is received in the name of its sender")
  func received() async throws {
    var options = FlowHost.Options()
    options.keepHot = .seconds(3_600)
    let host = try FlowHost(store: store, owner: "host", options: options)
    try await host.register(flow("a")).start(id: "x", with: "-")
    try await host.answerNext("x", "\"a\"")
    try await host.flow("x").send(1, to: signal, key: "1", by: ann)
    _ = try await host.flow("x").settled()
    #expect(try await history(host).suffix(2) == ["received by ann: paid", "finished"])
  }

  @Test("a move to another version stands in the history once, in the commit that made it")
  func moved() async throws {
    let first = host()
    try await first.register(flow("a")).start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    let before = try await history(first).count
    let third = host()
    try await third.register(flow("b"), version: 2, from: 1, moves: [.rename("f/a", to: "f/b")])
    try await third.register(flow("c"), version: 3, from: 2, moves: [.rename("f/b", to: "f/c")])
    // A read moves nothing.
    #expect(try await third.flow("x").settled().version == 1)
    #expect(await code { try await third.flow("x").answer(Form.self, with: "") } == nil)
    #expect(try await history(third).count == before)
    try await third.answerNext("x", "\"1\"")
    await third.isQuiet()
    let after = try await history(third, after: before)
    #expect(after.first == "moved: 1 → 3" && after.dropFirst().first?.hasPrefix("answered") == true, "\(after)")
    try await third.flow("x").send(1, to: signal, key: "1")
    _ = try await third.flow("x").settled()
    #expect(try await history(third).filter { $0.contains("→") }.count == 1)
  }

  @Test("an unmigrated flow has entries with the reason, and for its release")
  func unmigrated() async throws {
    let first = host()
    try await first.register(flow("a")).start(id: "x", with: "-")
    _ = try await first.flow("x").settled()
    await first.isQuiet()
    let before = try await history(first).count
    let second = host()
    try await second.register(flow("b"), version: 2, from: 1)
    for _ in 0..<2 { #expect(await code { try await second.flow("x").answer(Form.self, with: "1") } == .unmigrated) }
    let entries = try await history(second, after: before)
    #expect(entries.count == 1 && entries[0].hasPrefix("unmigrated: it cannot move to version 2"), "\(entries)")
    let third = host()
    try await third.register(flow("b"), version: 2, from: 1, moves: [.rename("f/a", to: "f/b")])
    try await third.answerNext("x", "\"1\"")
    let after = try await history(third, after: before + 1)
    #expect(after.starts(with: ["freed", "moved: 1 → 2"]), "\(after)")
  }
}
