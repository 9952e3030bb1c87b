import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Removes what people said from a flow that has ended or whose key was erased, and leaves the facts: which step, when,
// and that.
extension FlowHost {
  @discardableResult
  func redact(
    _ id: FlowID, keeping labels: Set<String>, naming principals: Set<String>, reason: String, by principal: Principal?
  ) async throws -> FlowView {
    let redaction = Redaction(
      labels: Set(labels.map(TextKey.init)), principals: Set(principals.map(TextKey.init)), reason: reason,
      principal: principal?.id)
    try HostRequest.check(reason, "the reason of a redaction", of: id)
    return try await reporting(FlowWrite.Request(.redact, by: principal?.id), on: id) {
      try await untilWritten(id) { try await redactOnce(id, redaction) }
    }
  }

  /// Redacts a flow; returns `nil` if it was in memory, and has to leave that first.
  private func redactOnce(_ id: FlowID, _ redaction: Redaction) async throws -> FlowView? {
    if let flow = live[id] {
      try await passivate(flow, of: id, else: Redaction.notEnded(id))
      return nil
    }
    return try await behindDoor(of: id) {
      guard live[id] == nil else { return nil }
      return try await withStored(id) { try await redact($0, redaction, fence: $1) }
    }
  }

  private func redact(_ stored: StoredFlow, _ redaction: Redaction, fence: Fence?) async throws -> FlowView {
    let id = stored.id
    let state: HostedState
    do { state = try shared.state(of: stored) } catch is ErasedKey {
      return try await redactErased(stored, redaction, fence: fence)
    }
    guard state.machine.ending != nil else { throw Redaction.notEnded(id) }
    // A `backUp` that has lost its step by a move cannot be called again.
    guard state.machine.undoFailures.allSatisfy({ $0.place == nil }) else {
      throw FlowError(
        .rollbackFailed,
        "some of the flow's `backUp`s failed, and need what the flow has: call `compensateAgain` first", flow: id
      )
    }
    let format = max(state.format, try await shared.writtenFormat(like: stored.snapshot))
    try refuseRedaction(of: id, in: format)
    let known = try await wholeHistory(of: id)
    var history = known.map(redaction.redacted)
    var snapshot = stored.snapshot
    snapshot.labels = snapshot.labels.filter { redaction.keeps($0.key) }
    if state.isRedacted, history == known, snapshot.labels == stored.snapshot.labels { return FlowView(stored, state) }
    var redacted = state.redacted
    redacted.format = format
    redacted.machine.sequence += 1
    history.append(redaction.entry(redacted.machine.sequence, at: shared.clock.now))
    (snapshot.status, snapshot.rollbackFailed) = (state.status(indexedAs: snapshot.status), false)
    (snapshot.tasks, snapshot.wakeAt) = ([], nil)
    try shared.write(&redacted, to: &snapshot, of: id)
    let written = try await shared.store.commit(
      redaction.write(snapshot, history, over: stored, fence: fence), of: TraceContext())
    return FlowView(written, redacted)
  }

  /// Redacts a flow whose key was erased. Its state cannot be read, so all of it goes: what is left is the row and the
  /// history.
  private func redactErased(_ stored: StoredFlow, _ redaction: Redaction, fence: Fence?) async throws -> FlowView {
    let id = stored.id
    let format = max(UInt8(clamping: stored.snapshot.format), try await shared.writtenFormat(like: stored.snapshot))
    try refuseRedaction(of: id, in: format)
    let known = try await wholeHistory(of: id)
    var history = known.map(redaction.redacted)
    var snapshot = stored.snapshot
    snapshot.labels = snapshot.labels.filter { redaction.keeps($0.key) }
    (snapshot.tasks, snapshot.wakeAt, snapshot.body, snapshot.values) = ([], nil, [], [])
    snapshot.format = max(snapshot.format, 9)
    // Only the row says how a flow has ended.
    let wasOpen = !snapshot.status.isTerminal
    if wasOpen { snapshot.status = .erased }
    if snapshot == stored.snapshot, history == known { return try await erasedView(stored) }
    // The state that counts the entries is gone, and nothing will go on counting there.
    history.append(redaction.entry((known.last?.sequence ?? 0) + 1, at: shared.clock.now))
    let written = try await shared.store.commit(
      redaction.write(snapshot, history, over: stored, fence: fence), of: TraceContext(), inPlain: true)
    if wasOpen, stored.snapshot.status != .erased { shared.reportErased(written) }
    return try await erasedView(written)
  }

  /// - Throws: A `FlowError` with the code `notStorable`.
  private func refuseRedaction(of id: FlowID, in format: UInt8) throws {
    guard shared.store.canReplaceHistory else {
      throw FlowError(.notStorable, "the store cannot replace a history, so no flow of it can be redacted", flow: id)
    }
    guard format >= 9 else { throw Redaction.isTooOld(format, id) }
  }

  private func wholeHistory(of id: FlowID) async throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    while true {
      let page = try await shared.store.history(of: id, after: entries.last?.sequence ?? 0, limit: 1_000)
      if page.isEmpty { return entries }
      entries += page.map(\.withoutTokens)
    }
  }
}

/// A redaction: decides what stays, and calls nothing.
private struct Redaction: Sendable {
  /// The keys of the labels that stay.
  let labels: Set<TextKey>
  /// The principals whose ids stay in the history.
  let principals: Set<TextKey>
  let reason: String
  let principal: String?

  func keeps(_ label: String) -> Bool { label == Definition.label || labels.contains(TextKey(label)) }

  /// Returns the facts of an entry. Operators stay named, and so does a move to another version.
  func redacted(_ entry: HistoryEntry) -> HistoryEntry {
    var fact = entry
    fact.answer = nil
    let isOfOperator = entry.isOfOperator
    if !isOfOperator, let by = entry.by, !principals.contains(TextKey(by)) { fact.by = nil }
    switch entry.what {
    case "redacted", "moved": break
    case "leaving" where isOfOperator: fact.detail = entry.leaving
    default: fact.detail = nil
    }
    return fact
  }

  /// Returns the write that replaces a flow and its history.
  func write(
    _ snapshot: FlowSnapshot, _ history: [HistoryEntry], over stored: StoredFlow, fence: Fence?
  ) -> FlowWrite {
    FlowWrite(
      snapshot, to: stored.id, expecting: stored.revision, fence: fence, appending: history,
      carrying: [FlowWrite.Request(.redact, by: principal)], over: stored.snapshot.valueNumbers,
      replacingHistory: true)
  }

  func entry(_ sequence: Int, at time: Date) -> HistoryEntry {
    HistoryEntry(
      sequence: sequence, at: time, what: "redacted", by: principal, detail: reason.isEmpty ? nil : reason)
  }

  static func notEnded(_ id: FlowID) -> FlowError {
    FlowError(.notEnded, "only a flow that has ended is redacted; let it end, or abandon it", flow: id)
  }

  static func isTooOld(_ format: UInt8, _ id: FlowID) -> FlowError {
    FlowError(
      .notStorable,
      "a redaction needs format 9 of stored flows, and this flow is stored in format \(format): once every host runs "
        + "this version, set the host's option `writesFormat` to 9", flow: id)
  }
}

extension HistoryEntry {
  /// The verb with which an operator left the step, if one did.
  fileprivate var leaving: String? { ["completed", "entered anew"].first { detail?.hasPrefix($0) ?? false } }

  /// Whether an operator's verb made the entry: retry, note, reassign, complete, enter, edit, refresh, move, compensate
  /// again, redact, import.
  fileprivate var isOfOperator: Bool {
    switch what {
    case "retried", "noted", "redacted", "reassigned", "refreshed", "edited", "forgotten", "compensated",
      "compensationFailed", "imported", "movedByHand":
      true
    case "leaving": leaving != nil
    default: false
    }
  }
}

extension HostedState {
  /// The state of an ended flow without what people said: how it ended, at which step, and its numbers.
  fileprivate var redacted: HostedState {
    var facts = MachineSnapshot()
    (facts.run, facts.sequence, facts.numbers) = (machine.run, machine.sequence, machine.numbers)
    facts.lastStack = machine.lastStack
    facts.ending = machine.ending
    if case .abandoned = machine.ending { facts.ending = .abandoned(reason: "") }
    var state = self
    (state.input, state.requests, state.unmigrated, state.trace) = (.placeholder, [], nil, TraceContext())
    (state.machine, state.isRedacted) = (facts, true)
    return state
  }
}
