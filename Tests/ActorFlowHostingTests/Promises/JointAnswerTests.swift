import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Answers that are committed with the next question", .timeLimit(.minutes(15))) struct JointAnswerTests {
  struct Age: Prompt, Codable {
    typealias Answer = Int
    var name: String
  }

  struct Large: Prompt, Codable {
    typealias Answer = String
    var text: String
  }

  /// A prompt that cannot be stored.
  struct Fleeting: Prompt {
    typealias Answer = String
  }

  private let clock = ManualWallClock()
  private let store: FaultyStore<MemoryFlowStore>
  private let ann = Principal(id: "ann")

  init() {
    store = FaultyStore(MemoryFlowStore(clock: clock))
  }

  private func host(_ owner: String = "host") -> FlowHost { FlowHost(store: store, clock: clock, owner: owner) }

  private func ask(_ name: String) -> Ask<String, Form> { Ask(name) { (text: String) in Form(text: text) } }

  /// Starts a flow, and returns when it waits.
  private func start<O>(_ flow: Flow<String, O>, at host: FlowHost) async throws -> RegisteredFlow<String, O> {
    let flows = try await host.register(flow)
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    return flows
  }

  /// Answers the open question, and returns the number of commits until the flow is passivated.
  private func commits(at host: FlowHost, _ json: String) async throws -> Int {
    let before = store.count(of: .commit)
    let question = try #require(try await host.flow("f").settled().questions.first?.id)
    try await host.flow("f").answer(question, json: json.utf8, by: ann)
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    return store.count(of: .commit) - before
  }

  private func asking(_ host: FlowHost) async throws -> String? {
    try await host.flow("f").view().questions.first?.step.name
  }

  @Test("in a chain of asks each answer is one commit, whatever the types of the answers, and the last one two")
  func chain() async throws {
    let host = host()
    let flows = try await start(
      Flow<String, String>("f") {
        ask("a")
        Ask("b") { (name: String) in Age(name: name) }
        Ask("c") { (age: Int) in Form(text: "\(age)") }
          .carrying { age, text in "\(age) \(text)" }
        ask("d").map { $0 + "!" }
      }, at: host)
    #expect(try await commits(at: host, "\"x\"") == 1)
    #expect(try await commits(at: host, "17") == 1)
    #expect(try await commits(at: host, "\"y\"") == 1)
    #expect(try await asking(host) == "d")
    #expect(try await commits(at: host, "\"z\"") == 2, "the answer, then the end")
    #expect(try await flows.outcome(of: "f") == .finished("z!"))
    let history = try await host.flow("f").history()
    #expect(history.map(\.sequence) == Array(1...history.count))
    #expect(
      history.map { "\($0.what) \($0.by ?? "-")" }.dropFirst(3).prefix(3) == ["answered ann", "moved -", "asked -"])
  }

  @Test("a flow that stays in memory asks on and on with one commit for each answer")
  func hot() async throws {
    var options = FlowHost.Options()
    options.keepHot = .seconds(3_600)
    let host = try FlowHost(store: store, clock: clock, owner: "host", options: options)
    let flows = try await host.register(
      Flow<String, Int>("f") {
        ask("a")
        ask("b")
        Ask("c") { (name: String) in Age(name: name) }
      })
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    let before = store.count(of: .commit)
    for (step, json) in [("a", "\"1\""), ("b", "\"2\"")] {
      let question = try #require(try await host.flow("f").settled().questions.first)
      #expect(question.step.name == step)
      try await host.flow("f").answer(question.id, json: json.utf8)
    }
    #expect(store.count(of: .commit) == before + 2)
    let last = try #require(try await host.flow("f").settled().questions.first)
    try await host.flow("f").answer(last.id, with: 3)
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished(3))
  }

  @Test("a choice by closures that do not suspend is part of the commit; one that suspends is not")
  func choices() async throws {
    for suspends in [false, true] {
      let host = host()
      let id: FlowID = suspends ? "f" : "g"
      let flows = try await host.register(
        Flow<String, String>("f") {
          ask("a")
          Switch {
            if suspends {
              Case("x", where: { (text: String) async in text == "x" }) { ask("b") }
            } else {
              Case("x", where: { (text: String) in text == "x" }) { ask("b") }
            }
            Otherwise { ask("c") }
          }
        }, version: suspends ? 2 : 1)
      try await flows.start(id: id, with: "-")
      let question = try #require(try await host.flow(id).settled().questions.first?.id)
      await host.isQuiet()
      let before = store.count(of: .commit)
      try await host.flow(id).answer(question, with: "x")
      #expect(try await host.flow(id).settled().questions.map(\.step.name) == ["b"])
      await host.isQuiet()
      #expect(store.count(of: .commit) - before == (suspends ? 2 : 1))
    }
  }

  @Test("a closure that throws between two asks takes no answer with it: it is stored, and the flow is suspended")
  func throwing() async throws {
    let host = host()
    _ = try await start(
      Flow<String, String>("f") {
        ask("a").map { (_: String) -> String in throw Boom() }
        ask("b")
      }, at: host)
    #expect(try await commits(at: host, "\"x\"") == 2)
    let view = try await host.flow("f").view()
    #expect(view.status == .suspended && view.steps == ["f/a"])
    #expect(try await host.flow("f").history().map(\.what).suffix(2) == ["answered", "suspended"])
  }

  @Test("a question that is too large or cannot be stored refuses no answer: the flow is suspended at its step")
  func content() async throws {
    for isLarge in [true, false] {
      let host = host()
      let id: FlowID = isLarge ? "large" : "fleeting"
      let large = Ask("b") { (_: String) in
        Large(text: String(repeating: "x", count: FlowSnapshot.maximumBytes))
      }
      let fleeting = Ask("b") { (_: String) in Fleeting() }
      let flow =
        isLarge
        ? Flow<String, String>("large") {
          ask("a")
          large
        }
        : Flow<String, String>("fleeting") {
          ask("a")
          fleeting
        }
      let flows = try await host.register(flow)
      try await flows.start(id: id, with: "-")
      let question = try #require(try await host.flow(id).settled().questions.first?.id)
      try await host.flow(id).answer(question, with: "x", key: "1")
      let view = try await host.flow(id).settled()
      #expect(view.status == .suspended, "\(id)")
      let what = try await host.flow(id).history().map(\.what)
      #expect(what.contains("answered") && what.last == "suspended", "\(id): \(what)")
    }
  }

  @Test("a back leads from one ask to the one before, which asks again")
  func back() async throws {
    let host = host()
    let flows = try await start(
      Flow<String, String>("f") {
        ask("a")
        ask("b")
        ask("c")
      }, at: host)
    for json in ["\"1\"", "\"2\""] { #expect(try await commits(at: host, json) == 1) }
    try await host.flow("f").backUp()
    #expect(try await host.flow("f").settled().questions.map(\.step.name) == ["b"])
    try await host.flow("f").backUp()
    #expect(try await host.flow("f").settled().questions.map(\.step.name) == ["a"])
    for json in ["\"3\"", "\"4\"", "\"5\""] { _ = try await commits(at: host, json) }
    #expect(try await flows.outcome(of: "f") == .finished("5"))
  }

  @Test("a store that refuses the joint commit has not taken the answer, and the question stays open")
  func refused() async throws {
    let host = host()
    _ = try await start(
      Flow<String, String>("f") {
        ask("a")
        ask("b")
      }, at: host)
    let question = try #require(try await host.flow("f").view().questions.first?.id)
    store.plan { $0.operation == .commit ? .fail(.unavailable) : nil }
    await #expect(throws: FlowStoreError.self) { try await host.flow("f").answer(question, with: "x") }
    store.plan { _ in nil }
    #expect(try await asking(host) == "a")
    #expect(try await commits(at: host, "\"x\"") == 1)
    #expect(try await asking(host) == "b")
  }

  @Test("a host that takes over finds the answer and the next question, or neither", arguments: [true, false])
  func crash(_ isWritten: Bool) async throws {
    let flow = Flow<String, String>("f") {
      ask("a")
      ask("b")
    }
    let first = host("first")
    _ = try await start(flow, at: first)
    let question = try #require(try await first.flow("f").view().questions.first?.id)
    store.plan { $0.operation == .commit ? (isWritten ? .loseAcknowledgement : .fail(.unavailable)) : nil }
    _ = try? await first.flow("f").answer(question, with: "x")
    await first.die()
    store.plan { _ in nil }
    let second = host("second")
    try await second.register(flow)
    #expect(try await second.flow("f").settled().questions.map(\.step.name) == [isWritten ? "b" : "a"])
  }

  @Test("asks in branches go on beside each other, one commit for each answer, and inside scopes")
  func branches() async throws {
    let host = host()
    let flows = try await host.register(
      Flow<String, String>("f") {
        Parallel {
          Flow("l") {
            ask("a")
            ask("b")
          }
          .timeout(.seconds(60))
          Flow("r") {
            ask("c")
            ask("d").retry(2)
          }
        } join: { left, right in
          left + right
        }
      })
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    await host.isQuiet()
    for (name, next) in [("a", ["b", "c"]), ("c", ["b", "d"])] {
      let question = try #require(
        try await host.flow("f").settled().questions.first { $0.step.name == name }?.id)
      let before = store.count(of: .commit)
      try await host.flow("f").answer(question, with: name)
      #expect(try await host.flow("f").settled().questions.map(\.step.name).sorted() == next)
      await host.isQuiet()
      #expect(store.count(of: .commit) - before <= 2)
    }
    for name in ["b", "d"] {
      let question = try #require(
        try await host.flow("f").settled().questions.first { $0.step.name == name }?.id)
      try await host.flow("f").answer(question, with: name)
    }
    _ = try await host.flow("f").settled()
    #expect(try await flows.outcome(of: "f") == .finished("bd"))
  }

  @Test("a timeout that begins after an answer runs from the joint commit, and one that ends there is over")
  func timeouts() async throws {
    let host = host()
    let flows = try await start(
      Flow<String, String>("f") {
        ask("a")
        ask("b").timeout(.seconds(60))
        ask("c")
      }, at: host)
    _ = flows
    #expect(try await commits(at: host, "\"1\"") == 1)
    #expect(try await host.flow("f").view().wakeAt == clock.now.addingTimeInterval(60))
    clock.advance(by: .seconds(30))
    #expect(try await commits(at: host, "\"2\"") <= 2)
    #expect(try await asking(host) == "c")
    #expect(try await host.flow("f").view().wakeAt == nil)
  }
}
