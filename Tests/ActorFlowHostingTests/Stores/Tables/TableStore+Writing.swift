import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

extension TableStore {
  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    if fault == .givesUpWhenCancelled { try Task.checkCancellation() }
    guard write.snapshot.encoded().count <= FlowSnapshot.maximumBytes else {
      throw FlowStoreError(.tooLarge, "the snapshot is too large")
    }
    let key = key(write.id.description)
    let entries = write.history.map(kept)
    return try await self.write { tables in
      let row = tables.flows[key]
      var flow = StoredFlow(
        id: FlowID(kept(write.id.description)), revision: write.expecting.next, snapshot: kept(write.snapshot),
        changedAt: clock.now.stored)
      if let row, isDone(write, row) {
        if fault == .movesChangedAt { tables.flows[key]?.flow.changedAt = flow.changedAt }
        return Done(value: row.flow)
      }
      try check(row?.flow.revision ?? .none, expecting: write.expecting)
      if let row {
        flow.revision = row.flow.revision.next
        if fault == .keepsChangedAt { flow.changedAt = row.flow.changedAt }
      }
      tables.flows[key] = Tables.FlowRow(flow: flow, commits: (row?.commits ?? []) + [write.commit])
      setLabels(of: flow, key, &tables)
      if fault == .writesHistoryLater {
        setTasks(of: flow, key, &tables)
        return Done(value: flow) { $0.history[key, default: []] += entries }
      }
      if write.replacesHistory { tables.history[key] = [] }
      tables.history[key, default: []] += entries
      if fault == .writesTasksLater {
        return Done(value: flow) { [self, flow] in setTasks(of: flow, key, &$0) }
      }
      setTasks(of: flow, key, &tables)
      return Done(value: flow)
    }
  }

  private func isDone(_ write: FlowWrite, _ row: Tables.FlowRow) -> Bool {
    switch fault {
    case .remembersAllCommits: row.commits.contains(write.commit)
    case .retriesByRevision: row.flow.revision == write.expecting.next
    default: row.commits.last == write.commit
    }
  }

  func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {
    if fault == .givesUpDeletes { try Task.checkCancellation() }
    let key = key(id.description)
    try await write { tables in
      guard let row = tables.flows[key] else { throw FlowStoreError(.notFound, "there is no flow \(id)") }
      try check(row.flow.revision, expecting: expecting)
      tables.flows[key] = nil
      if fault != .keepsTasksOfDeleted { tables.tasks.removeAll { $0.flow == key } }
      if fault != .keepsLabelsOfDeleted { tables.labels.removeAll { $0.flow == key } }
      switch fault {
      case .keepsHistoryOfDeleted: return Done(value: ())
      case .deletesHistoryLater: return Done(value: ()) { $0.history[key] = nil }
      default:
        tables.history[key] = nil
        return Done(value: ())
      }
    }
  }

  private func check(_ revision: Revision, expecting: Revision) throws {
    let number = fault == .cutsRevisions ? Int(Int32(truncatingIfNeeded: expecting.number)) : expecting.number
    guard revision.number != number else { return }
    if fault == .throwsDriverErrors { throw DriverError() }
    throw FlowStoreError(.conflict, "the flow has the revision \(revision)")
  }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    let (key, note, old) = (self.key(key), note.map(kept), old)
    try await write(isNote: true) { tables in
      guard tables.notes[key] == old else { throw FlowStoreError(.conflict, "the note was changed") }
      tables.notes[key] = note
      return Done(value: ())
    }
  }

  // MARK: - Rows of other tables

  private func setLabels(of flow: StoredFlow, _ key: TableKey, _ tables: inout Tables) {
    let labels = flow.snapshot.labels
    let keepsOld = fault == .keepsLabelsOfDeleted && flow.revision == Revision(1)
    tables.labels.removeAll { $0.flow == key && !keepsOld && (fault != .keepsLabels || labels[$0.key] != nil) }
    tables.labels += labels.map { Tables.LabelRow(flow: key, key: $0.key, value: $0.value) }
  }

  private func setTasks(of flow: StoredFlow, _ key: TableKey, _ tables: inout Tables) {
    if fault == .keepsTasksOfEnded, flow.snapshot.status.isTerminal { return }
    let old = tables.tasks.filter { $0.flow == key }
    if fault != .keepsTasksOfDeleted || flow.revision != Revision(1) { tables.tasks.removeAll { $0.flow == key } }
    tables.tasks += flow.snapshot.tasks.map { task in
      var row = Tables.TaskRow(flow: key, definition: flow.snapshot.definition, task: task)
      guard let old = old.first(where: { $0.task.question == task.question }) else { return row }
      switch fault {
      case .keepsDefinitionOfTasks: row.definition = old.definition
      case .keepsPromptOfTasks: row.task.prompt = old.task.prompt
      case .keepsDueTimeOfTasks: row.task.due = old.task.due
      default: break
      }
      return row
    }
  }
}
