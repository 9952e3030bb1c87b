import ActorFlow
import ActorFlowHosting

// Flows as JSON.
extension Exchange {
  /// Returns a flow as a client gets it. Questions for other people are named, without their content and their secrets.
  func json(of view: FlowView, _ served: ServedFlow) async -> JSON {
    let mayAnswer = await may(.answer, view)
    var questions: [JSON] = []
    for question in view.questions { questions.append(await json(of: question, mayAnswer)) }
    // An output that another version wrote is left out.
    let output = view.output.flatMap { try? served.output($0) }
    return .members([
      ("id", .text(view.id.description)), ("definition", .text(view.definition)), ("version", .int(view.version)),
      ("status", .text(view.status.rawValue)), ("revision", .int(view.revision.number)),
      ("sequence", .int(view.sequence)), ("steps", .texts(view.steps.map(\.path))),
      ("stack", .texts(view.stack.map(\.path))), ("questions", .array(questions)), ("signals", .texts(view.signals)),
      ("canBackUp", .bool(view.canBackUp)), ("reason", view.reason.map { .text($0) }),
      ("output", output.map { .encoded($0) }), ("startedAt", .text(WireDate.text(of: view.startedAt))),
      ("changedAt", .text(WireDate.text(of: view.changedAt))),
      ("wakeAt", view.wakeAt.map { .text(WireDate.text(of: $0)) }),
    ])
  }

  private func json(of question: StoredQuestion, _ mayAnswer: Bool) async -> JSON {
    let prompt = prompt(of: question)
    let isAsked = mayAnswer ? await self.isAsked(question, prompt) : false
    var content: [UInt8]?
    // A prompt that another version wrote is left out.
    if isAsked { content = prompt.map { try? $0.content(question) } ?? question.json }
    return .members([
      ("number", .int(question.id.number)), ("step", .text(question.step.path)), ("prompt", .text(question.prompt)),
      ("revision", .int(question.revision)), ("isAsked", .bool(isAsked)),
      ("question", isAsked ? .text(question.id.description) : nil), ("content", content.map { .encoded($0) }),
      ("askedAt", .text(WireDate.text(of: question.askedAt))),
      ("due", question.due.map { .text(WireDate.text(of: $0)) }),
    ])
  }
}
