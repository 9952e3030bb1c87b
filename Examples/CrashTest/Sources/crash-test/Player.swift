import ActorFlow
import ActorFlowHosting

/// Brings flows to their end, whatever they have come to, and writes down what the host acknowledged.
struct Player: Sendable {
  let host: FlowHost
  let flows: HostedFlow<String, String>
  let acknowledged: SideFile
  let intents: SideFile

  /// An answer that somebody was about to give.
  struct Request: Sendable {
    let key: String
    let question: Question.ID
    let text: String
    let shown: String
  }

  /// A flow cannot be brought to its end.
  struct Stuck: Error {
    let id: FlowID
    let status: FlowSnapshot.Status
    let failure: String?
  }

  func start(_ id: FlowID) async throws {
    try await flows.start(id: id, with: "\(id)")
    try acknowledge(.started, "\(id)")
    try await play(id)
  }

  /// Answers what the flow asks until it has ended.
  func play(_ id: FlowID) async throws {
    var turns = 0
    while true {
      let view = try await host.settled(id, within: .seconds(30))
      if case .finished(let output) = try await flows.outcome(of: id) {
        return try acknowledge(.finished, "\(id)", output)
      }
      turns += 1
      guard view.status == .waiting, !view.questions.isEmpty || !view.signals.isEmpty, turns < 1_000 else {
        throw Stuck(id: id, status: view.status, failure: view.failure)
      }
      for question in view.questions {
        let shown = try question.prompt(as: Form.self).shown
        try await answer(Request(key: Self.random(), question: question.id, text: Self.random(), shown: shown))
      }
      if !view.signals.isEmpty { _ = try await host.send("once", to: CrashFlow.go, of: id, key: "go") }
    }
  }

  private func answer(_ request: Request) async throws {
    try intents.append([request.key, request.question.description, request.text, request.shown])
    try await give(request)
  }

  /// Sends an answer, perhaps once more, because nobody knows whether it was taken: it is now, or was then.
  func give(_ request: Request) async throws {
    let id = request.question.flow
    try await host.answer(request.question, of: id, with: request.text, key: request.key)
    try acknowledge(.answered, "\(id)", request.key, request.question.description, request.text, request.shown)
  }

  /// Answers that were about to be given and were not acknowledged.
  static func pending(_ files: Files) -> [Request] {
    let known = Set(
      SideFile.lines(of: files.acknowledged).filter { $0.first == Acknowledgement.answered.rawValue }.map { $0[2] })
    return SideFile.lines(of: files.intents).compactMap { line in
      guard line.count == 4, !known.contains(line[0]), let question = Question.ID(line[1]) else { return nil }
      return Request(key: line[0], question: question, text: line[2], shown: line[3])
    }
  }

  private func acknowledge(_ what: Acknowledgement, _ fields: String...) throws {
    try acknowledged.append([what.rawValue] + fields)
  }

  private static func random() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
