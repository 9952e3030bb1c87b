import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HistoryEntry {
  /// Creates the history entry of an event.
  ///
  /// - Parameters:
  ///   - tasks: The questions that were open before the event.
  ///   - request: The request that brought the event about; `nil` if none did.
  init(_ event: NavigationEvent, at time: Date, tasks: [OpenTask], for request: HostRequest?) {
    let change = event.change
    let asker = change.question.flatMap { id in tasks.first { $0.question == id.description }?.step }
    var by = request?.principal
    if case .answered(_, let answerer) = change { by = answerer?.id ?? by }
    self.init(
      sequence: event.sequence, at: time, what: change.word(because: request),
      step: change.step ?? asker ?? event.position.step, by: by, detail: change.detail(because: request?.reason ?? ""))
    if case .answered = change { answer = request?.auditedAnswer }
  }
}

extension HistoryEntry {
  /// The entry without the secret parts of questions' ids, which earlier versions of this module wrote.
  var withoutTokens: HistoryEntry {
    guard let detail, detail.utf8.contains(UInt8(ascii: "~")) else { return self }
    var entry = self
    entry.detail = Self.withoutTokens(detail)
    return entry
  }

  private static func withoutTokens(_ text: String) -> String {
    var parts = text.split(separator: "/~", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      let isToken = RandomBits(String(parts[index].prefix(32))) != nil
      parts[index] = isToken ? parts[index].dropFirst(32) : "/~" + parts[index]
    }
    return parts.joined()
  }
}

extension Change {
  /// Whether only the flow itself brings such a change about, also if a request's commit contains it.
  var isOwn: Bool {
    switch self {
    case .moved, .skipped, .joined, .asked: true
    default: false
    }
  }

  /// The word of the entry. An assignment by an operator has its own, because a step updates questions as well.
  fileprivate func word(because request: HostRequest?) -> String {
    if case .updated = self, request?.kind == .reassign { return "reassigned" }
    return word
  }

  private var word: String {
    switch self {
    case .launched: "launched"
    case .moved: "moved"
    case .skipped: "skipped"
    case .finalizing: "finalizing"
    case .asked: "asked"
    case .updated: "updated"
    case .answered: "answered"
    case .withdrawn: "withdrawn"
    case .leaving: "leaving"
    case .backedUp: "backedUp"
    case .caught: "caught"
    case .unwound: "unwound"
    case .joined: "joined"
    case .waiting: "waiting"
    case .received: "received"
    case .stoppedWaiting: "stoppedWaiting"
    case .finished: "finished"
    case .failed: "failed"
    case .suspended: "suspended"
    case .abandoned: "abandoned"
    case .cancelled: "cancelled"
    case .rolledBack: "rolledBack"
    }
  }

  /// The question that the change closed.
  fileprivate var question: Question.ID? {
    switch self {
    case .answered(let id, _), .withdrawn(let id): id
    default: nil
    }
  }

  /// The step that the change names.
  fileprivate var step: StepID? {
    switch self {
    case .moved(_, let to), .leaving(let to, _), .backedUp(_, let to, _), .joined(let to, _): to.step
    case .skipped(let step), .finalizing(let step), .caught(let step, _, _), .failed(let step, _),
      .suspended(let step, _):
      step
    case .asked(let question), .updated(let question): question.step
    case .waiting(let wait), .received(let wait), .stoppedWaiting(let wait): wait.step
    case .unwound(let to, _): to?.step
    case .launched, .answered, .withdrawn, .finished, .abandoned, .cancelled, .rolledBack: nil
    }
  }

  /// Returns the detail of the change's entry, with the reason of the request that made a step be left or assigned a
  /// question. The reason of an abandon is in the change itself.
  fileprivate func detail(because reason: String) -> String? {
    guard !reason.isEmpty, let detail else { return detail }
    switch self {
    case .leaving(_, .abandoned): return detail
    case .leaving, .updated: return "\(detail): \(reason)"
    default: return detail
    }
  }

  private var detail: String? {
    switch self {
    case .asked(let question), .updated(let question):
      "\(type(of: question.prompt)) \(question.id.debugDescription)\(Self.people(question.prompt))"
    case .answered(let id, _), .withdrawn(let id): id.debugDescription
    case .leaving(_, let reason): "\(reason)"
    case .backedUp(_, _, let errors), .unwound(_, let errors), .joined(_, let errors), .rolledBack(let errors):
      errors.isEmpty ? nil : errors.map { "\($0)" }.joined(separator: "; ")
    case .caught(_, let error, let catcher): "\(catcher): \(error)"
    case .failed(_, let error), .suspended(_, let error): "\(error)"
    case .waiting(let wait), .received(let wait), .stoppedWaiting(let wait): wait.signal
    case .abandoned(let reason): reason
    case .launched, .moved, .skipped, .finalizing, .finished, .cancelled: nil
    }
  }

  /// Returns the text that names the assignees of a prompt, because the history also says who was asked.
  private static func people(_ prompt: any Prompt) -> String {
    let assigned = (prompt as? any AssignedPrompt)?.assignees
    guard let assignees = assigned ?? (prompt as? any ReassignablePrompt)?.assignees, !assignees.isEmpty else {
      return ""
    }
    return " for \(assignees.joined(separator: ", "))"
  }
}
