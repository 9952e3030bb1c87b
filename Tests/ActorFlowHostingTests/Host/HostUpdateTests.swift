import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

/// An updated question shows its latest prompt on any host that activates its flow.
@Suite("Hosted questions that are updated", .timeLimit(.minutes(15))) struct HostUpdateTests {
  struct Duty: AssignedPrompt, Codable {
    typealias Answer = Int
    struct NotYours: Error {}

    let who: String
    var assignees: [String] { [who] }
    var due: Date? { nil }
    func authorize(_ principal: Principal?) throws { if principal?.id != who { throw NotYours() } }
  }

  private static let move = Signal<String>("move")
  private let store = MemoryFlowStore()

  /// Asks one person, and hands the question on to the person that a signal names.
  private func flow(beginningWith first: String = "olga") -> Flow<String, Int> {
    Flow("duty") {
      Step("decide") { (_: String, context: StepContext) in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            while true { try await context.update(Duty(who: try await context.wait(for: Self.move))) }
          }
          defer { group.cancelAll() }
          return try await context.ask(Duty(who: first))
        }
      }
    }
  }

  private func host(beginningWith first: String = "olga") async throws -> (FlowHost, RegisteredFlow<String, Int>) {
    let host = FlowHost(store: store)
    return (host, try await host.register(flow(beginningWith: first)))
  }

  /// Activates the flow again, by an answer that is refused, if the update does not arrive. A host may passivate a flow
  /// after its step has asked and before the step's child task waits for the signal, which is then buffered.
  private func wake(_ host: FlowHost, _ question: StoredQuestion, after looks: Int) async {
    await Task.yield()
    if looks.isMultiple(of: 500) { _ = try? await host.flow("d").answer(question.id, json: "x".utf8) }
  }

  /// Hands the question on, and waits until it is stored.
  private func hand(to who: String, _ host: FlowHost) async throws -> StoredQuestion {
    try await host.flow("d").send(who, to: Self.move, key: who)
    // The page after the signal is the old one until the update is stored.
    var question = try #require(try await host.flow("d").view().questions.first)
    var looks = 0
    while try question.prompt(as: Duty.self).who != who {
      looks += 1
      await wake(host, question, after: looks)
      question = try #require(try await host.flow("d").view().questions.first)
    }
    try await host.catchUp()
    return question
  }

  @Test("after the flow is activated, the former assignee cannot decide and the current assignee can")
  func reassigned() async throws {
    let (host, duties) = try await host()
    try await duties.start(id: "d", with: "-")
    _ = try await host.flow("d").settled()
    let question = try await hand(to: "oscar", host)
    #expect(question.revision == 2)
    await #expect(throws: Duty.NotYours.self) {
      try await host.flow("d").answer(question.id, with: 1, by: Principal(id: "olga"))
    }
    try await host.catchUp()
    #expect(try await host.tasks(TaskQuery(assignees: ["oscar"])).tasks.count == 1)
    try await host.flow("d").answer(question.id, with: 2, by: Principal(id: "oscar"), revision: 2)
    #expect(try await host.flow("d").settled().status == .finished)
    #expect(try await duties.outcome(of: "d") == .finished(2))
  }

  @Test(
    "however often the question is handed on and the flow activated, a revision keeps its content until the next update"
  )
  func revisions() async throws {
    let (first, duties) = try await host()
    try await duties.start(id: "d", with: "-")
    _ = try await first.flow("d").settled()
    for who in ["a", "b", "a", "oscar"] {
      try await first.flow("d").send(who, to: Self.move, key: "\(who) \(try await first.flow("d").view().revision)")
      _ = try await first.flow("d").settled()
      try await first.catchUp()
    }
    let question = try #require(try await first.flow("d").view().questions.first)
    #expect(question.revision == 5)
    for _ in 1...3 {
      let (host, _) = try await host()
      await #expect(throws: Duty.NotYours.self) {
        try await host.flow("d").answer(question.id, with: 1, by: Principal(id: "a"))
      }
      try await host.catchUp()
      #expect(try await host.flow("d").view().questions.first?.revision == 5)
    }
    let (last, _) = try await host()
    try await last.flow("d").answer(question.id, with: 2, by: Principal(id: "oscar"), revision: 5)
    #expect(try await last.flow("d").settled().status == .finished)
  }

  @Test("a step that asks another question first, because its definition has changed, shows that question")
  func changed() async throws {
    let (first, duties) = try await host()
    try await duties.start(id: "d", with: "-")
    _ = try await first.flow("d").settled()
    let question = try await hand(to: "oscar", first)
    let (second, _) = try await host(beginningWith: "anna")
    await #expect(throws: Duty.NotYours.self) {
      try await second.flow("d").answer(question.id, with: 1, by: Principal(id: "olga"))
    }
    try await second.catchUp()
    #expect(try #require(try await second.flow("d").view().questions.first).revision > 2)
  }

  @Test("a prompt that can be written but not read is shown as it was first asked, until it is updated again")
  func unreadable() async throws {
    struct Poster: Prompt, Encodable {
      typealias Answer = Int
      static let promptName = "Poster"
      let text: String
    }
    let flow = Flow<String, Int>("duty") {
      Step("decide") { (_: String, context: StepContext) in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            while true {
              let next = Poster(text: try await context.wait(for: Self.move))
              // The question may not be open yet.
              while (try? await context.update(next)) == nil {
                try Task.checkCancellation()
                await Task.yield()
              }
            }
          }
          defer { group.cancelAll() }
          return try await context.ask(Poster(text: "first"))
        }
      }
    }
    let host = FlowHost(store: store)
    let duties = try await host.register(flow)
    try await duties.start(id: "d", with: "-")
    _ = try await host.flow("d").settled()
    try await host.flow("d").send("new", to: Self.move, key: "1")
    var question = try #require(try await host.flow("d").view().questions.first)
    var looks = 0
    while question.revision < 2 {
      looks += 1
      await wake(host, question, after: looks)
      question = try #require(try await host.flow("d").view().questions.first)
    }
    #expect(String(decoding: question.json, as: UTF8.self) == #"{"text":"new"}"#)
    try await host.catchUp()
    // The question is asked as at first, and updated again: each update counts, and nothing is lost.
    await #expect(throws: FlowError.self) { try await host.flow("d").answer(question.id, json: "x".utf8) }
    try await host.catchUp()
    let again = try #require(try await host.flow("d").view().questions.first)
    #expect(again.id == question.id && again.revision > 2)
    try await host.flow("d").answer(again.id, with: 3)
    #expect(try await host.flow("d").settled().status == .finished)
    #expect(try await duties.outcome(of: "d") == .finished(3))
  }
}
