public import ActorFlow

extension FileFlowStore {
  /// The losses that an operator has accepted.
  public struct AcceptedLosses: Sendable, Equatable {
    /// The flows that go on from their latest readable state, which may be older than the latest acknowledged one.
    public var flows: [FlowID] = []
    /// The flows whose history has a gap; the numbers of the other entries stay.
    public var histories: [FlowID] = []
    /// The keys of the notes that have their latest readable value again, or none.
    public var notes: [String] = []
    /// Whether flows and notes may be gone of which nothing is known.
    public var mayHaveUnknown = false

    /// Whether nothing was lost that can be accepted.
    public var isEmpty: Bool { flows.isEmpty && histories.isEmpty && notes.isEmpty && !mayHaveUnknown }

    fileprivate init(_ log: LogState) {
      flows = log.lost.filter { $0.value.isOfGroup && log[$0.key] != nil }.map(\.key).sorted {
        $0.description < $1.description
      }
      histories = log.lostHistories.keys.filter { log[$0] != nil }.sorted {
        $0.description < $1.description
      }
      notes = log.lostNotes.keys.sorted { $0.precedesByBytes($1) }
      mayHaveUnknown = log.lostGroup != nil
    }

    /// The report that is put beside the log.
    fileprivate var report: String {
      var lines = ["Accepted losses of the log."]
      if mayHaveUnknown { lines.append("Flows and notes may be gone of which nothing is known.") }
      lines += flows.map { "flow, from its latest readable state: \($0.shown)" }
      lines += histories.map { "history with a gap: \($0.shown)" }
      lines += notes.map { "note, with its latest readable value or none: \($0.onOneLine)" }
      return lines.joined(separator: "\n") + "\n"
    }
  }

  /// Accepts what damage has lost, so that new flows can be started and damaged histories read again.
  ///
  /// If the lists of a damaged group are lost, nothing tells which flows it had. Until their loss is accepted, every
  /// flow that was not written later is `corrupted`, and so is every unknown id. Afterwards such a flow goes on from its
  /// latest readable state. That state may be older than the latest acknowledged one: answers may be missing, and
  /// effects may happen again, under their old idempotency keys. A history with a lost part shows a gap.
  ///
  /// A flow that a damaged group names stays `corrupted`, until ``giveUp(_:)``. The report is also put into a file
  /// beside the log, which ``tornTails()`` names after the next opening. If the function throws `unavailable`, nothing is
  /// accepted.
  ///
  /// - Returns: The accepted losses; none if there are none.
  /// - Throws: ``FlowStoreError``; `unavailable` if the disk fails, `outcomeUnknown` if the next opening decides.
  @discardableResult
  public func acceptLosses() async throws -> AcceptedLosses {
    try await work { store throws(FlowStoreError) in
      try await store.onWriter { store throws(FlowStoreError) in try store.acceptLossesNow() }
    }
  }

  /// The flows whose history has a damaged part, each with its error; a page that does not touch the part can be read.
  ///
  /// A part that a snapshot of the index covers is found when it is read, or when its segment is rewritten.
  public func unreadableHistories() async -> [FlowID: FlowStoreError] {
    state.withLock { state in state.log.lostHistories.mapValues(\.error) }
  }

  private func acceptLossesNow() throws(FlowStoreError) -> AcceptedLosses {
    let losses = state.withLock { AcceptedLosses($0.log) }
    guard !losses.isEmpty else { return losses }
    // Everything is read before anything is written, so that a disk that fails leaves the store as it was.
    var regained = index.withLock { $0 }
    for id in losses.flows {
      do {
        if let flow = try readFlow(id, accepting: true) { regained.put(flow) }
      } catch  where error.code != .unavailable {
        continue  // The flow is damaged in itself, and stays lost.
      }
    }
    var gaps: [FlowID: Set<LogPlace>] = [:]
    for id in losses.histories { gaps[id] = try unreadableSpans(of: id) }
    try setAside(Array(losses.report.utf8)[...], "accepted-\(files.withLock { $0.nextGroup })")
    let group = try append { number in
      var draft = LogDraft()
      draft.add(.accepted, "", Int(clamping: number))
      return draft
    }
    change { state, index in
      state.log.acceptLosses(before: group.number)
      for (id, places) in gaps { state.log.dropSpans(of: id) { places.contains($0.place) } }
      state.log.settle()
      state.log.loseMissingValues()
      index = regained
      for id in state.log.lost.keys { index.remove(id) }
    }
    return losses
  }
}
