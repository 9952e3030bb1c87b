import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

extension CorpusScenario {
  static let paid = Signal<String>("corpus.paid")

  static let all: [CorpusScenario] =
    [
      question, signal, parallel, forEach, rendered, leaving, failed, rollbackFailed, keys, migrated, reminders, pause,
      carrying, finished, updated, records, unread, withdrawn, race, idle, menu, finalized,
    ] + sinceFormat6 + [values, assigned, audited, keyed, redacted, anew]

  private static func asker(_ name: String) -> Step<String, String> {
    Step(name) { (input: String, context: StepContext) in input + (try await context.ask(Form(text: input))) }
  }

  private static func charger(_ name: String, isWhole: Bool = true) -> Step<String, String> {
    Step(name) { CorpusCharger(isWhole: isWhole) }
  }

  // MARK: - Waiting

  static let question = CorpusScenario("question") { _ in
    Flow("question") {
      asker("name")
      asker("address")
    }
  } begin: {
    try await $0.answer("name")
  }

  static let signal = CorpusScenario("signal") { _ in
    Flow("signal") {
      Step("wait") { (input: String, context: StepContext) in
        input + (try await context.wait(for: paid, within: .seconds(500)) ?? "unpaid")
      }
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
  }

  static let updated = CorpusScenario("updated", since: 2) { _ in
    Flow("updated") {
      Step("ask") { (input: String, context: StepContext) in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            while true { try await context.update(Form(text: "\(try await context.wait(for: paid)), updated")) }
          }
          defer { group.cancelAll() }
          return try await context.ask(Form(text: input))
        }
      }
    }
  } begin: {
    try await $0.send()
    _ = try await $0.host.flow($0.id).settled()
  }

  /// The first of two tasks wins, and the wait of the other one is given up; then the step asks again.
  static let withdrawn = CorpusScenario("withdrawn", since: 3) { _ in
    Flow("withdrawn") {
      Step("ask") { (input: String, context: StepContext) in
        let first = try await withThrowingTaskGroup(of: String.self) { group in
          group.addTask { try await context.ask(Form(text: input)) }
          group.addTask { "\(try await context.wait(for: paid)), paid" }
          defer { group.cancelAll() }
          return try await group.next() ?? "nothing"
        }
        return "\(first), \(try await context.ask(Form(text: first)))"
      }
    }
  } begin: {
    try await $0.answer("ask", #""n""#)
    _ = try await $0.host.flow($0.id).settled()
  }

  /// Two tasks have a question or a wait open: a replay may reach either of them first.
  static let race = CorpusScenario("race", since: 3) { _ in
    Flow("race") {
      Step("ask") { (input: String, context: StepContext) in
        try await withThrowingTaskGroup(of: String.self) { group in
          group.addTask { try await context.ask(Form(text: input)) }
          group.addTask { "\(try await context.wait(for: paid, within: .seconds(1_000)) ?? "nothing"), paid" }
          defer { group.cancelAll() }
          return try await group.next() ?? "nothing"
        }
      }
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
  }

  /// The idle time does not run while the step pauses.
  static let idle = CorpusScenario("idle", since: 3) { _ in
    Flow("idle") {
      Step("nudge") { (input: String, context: StepContext) in
        guard let answer = try await context.ask(Form(text: input), within: .seconds(10)) else { throw Boom() }
        return input + answer
      }
      .retry(2, backoff: .constant(.seconds(50)))
      .expires(afterIdle: .seconds(60))
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
    try await $0.pass(.seconds(10))
    _ = try await $0.host.flow($0.id).settled()
  }

  /// A menu whose visit began with an update from a later step.
  static let menu = CorpusScenario("menu", since: 4) { _ in
    Flow("menu") {
      Hub(Step("menu") { CorpusMenu() }) {
        Case("edit", { (pick: String) in isToBeEdited(pick) ? pick : nil }) {
          Step("edit") { (pick: String, context: StepContext) in
            "\(pick)\(try await context.ask(Form(text: pick))) edited"
          }
        }
      } done: { (pick: String) -> String? in
        isToBeEdited(pick) ? nil : pick
      }
      Step("back") { (pick: String, context: StepContext) in
        if !pick.hasPrefix("9") { try await context.backUp(to: CorpusMenu.self, delivering: 9) }
        return pick
      }
    }
  } begin: {
    try await $0.answer("menu")
    try await $0.answer("menu")
  }

  private static func isToBeEdited(_ pick: String) -> Bool { pick.hasPrefix("9") && !pick.contains("edited") }

  /// A component with a finalizer has ended; in another one the flow waits.
  static let finalized = CorpusScenario("finalized", since: 5) { _ in
    Flow("finalized") {
      asker("name")
      Flow {
        asker("seat")
        charger("hold")
      }
      .finally("release") { _ in }
      .guarded { _, context in if context.answeredBy == nil { throw Boom() } }
      Flow {
        asker("thanks")
        asker("bye")
      }
      .finally("farewell") { _ in }
    }
  } begin: {
    try await $0.answer("name")
    try await $0.answer("seat")
    try await $0.answer("thanks")
  }

  static let reminders = CorpusScenario("reminders") { _ in
    Flow("reminders") {
      Step("nudge") { (input: String, context: StepContext) in
        let answer = try await context.ask(
          Form(text: input), within: .seconds(100), reminding: .every(.seconds(30), max: 2) { _ in })
        return input + (answer ?? "late")
      }
      .expires(afterIdle: .seconds(1_000))
    }
  } begin: {
    try await $0.pass(.seconds(40))
    _ = try await $0.host.flow($0.id).settled()
  }

  static let pause = CorpusScenario("pause") { isWhole in
    Flow("pause") {
      Step("try") { (input: String, _: StepContext) in
        guard isWhole else { throw Boom() }
        return input + "w"
      }
      .retry(3, backoff: .constant(.seconds(50)))
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
  }

  // MARK: - Branches and carried values

  static let parallel = CorpusScenario("parallel") { _ in
    Flow("parallel") {
      Parallel {
        Flow<String, String>("left") {
          charger("stock")
          asker("note")
        }
        asker("right")
      } join: {
        "\($0)|\($1)"
      }
    }
  } begin: {
    try await $0.answer("note")
  }

  static let forEach = CorpusScenario("foreach") { _ in
    Flow("foreach") {
      ForEach({ (_: String) in ["1", "2", "3"] }) { asker("pick") }.map { $0.joined() }
    }
  } begin: { actor in
    let questions = try await actor.host.flow(actor.id).settled().questions.sorted { $0.step.path < $1.step.path }
    try await actor.host.flow(actor.id).answer(questions[1].id, with: "two")
    _ = try await actor.host.flow(actor.id).settled()
  }

  static let rendered = CorpusScenario("rendered") { _ in
    Flow("rendered") { Step("shelf") { (_: String) in Shelf() } }
  } begin: {
    try await $0.answer("shelf", #"{"add":{"_0":"tea"}}"#)
    try await $0.answer("shelf", #"{"add":{"_0":"milk"}}"#)
  }

  static let carrying = CorpusScenario("carrying") { _ in
    Flow("carrying") {
      Flow<String, String> {
        asker("a")
        Loop {
          Step("again") { (input: String, context: StepContext) in
            let answer = try await context.ask(Form(text: input))
            return answer == "more" ? Again<String, String>.again(input + answer) : .done(input + answer)
          }
        }
      }
      .timeout(.seconds(900))
      .carrying { "\($0)+\($1)" }
    }
  } begin: {
    try await $0.answer("a")
    try await $0.answer("again", #""more""#)
  }

  // MARK: - Leaving and ending

  static let leaving = CorpusScenario("leaving") { _ in
    Flow("leaving") {
      charger("one")
      charger("two")
      asker("three")
    }
  } when: {
    $0.isRollingBack && $0.stack.count == 2
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
    try await $0.host.flow($0.id).abandon(reason: "no money")
  }

  static let failed = CorpusScenario("failed") { isWhole in
    Flow("failed") {
      asker("name")
      Step("ship") { (input: String, context: StepContext) in
        let label = try await context.once("label") { _ in "l" }
        guard isWhole else { throw Boom() }
        return input + label
      }
    }
  } begin: {
    try await $0.answer("name")
  }

  static let rollbackFailed = CorpusScenario("rollback-failed") { isWhole in
    Flow("rollback-failed") {
      charger("one", isWhole: isWhole)
      asker("two")
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
    _ = try? await $0.host.flow($0.id).abandon(reason: "no money")
  }

  static let finished = CorpusScenario("finished") { _ in
    Flow("finished") { asker("name") }
  } begin: {
    try await $0.answer("name")
  }

  // MARK: - Data of the host

  static let keys = CorpusScenario("keys") { _ in
    Flow("keys") {
      asker("name")
      asker("address")
    }
  } begin: {
    try await $0.answer("name", key: "request-1")
    try await $0.send()
  }

  /// The effects of a step and of the steps after it: each effect records its own idempotency key.
  static let records = CorpusScenario("records", since: 3) { isWhole in
    Flow("records") {
      Step("charge") { (input: String, context: StepContext) in
        let charge = try await context.once("charge") { $0 }
        if !isWhole { _ = try? await context.once("doubt") { _ -> String in throw Boom() } }
        _ = try await context.ask(Form(text: input))
        return try await [charge, context.once("doubt") { $0 }, context.once("rest") { $0 }].joined(separator: " ")
      }
      Step("long") { (input: String, context: StepContext) in
        input + " " + (try await context.once(String(repeating: "long ", count: 50)) { $0 })
      }
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
  }

  static let unread = CorpusScenario("unread", since: 3) { _ in
    Flow("unread") {
      asker("name")
      Step("pay") { (input: String, context: StepContext) in
        input + (try await context.wait(for: paid)) + (try await context.wait(for: paid))
      }
    }
  } begin: {
    try await $0.send()
    try await $0.host.flow($0.id).send("q", to: paid, key: "paid again")
  }

  static let migrated = CorpusScenario(
    "migrated", flow: { _ in movedFrom }, register: { try await register($0, isNew: $1) }
  ) { actor in
    try await actor.answer("name")
    try await actor.host.emptied()
    _ = try await register(actor.host, isNew: true)
    // The flow moves to the new version when it is activated; until then its stored position is unchanged.
    try await actor.answer("street")
  }

  private static var movedFrom: Flow<String, String> {
    Flow("migrated") {
      asker("name")
      asker("street")
    }
  }

  private static func register(_ host: FlowHost, isNew: Bool) async throws -> Hosted {
    guard isNew else { return try await host.register(movedFrom) }
    let new = Flow<String, String>("migrated") {
      asker("name")
      asker("address")
      asker("thanks")
    }
    return try await host.register(new, version: 2, from: 1, moves: [.rename("street", to: "address")])
  }
}

/// Charges once; its `backUp` fails until the definition is repaired.
private actor CorpusCharger: FlowStep {
  private let isWhole: Bool
  init(isWhole: Bool) { self.isWhole = isWhole }

  func proceed(_ input: String, context: StepContext) async throws -> String {
    input + (try await context.once("charge") { _ in "r" })
  }

  func backUp(context: RollbackContext) throws { if !isWhole { throw Boom() } }
}

/// Shows the latest number that it has received.
private actor CorpusMenu: ReceivingStep {
  private var latest = 0

  func proceed(_ input: String, context: StepContext) async throws -> String {
    "\(latest)\(input)\(try await context.ask(Form(text: "\(latest)\(input)")))"
  }
  func backUp(context: RollbackContext) {}
  func receive(_ update: Int) { latest = update }
}
