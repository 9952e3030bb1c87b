import ActorFlow

// Valid and invalid answers, and the use of contexts that are over.
extension Driver {
  mutating func perform(_ answer: Answer) async throws {
    let id = reference.question == nil ? nil : asked.last
    switch answer {
    case .right, .byType, .twice: try await giveAnswer(answer, id)
    case .wrongType:
      try await refuse(id, "wrongAnswerType") { try await $0.answer($1, with: 1) }
    case .refused:
      try await refuse(id, "Refused") { try await $0.answer($1, with: "") }
    case .stale:
      let revision = (reference.question?.revision ?? 0) - 1 + 2 * random.below(2)
      try await refuse(id, "staleRevision") { try await $0.answer($1, with: "!", revision: revision) }
    case .late:
      let old = asked.filter { $0 != id }
      guard !old.isEmpty else { return }
      try await refuse(old[random.below(old.count)], "questionClosed") { try await $0.answer($1, with: "late") }
    case .foreign:
      let foreign = Question.ID(flow: "other", run: 1, number: 1)
      try await refuse(foreign, "noSuchQuestion") { try await $0.answer($1, with: "foreign") }
    case .unknown:
      let unknown = Question.ID(flow: "flow", run: max(1, reference.run), number: reference.questions + 1)
      try await refuse(unknown, "noSuchQuestion") { try await $0.answer($1, with: "unknown") }
    }
  }

  /// An answer that is accepted if a question is open.
  private mutating func giveAnswer(_ kind: Answer, _ id: Question.ID?) async throws {
    let text = "t\(played.count)"
    let isOpen = reference.question != nil
    let refusal = isOpen ? nil : notRunning ?? "noSuchQuestion"
    switch (kind, id) {
    case (.twice, let id?):
      async let other = outcome { [coordinator] in try await coordinator.answer(id, with: text) }
      let both = await [outcome { try await coordinator.answer(id, with: text) }, other]
      try demandEqual(both.sorted(), ["ok", "questionClosed"], "two answers at once")
    case (.right, let id?):
      let revision = random.chance(50) ? reference.question?.revision : nil
      let got = await outcome { try await coordinator.answer(id, with: text, revision: revision) }
      try demandEqual(got, "ok", "the answer")
    default:
      let got = await outcome { try await coordinator.answer(Form.self, with: text) }
      try demandEqual(got, refusal ?? "ok", "the answer by type")
    }
    if isOpen { reference.answered(text) }
  }

  private func refuse(
    _ id: Question.ID?, _ code: String, _ verb: (FlowCoordinator, Question.ID) async throws -> Void
  ) async throws {
    guard let id else { return }
    try demandEqual(await outcome { try await verb(coordinator, id) }, notRunning ?? code, "the refusal")
  }

  private var notRunning: String? {
    switch reference.at {
    case .idle: "notRunning"
    case .end: "flowEnded"
    default: nil
    }
  }

  /// The context of the visit in focus, used from outside.
  mutating func update() async throws {
    guard reference.at == .asking, let context = stage.contexts.last else { return }
    let isOther = random.chance(20)
    let got = await outcome {
      if isOther { try await context.update(OtherForm()) } else { try await context.update(Form(text: "new")) }
    }
    try demandEqual(got, isOther ? "wrongPromptType" : "ok", "the update")
    if !isOther { reference.updated() }
  }

  /// A context whose visit is over, or is being left, can do nothing.
  mutating func useOldContext(_ verb: Verb) async throws {
    let contexts = stage.contexts
    guard !contexts.isEmpty else { return }
    let context = contexts[random.below(contexts.count)]
    let isTop = reference.places.last?.visit == context.visit.number && reference.ending == nil
    let isActive = isTop && [.make, .skip, .backUp].allSatisfy { !reference.at.isLike($0) }
    if isActive, reference.leave == nil || verb == .once { return }
    let got = await outcome {
      switch verb {
      case .ask: _ = try await context.ask(Form(text: "old"))
      case .update: try await context.update(Form(text: "old"))
      case .once: try await context.once("old") { _ in }
      case .backUp: try await context.backUp()
      case .abandon: try await context.abandon("old")
      }
    }
    // A step that has returned keeps its records until its place is left.
    try demandEqual(got, isActive ? "CancellationError" : "notActive", "what an old context can do: \(verb)")
  }
}

struct OtherForm: Prompt { typealias Answer = Int }

extension Reference.At {
  enum Kind { case make, skip, backUp }

  func isLike(_ kind: Kind) -> Bool {
    switch (self, kind) {
    case (.make, .make), (.skip, .skip), (.backUp, .backUp): true
    default: false
    }
  }
}
