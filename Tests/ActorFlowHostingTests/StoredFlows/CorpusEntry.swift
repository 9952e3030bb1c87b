import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// The files of a flow as a store of some format wrote them: two for a flow, or since format 7 a log.
struct CorpusEntry: Sendable {
  let flow: [UInt8]
  let history: [UInt8]
  /// The files of the log by their names; empty for earlier formats.
  let log: [String: [UInt8]]
  /// The text of what must be read from the files.
  let summary: String

  init(_ scenario: CorpusScenario, format: Int) throws {
    let folder = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
      .appendingPathComponent("format-\(format)")
    func bytes(_ ending: String) throws -> Data {
      try Data(contentsOf: folder.appendingPathComponent("\(scenario.name).\(ending)"))
    }
    let hasLog = format >= 7
    flow = hasLog ? [] : Array(try bytes("flow"))
    history = hasLog ? [] : Array(try bytes("history"))
    let names = hasLog ? try FileManager.default.contentsOfDirectory(atPath: folder.path) : []
    let files = names.filter { $0.hasPrefix("\(scenario.name).") && !$0.hasSuffix(".txt") }
      .map { String($0.dropFirst(scenario.name.count + 1)) }
    log = Dictionary(uniqueKeysWithValues: try files.map { ($0, Array(try bytes($0))) })
    summary = String(decoding: try bytes("txt"), as: UTF8.self)
  }

  /// Returns a store on files that has this flow.
  func opened(_ scenario: CorpusScenario, in folder: Folder) async throws -> FileFlowStore {
    guard log.isEmpty else {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/store/log", withIntermediateDirectories: true)
      for (name, bytes) in log { try folder.write(bytes, to: "log/\(name)") }
      return try await folder.open()
    }
    try folder.makeOldDirectories()
    try folder.write(flow, to: Self.path(scenario.id, FileName.flow))
    try folder.write(history, to: Self.path(scenario.id, FileName.history))
    return try await folder.open()
  }

  static func path(_ id: FlowID, _ ending: String) -> String { "flows/\(FileName.stem(of: id))\(ending)" }
}

extension StoredFlow {
  /// Describes the flow in readable text.
  func summary(_ history: [HistoryEntry]) throws -> String {
    let state = try HostedState(of: snapshot)
    let view = FlowView(self, state)
    // The texts of the corpus call a suspended flow failed, as versions before format 6 did.
    let status = view.status == .suspended ? "failed" : "\(view.status)"
    var lines = [
      "\(id), \(view.definition) version \(view.version), revision \(revision.number)",
      "\(status)\(view.rollbackFailed ? ", not all undone" : "") at \(view.steps.map(\.path).joined(separator: ", "))",
      "started \(seconds(view.startedAt)) with \(text(state.input)), changed \(seconds(changedAt))",
      "wakes \(view.wakeAt.map(seconds) ?? "never"), reason \(view.reason ?? "-"), failure \(view.failure ?? "-")",
      "requests \(state.requests.map(\.key)), signals \(state.machine.signals.keys.map(\.key))",
    ]
    // Since format 3.
    if let bits = state.machine.keyBits {
      lines.append("keys end with \(bits)")
      for visit in state.machine.lastStack { lines.append("shows \(visit.step) \(visit.id)") }
      for signal in state.machine.signals.buffer { lines.append("unread \(signal.name) \(text(signal.value))") }
    }
    // Earlier formats' texts do not have the labels.
    if state.format >= 6 { lines += snapshot.labels.sorted { $0.key < $1.key }.map { "label \($0.key): \($0.value)" } }
    // Since format 8, as bytes.
    for name in view.trace.names { lines.append("trace \(Array(name.utf8)): \(Array((view.trace[name] ?? "").utf8))") }
    // Since format 9.
    if let key = snapshot.keyReference { lines.append("key \(key)") }
    if view.isRedacted { lines.append("redacted") }
    // Since format 5.
    if let principal = state.machine.participants?.startedBy {
      lines.append("started by \(principal.id) \(principal.roles.sorted())")
    }
    if let principal = state.machine.participants?.answeredBy {
      lines.append("answered by \(principal.id) \(principal.roles.sorted())")
    }
    for task in snapshot.tasks { lines.append("task \(task.question) at \(task.step): \(task.prompt)") }
    for track in [state.machine.main] + state.machine.branches { lines += track.summary(state.machine) }
    for timer in state.machine.timers { lines.append("alarm at \(timer.due): \(timer.subject.word)") }
    for failure in state.machine.undoFailures {
      lines.append("not undone: \(failure.place?.visit.step.path ?? "-"), \(failure.error)")
    }
    for entry in history {
      lines.append(
        "\(entry.sequence) \(entry.what) \(entry.step?.path ?? "-") \(entry.by ?? "-") \(entry.detail ?? "-")")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func seconds(_ date: Date) -> String { "\(date.timeIntervalSince1970)" }
}

private func text(_ value: PackedValue) -> String { "\(value.type) \(String(decoding: value.bytes, as: UTF8.self))" }

extension PackedTrack {
  fileprivate func summary(_ machine: MachineSnapshot) -> [String] {
    var lines = ["track \(number) \(branch?.path.path ?? "") \(phase)\(leave.map { ", to \($0.goal)" } ?? "")"]
    for place in places {
      let records = place.records.map { "\($0.key) \($0.value.map(text) ?? "?")" }
      lines.append(
        "  place \(place.visit.step) \(place.visit.id) with \(text(machine.payloads[place.payload].value)) \(records)"
          + (place.isFinished ? ", finished" : ""))
    }
    for record in focus.records {
      let key = machine.keyBits == nil ? "" : " as \(record.idempotencyKey)"
      lines.append("  record \(record.key) \(record.value.map(text) ?? "?")\(key)\(record.failure?.words ?? "")")
    }
    for answer in focus.answers {
      let entry = machine.keyBits == nil ? "" : " \(answer.entry.word)"
      lines.append("  answer \(answer.key.name.word) \(answer.key.number)\(entry)\(answer.entry.facts)")
    }
    for key in focus.keysOfChildren ?? [] { lines.append("  a child asked \(key.name.word) \(key.number)") }
    for key in focus.labelCalls { lines.append("  has set \(key.name.word) \(key.number)") }
    for node in focus.tree?.nodes ?? [] { lines.append("  node \(node.type) \(text(node.state))") }
    if let question {
      let name = question.promptName.map { " named \($0)" } ?? ""
      let people = question.assignees.map { " for \($0)" } ?? ""
      lines.append("  asks \(question.number).\(question.revision) \(text(question.prompt))\(name)\(people)")
    }
    // Since format 9.
    if case .anew(let payload)? = start?.kind {
      lines.append("  is entered anew with \(text(machine.payloads[payload].value))")
    }
    for wait in waits {
      lines.append("  waits for \(wait.signal)\(wait.pairedQuestion.map { " or question \($0)" } ?? "")")
    }
    for result in fork?.results ?? [] { lines.append("  result \(result.branch) \(text(result.value))") }
    return lines
  }
}

extension JournalKey.Name {
  fileprivate var word: String {
    let asker = asker.map { " by its \($0)" } ?? ""
    return switch self {
    case .given(let name): "given(\"\(name)\")"
    case .type(let name, _): "type(\"\(name)\")\(asker)"
    case .signal(let name, _): "signal(\"\(name)\")\(asker)"
    case .label(let name, _): "label(\"\(name)\")\(asker)"
    }
  }
}

extension PackedAnswer.Entry {
  fileprivate var word: String {
    switch self {
    case .answered(let value, _): text(value)
    case .withdrawn: "withdrawn"
    case .overdue: "overdue"
    }
  }
}

extension PackedAnswer.Entry {
  /// Who gave an answer to what, and when; empty for earlier formats and signals.
  fileprivate var facts: String {
    guard case .answered(_, let facts?) = self else { return "" }
    return " by \(facts.principal?.id ?? "-") at \(facts.time) to \(facts.number).\(facts.revision)"
  }
}

extension PackedAttemptFailure {
  fileprivate var words: String {
    " failed with \(type), \(message)\(detail.map { ", \(text($0))" } ?? "")\(isLatest ? ", the latest" : "")"
  }
}

extension PackedTimer.Subject {
  fileprivate var word: String {
    if case .idle(let frame, let after, nil) = self { "idle(frame: \(frame), after: \(after))" } else { "\(self)" }
  }
}
