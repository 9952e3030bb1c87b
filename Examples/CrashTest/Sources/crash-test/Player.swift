import ActorFlow
import ActorFlowHosting

/// Brings flows to their end from any state, and records the acknowledgements of the host.
struct Player: Sendable {
  let host: FlowHost
  let flows: RegisteredFlow<String, String>
  let acknowledged: SideFile
  let intents: SideFile
  /// The tables whose rows are written with some of the answers, on a store that has transactions.
  let ledger: Ledger?

  /// An answer that was about to be sent.
  struct Request: Sendable {
    let key: String
    let question: Question.ID
    let text: String
    let form: Form
    /// Whether a row is written in the ledger with the answer.
    let hasRow: Bool
  }

  /// A flow cannot be brought to its end.
  struct Stuck: Error {
    let id: FlowID
    let status: FlowSnapshot.Status
    let failure: String?
  }

  /// Starts a flow, and plays it and its successors.
  func start(_ id: FlowID) async throws {
    try await start(id, run: 1)
    try await goOn(id)
  }

  /// Plays a flow; then, now and then, deletes it and starts another one with its id.
  func goOn(_ id: FlowID) async throws {
    while true {
      let run = try await play(id)
      guard Bool.random(), let number = run.split(separator: "#").last.flatMap({ Int($0) }) else { return }
      try acknowledge(.deleting, "\(id)", run)
      try await host.flow(id).delete()
      try await start(id, run: number + 1)
    }
  }

  private func start(_ id: FlowID, run number: Int) async throws {
    let run = "\(id)#\(number)"
    try await flows.start(id: id, with: run)
    try acknowledge(.started, "\(id)", run)
  }

  /// Answers the flow's questions until it has ended; returns the name of its run.
  private func play(_ id: FlowID) async throws -> String {
    var turns = 0
    while true {
      let view = try await host.flow(id).settled(within: .seconds(30))
      if case .finished(let output) = try await flows.outcome(of: id) {
        try acknowledge(.finished, CrashFlow.run(output), output)
        return CrashFlow.run(output)
      }
      turns += 1
      guard view.status == .waiting || view.status == .runnable, !view.questions.isEmpty || !view.signals.isEmpty,
        turns < 1_000
      else { throw Stuck(id: id, status: view.status, failure: view.failure) }
      for question in view.questions {
        let form = try question.prompt(as: Form.self)
        let request = Request(
          key: Self.random(), question: question.id, text: "\(form.kind)-\(Self.random())", form: form,
          hasRow: ledger != nil && form.kind != "either" && Bool.random())
        switch form.kind {
        case "either": try await race(request)
        case "then":
          try await comesToRest(id)
          try await answer(request)
        default: try await answer(request)
        }
      }
      if view.signals.contains(CrashFlow.go.name) {
        _ = try await host.flow(id).send("go-once", to: CrashFlow.go, key: "go")
      }
    }
  }

  /// Answers, or sends the signal awaited beside the question, or does both at once.
  private func race(_ request: Request) async throws {
    let way = Int.random(in: 0..<4)
    try await withThrowingTaskGroup { group in
      if way != 0 { group.addTask { try await answer(request) } }
      if way != 1 {
        group.addTask {
          _ = try await host.flow(request.question.flow).send("either-signal", to: CrashFlow.either, key: "either")
        }
      }
      try await group.waitForAll()
    }
  }

  /// Checks that a step that has given up its wait, and asks again, only waits: the store must say so before long.
  ///
  /// Where the answer and the signal have both arrived, nothing was given up. Then the host cannot know that the step's
  /// child tasks have ended, so the flow stays in memory.
  private func comesToRest(_ id: FlowID) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      let view = try await host.flow(id).view()
      if view.status == .waiting { return }
      if try await bothHaveCome(id) { return }
      guard ContinuousClock.now < end else {
        throw Stuck(id: id, status: view.status, failure: "it asks, and does not come to rest")
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func bothHaveCome(_ id: FlowID) async throws -> Bool {
    let entries = try await host.flow(id).history(limit: 10_000).filter { $0.step?.name == "either" }
    return Set(entries.map(\.what)).isSuperset(of: ["answered", "received"])
  }

  private func answer(_ request: Request) async throws {
    let form = request.form
    try intents.append([
      request.key, request.question.description, request.text, form.run, form.kind, form.shown,
      request.hasRow ? "row" : "",
    ])
    try await give(request)
  }

  /// Sends an answer, perhaps once more, because it is unknown whether it was accepted: it is now, or was then.
  func give(_ request: Request) async throws {
    let id = request.question.flow
    do {
      if request.hasRow, let ledger {
        try await ledger.answer(request, through: host)
      } else {
        try await host.flow(id).answer(request.question, with: request.text, key: request.key)
      }
    } catch let error as FlowError where request.form.kind == "either" && Self.isLate(error) {
      return try acknowledge(.refused, request.form.run, request.key)
    }
    try acknowledge(
      .answered, request.form.run, request.key, request.question.description, request.text, request.form.shown)
  }

  /// Whether the question was closed: a signal was first. By now the flow may be deleted as well.
  private static func isLate(_ error: FlowError) -> Bool {
    [.questionClosed, .noSuchQuestion, .noSuchFlow, .flowEnded].contains(error.code)
  }

  /// Answers that were about to be sent and were not acknowledged.
  static func pending(_ files: Files) -> [Request] {
    let known = Set(
      SideFile.lines(of: files.acknowledged)
        .filter { [Acknowledgement.answered.rawValue, Acknowledgement.refused.rawValue].contains($0.first) }
        .map { $0[2] })
    return SideFile.lines(of: files.intents).compactMap { line in
      guard line.count == 7, !known.contains(line[0]), let question = Question.ID(line[1]) else { return nil }
      return Request(
        key: line[0], question: question, text: line[2], form: Form(run: line[3], kind: line[4], shown: line[5]),
        hasRow: !line[6].isEmpty)
    }
  }

  private func acknowledge(_ what: Acknowledgement, _ fields: String...) throws {
    try acknowledged.append([what.rawValue] + fields)
  }

  private static func random() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
