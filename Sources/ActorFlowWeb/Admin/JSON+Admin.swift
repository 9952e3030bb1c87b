import ActorFlow
import ActorFlowHosting

// The JSON for operators. It has no prompts, answers, inputs and outputs, and no secret digits of questions.
extension JSON {
  static func summary(_ flow: FlowSummary) -> JSON {
    .members([
      ("id", .text(flow.id.description)), ("definition", .text(flow.definition)), ("version", .int(flow.version)),
      ("status", .text(flow.status.rawValue)), ("rollbackFailed", .bool(flow.rollbackFailed)),
      ("steps", .texts(flow.steps.map(\.path))), ("labels", labels(flow.labels)),
      ("revision", .int(flow.revision.number)),
      ("startedAt", flow.startedAt.map { .text(WireDate.text(of: $0)) }),
      ("changedAt", .text(WireDate.text(of: flow.changedAt))),
      ("wakeAt", flow.wakeAt.map { .text(WireDate.text(of: $0)) }),
    ])
  }

  static func operated(_ view: FlowView) -> JSON {
    .members([
      ("id", .text(view.id.description)), ("definition", .text(view.definition)), ("version", .int(view.version)),
      ("status", .text(view.status.rawValue)), ("reason", view.reason.map { .text($0) }),
      ("failure", view.failure.map { .text($0) }), ("rollbackFailed", .bool(view.rollbackFailed)),
      ("steps", .texts(view.steps.map(\.path))), ("stack", .texts(view.stack.map(\.path))),
      ("questions", .array(view.questions.map(question))), ("signals", .texts(view.signals)),
      (
        "undoFailures",
        .array(
          view.undoFailures.map {
            .members([
              ("step", $0.step.map { .text($0.path) }), ("error", .text($0.error)), ("isOwed", .bool($0.isOwed)),
            ])
          })
      ), ("labels", labels(view.labels)), ("revision", .int(view.revision.number)),
      ("sequence", .int(view.sequence)), ("canBackUp", .bool(view.canBackUp)),
      ("isRedacted", .bool(view.isRedacted)), ("startedAt", .text(WireDate.text(of: view.startedAt))),
      ("changedAt", .text(WireDate.text(of: view.changedAt))),
      ("wakeAt", view.wakeAt.map { .text(WireDate.text(of: $0)) }),
    ])
  }

  private static func question(_ question: StoredQuestion) -> JSON {
    .members([
      ("number", .int(question.id.number)), ("step", .text(question.step.path)), ("prompt", .text(question.prompt)),
      ("revision", .int(question.revision)), ("assignees", .texts(question.assignees)),
      ("askedAt", .text(WireDate.text(of: question.askedAt))),
      ("due", question.due.map { .text(WireDate.text(of: $0)) }),
    ])
  }

  static func task(_ summary: TaskSummary) -> JSON {
    .members([
      ("flow", .text(summary.flow.description)), ("definition", .text(summary.definition)),
      ("number", Question.ID(summary.task.question).map { .int($0.number) }),
      ("step", .text(summary.task.step.path)), ("prompt", .text(summary.task.prompt)),
      ("assignees", .texts(summary.task.assignees)), ("labels", labels(summary.labels)),
      ("askedAt", .text(WireDate.text(of: summary.task.askedAt))),
      ("due", summary.task.due.map { .text(WireDate.text(of: $0)) }),
    ])
  }

  static func entry(_ entry: HistoryEntry) -> JSON {
    .members([
      ("sequence", .int(entry.sequence)), ("at", .text(WireDate.text(of: entry.at))), ("what", .text(entry.what)),
      ("step", entry.step.map { .text($0.path) }), ("by", entry.by.map { .text($0) }),
      ("detail", entry.detail.map { .text($0) }),
    ])
  }

  private static func labels(_ labels: [String: String]) -> JSON {
    .object(labels.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
  }
}
