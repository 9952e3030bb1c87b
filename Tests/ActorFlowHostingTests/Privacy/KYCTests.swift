import ActorFlow
import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlowHosting

/// Knowing one's customers, as a service does it: uploads, webhooks that come in any order, a review by a group, a second
/// version while 500 customers are on their way, one customer who is forgotten, and one who is redacted at the end.
@Suite("Knowing one's customers", .timeLimit(.minutes(15))) struct KYCTests {
  struct Upload: Prompt, Codable {
    typealias Answer = String
    static let promptName = "Upload"
    var document: String
    func validate(_ answer: String) throws { if answer.isEmpty { throw Refusal.invalid("the document is empty") } }
  }

  struct Review: AssignedPrompt, Codable {
    struct Answer: Codable, Sendable, Equatable { var isApproved: Bool }
    static let promptName = "Review"
    static let isAudited = true
    var documents: [String]
    var assignees: [String] { ["reviewers"] }
    var due: Date? { nil }
    func authorize(_ principal: Principal) throws {
      guard principal.roles.contains("reviewers") else { throw Refusal.notAllowed("only reviewers decide") }
    }
  }

  struct File: Codable, Sendable { var documents: [String] }

  static let identity = Signal<String>("identity")
  static let sanctions = Signal<String>("sanctions")

  private static func upload(_ name: String, context: StepContext) async throws -> File {
    let passport = try await context.ask(Upload(document: "passport of \(name)"), key: "passport")
    let bill = try await context.ask(Upload(document: "bill of \(name)"), key: "bill")
    return File(documents: [passport, bill])
  }

  private static func check(_ file: File, context: StepContext) async throws -> File {
    let found = [try await context.wait(for: identity), try await context.wait(for: sanctions)]
    return File(documents: file.documents + found)
  }

  private static func review(_ file: File, context: StepContext) async throws -> String {
    let answer = try await context.ask(Review(documents: file.documents))
    return "\(answer.isApproved ? "approved" : "refused"): \(file.documents.joined(separator: ", "))"
  }

  private let first = Flow<String, String>("kyc") {
    Step("upload") { (name: String, context: StepContext) in try await Self.upload(name, context: context) }
    Step("check") { (file: File, context: StepContext) in try await Self.check(file, context: context) }
    Step("review") { (file: File, context: StepContext) in try await Self.review(file, context: context) }
  }

  /// The check has another name, and a step before the review asks for the origin of the money.
  private let second = Flow<String, String>("kyc") {
    Step("upload") { (name: String, context: StepContext) in try await Self.upload(name, context: context) }
    Step("screening") { (file: File, context: StepContext) in try await Self.check(file, context: context) }
    Step("origin") { (file: File, context: StepContext) in
      File(documents: file.documents + [try await context.ask(Upload(document: "origin"))])
    }
    Step("review") { (file: File, context: StepContext) in try await Self.review(file, context: context) }
  }

  #if THREAD_SANITIZER
    private static let customers = 100
  #else
    private static let customers = 500
  #endif
  private let clock = ManualWallClock()
  private let codec = PersonCodec()

  private func host(_ store: any FlowStore) throws -> FlowHost {
    var options = FlowHost.Options()
    options.codec = codec
    return try FlowHost(store: store, clock: clock, options: options)
  }

  private func answer(_ host: FlowHost, _ id: FlowID, _ document: String) async throws {
    let question = try #require(try await host.flow(id).settled().questions.first)
    try await host.flow(id).answer(question.id, with: document, by: Principal(id: id.description))
  }

  /// Sends the webhooks in one order or the other, each twice, as webhooks come.
  private func sendWebhooks(_ host: FlowHost, _ number: Int, _ id: FlowID) async throws {
    for _ in 0..<2 {
      for kind in number.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let signal = kind == 0 ? Self.identity : Self.sanctions
        try await host.flow(id).send("\(signal.name) of \(id)", to: signal, key: "event")
      }
    }
  }

  /// Brings a customer to the first, second or third step.
  private func begin(_ flows: RegisteredFlow<String, String>, _ host: FlowHost, _ number: Int) async throws {
    let id = FlowID("c\(number)")
    try await flows.start(id: id, with: "SECRET-\(number)-name", labels: ["customer": "p\(number)"])
    guard number % 3 > 0 else { return try await answer(host, id, "passport of \(id)") }
    // The webhooks may come before anything waits for them.
    if number.isMultiple(of: 5) { try await sendWebhooks(host, number, id) }
    try await answer(host, id, "passport of \(id)")
    try await answer(host, id, "bill of \(id)")
    if number % 3 == 2 { try await sendWebhooks(host, number, id) }
    _ = try await host.flow(id).settled()
  }

  /// Brings a customer from any step to the end.
  private func end(_ host: FlowHost, _ number: Int) async throws {
    let id = FlowID("c\(number)")
    let reviewer = Principal(id: "rita", roles: ["reviewers"])
    while true {
      let view = try await host.flow(id).settled()
      if view.status.isTerminal { return }
      switch view.steps.first?.name {
      case "upload": try await answer(host, id, "bill of \(id)")
      case "check", "screening": try await sendWebhooks(host, number, id)
      case "origin": try await answer(host, id, "work")
      default:
        let question = try #require(view.questions.first)
        await #expect(throws: Refusal.self) {
          try await host.flow(id).answer(
            question.id, with: Review.Answer(isApproved: true), by: Principal(id: id.description))
        }
        try await host.flow(id).answer(
          question.id, with: Review.Answer(isApproved: number % 7 > 0), by: reviewer, key: "decision")
      }
    }
  }

  @Test("500 customers, a second version, one who is forgotten and one who is redacted", arguments: [false, true])
  func service(_ isOnFiles: Bool) async throws {
    let files = SimulatedFiles(seed: 1)
    let fileStore =
      isOnFiles ? try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files)) : nil
    let store: any FlowStore = fileStore ?? MemoryFlowStore(clock: clock)
    let old = try host(store)
    let flows = try await old.register(first)
    for number in 0..<Self.customers { try await begin(flows, old, number) }
    try await old.emptied()
    let waiting = TaskQuery(assignees: ["reviewers"])
    let reviewed = (0..<Self.customers).filter { $0 % 3 == 2 || $0 % 3 == 1 && $0.isMultiple(of: 5) }
    #expect(try await old.tasks(waiting, limit: 1_000).tasks.count == reviewed.count)
    // Customer 8 is forgotten before the deploy.
    _ = codec.erase("p8")

    let host = try host(store)
    let moved = try await host.register(second, version: 2, from: 1, moves: [.rename("kyc/check", to: "kyc/screening")])
    let plan = try await host.plan()
    #expect(plan.counts.move + plan.counts.unchecked == Self.customers - 1 && plan.erased == 1)
    #expect(plan.counts.unmigrated == 0)
    for number in 0..<Self.customers where number != 8 { try await end(host, number) }
    try await host.emptied()
    for number in 0..<Self.customers where number != 8 {
      let id = FlowID("c\(number)")
      var documents = ["passport of \(id)", "bill of \(id)", "identity of \(id)", "sanctions of \(id)"]
      // Those who were at the review stay behind the new step.
      if !reviewed.contains(number) { documents.append("work") }
      let verdict = number % 7 > 0 ? "approved" : "refused"
      #expect(
        try await moved.outcome(of: id) == .finished("\(verdict): \(documents.joined(separator: ", "))"), "\(id)")
    }
    // The decision of the group is in the history, with who made it.
    let decision = try #require(try await host.flow("c14").history().last { $0.what == "answered" })
    #expect(decision.by == "rita" && decision.answer == Array(#"{"isApproved":false}"#.utf8))

    #expect(try await host.flow("c8").view().status == .erased)
    #expect(await code { try await host.flow("c8").send("x", to: Self.identity, key: "late") } == .erased)
    #expect(try await host.backlog() == FlowHost.Backlog(erased: 1))
    // What the key did not reach, the labels and names, is redacted.
    let forgotten = try await host.flow("c8").redact(reason: "article 17", by: Principal(id: "officer"))
    #expect(forgotten.isRedacted && forgotten.status == .erased && forgotten.labels.isEmpty)
    #expect(Set(try await host.flow("c8").history().compactMap(\.by)) == ["officer"])
    #expect(try await host.backlog() == FlowHost.Backlog(erased: 1))

    try await host.flow("c14").redact(naming: ["rita"], reason: "article 17", by: Principal(id: "officer"))
    #expect(try await host.flow("c14").history().last { $0.what == "answered" }?.by == "rita")
    try await host.flow("c8").delete()
    if let fileStore {
      try await fileStore.erase("c14")
      try await fileStore.erase("c8")
      await fileStore.close()
      #expect(files.contents().found(["passport of c14", "p14\"", "passport of c8", "SECRET-8-", "SECRET-14-"]) == [])
    }
  }
}
