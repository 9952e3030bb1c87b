import ActorFlow

/// A write of the log, before it is decided.
enum LogChange: Sendable {
  case commit(LogCommit, expecting: Revision)
  case delete(FlowID, expecting: Revision)
  /// Gives up a flow that is damaged.
  case giveUp(FlowID)
  case note(String, StoreNote?, replacing: StoreNote?)

  /// The flow or the note that a write changes.
  enum Subject: Sendable, Hashable {
    case flow(FlowID)
    case note(String)
  }

  /// The state that a write finds.
  enum Found: Sendable {
    case flow(Revision, CommitID?, values: Set<Int> = [])
    case damaged(FlowStoreError)
    case note(StoreNote?)
  }

  enum Decision: Sendable {
    case write
    case refuse(FlowStoreError)
    /// The write was done before.
    case repeated
  }

  var subject: Subject {
    switch self {
    case .commit(let commit, _): .flow(commit.flow.id)
    case .delete(let id, _), .giveUp(let id): .flow(id)
    case .note(let key, _, _): .note(key)
    }
  }

  /// Whether the write removes a flow.
  var isDeletion: Bool {
    switch self {
    case .delete, .giveUp: true
    case .commit, .note: false
    }
  }

  /// Whether the write may use the reserve of a full disk: it leaves, it makes room, or it is a note, which is small.
  var mayUseReserve: Bool {
    switch self {
    case .commit(let commit, _): commit.leaves
    case .delete, .giveUp, .note: true
    }
  }

  /// The bytes that the write brings, about.
  var bytes: Int {
    switch self {
    case .commit(let commit, _):
      commit.values.reduce(commit.snapshot.count + commit.history.count + 256) { $0 + $1.bytes.count }
    case .delete, .giveUp, .note: 256
    }
  }

  func found(in state: LogState) -> Found {
    switch subject {
    case .note(let key): return .note(state.lostNotes[key] == nil ? state.notes[key] : nil)
    case .flow(let id):
      if let error = state.damage(of: id) { return .damaged(error) }
      let flow = state[id]
      return .flow(flow?.revision ?? .none, flow?.commit, values: flow?.named ?? [])
    }
  }

  /// The state that the write leaves.
  var left: Found {
    switch self {
    case .commit(let commit, _):
      .flow(commit.flow.revision, commit.commit, values: commit.flow.snapshot.valueNumbers)
    case .delete, .giveUp: .flow(.none, nil)
    case .note(_, let note, _): .note(note)
    }
  }

  func decision(on found: Found) -> Decision {
    do throws(FlowStoreError) {
      switch (self, found) {
      case (.giveUp, .damaged): return .write
      case (.giveUp(let id), _):
        return .refuse(
          FlowStoreError(
            .conflict,
            """
            the flow \(id.shown) is not damaged, so it is not given up: delete it instead. If only its history is damaged, \
            accept that with `acceptLosses()`
            """))
      case (_, .damaged(let error)): return .refuse(error)
      case (.commit(let commit, let expected), .flow(let revision, let last, let values)):
        if last == commit.commit { return .repeated }
        try revision.check(isExpected: expected, of: commit.flow.id)
        if let missing = commit.keptValues.subtracting(values).min() { throw .missingValue(missing) }
      case (.delete(let id, let expected), .flow(let revision, _, _)):
        guard revision != .none else { throw FlowStoreError.noFlow(id) }
        try revision.check(isExpected: expected, of: id)
      case (.note(let key, _, let old), .note(let found)):
        guard found == old?.stored else {
          throw FlowStoreError(.conflict, "the note \(key) was changed meanwhile")
        }
      case (.note, .flow), (.commit, .note), (.delete, .note): break
      }
      return .write
    } catch {
      return .refuse(error)
    }
  }

  /// Adds the records of the write to a group.
  func add(to draft: inout LogDraft, _ group: UInt64) {
    switch self {
    case .commit(let commit, _): commit.add(to: &draft)
    case .delete(let id, _), .giveUp(let id): draft.add(.deletion, id.description, Int(clamping: group))
    case .note(let key, let note?, _): draft.add(.note, key, 0, NoteRecord.encoded(note))
    case .note(let key, nil, _): draft.add(.noNote, key, 0)
    }
  }
}

/// A commit with its encoded records.
struct LogCommit: Sendable {
  let flow: StoredFlow
  let commit: CommitID
  let snapshot: [UInt8]
  /// The number of the first entry of the history, or ``HistoryRecord/whole``, with the record; empty if the commit adds
  /// none.
  let first: Int
  let history: [UInt8]
  /// The values that the commit brings.
  let values: [FlowValue]
  /// Whether the commit belongs to the way out of a step or of the flow.
  let leaves: Bool

  init(
    _ flow: StoredFlow, by commit: CommitID, snapshot: [UInt8], values: [FlowValue], history entries: [HistoryEntry],
    replacing replacesHistory: Bool = false, leaving leaves: Bool = false
  ) {
    (self.flow, self.commit, self.values, self.leaves) = (flow, commit, values, leaves)
    self.snapshot = FlowRecord.encoded(commit, flow.changedAt, snapshot: snapshot)
    first = replacesHistory ? HistoryRecord.whole : entries.first?.sequence ?? 0
    history = entries.isEmpty && !replacesHistory ? [] : HistoryRecord.encoded(entries, from: first)
  }

  /// The numbers of the values that must be in the log already.
  var keptValues: Set<Int> { flow.snapshot.valueNumbers.subtracting(values.map(\.number)) }

  func add(to draft: inout LogDraft) {
    let (key, number) = (flow.id.description, flow.revision.number)
    if !history.isEmpty { draft.add(.history, key, number, history) }
    for value in values { draft.add(.value, key, value.number, value.bytes) }
    draft.add(.flow, key, number, snapshot)
  }
}
