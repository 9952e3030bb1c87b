import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The index for lists and inboxes: all of each flow but its body, by id, label, definition, status, time and assignee.
///
/// Both stores of this module have one in memory, and update it when they make a commit visible.
struct FlowIndex: Sendable {
  /// A flow, but its id, its body and its values.
  struct Entry: Sendable {
    var revision: Revision
    var snapshot: FlowSnapshot
    var changedAt: Date

    init(_ flow: StoredFlow) {
      (revision, snapshot, changedAt) = (flow.revision, flow.snapshot, flow.changedAt)
      (snapshot.body, snapshot.values) = ([], [])
    }

    func summary(of id: FlowID) -> FlowSummary {
      FlowSummary(StoredFlow(id: id, revision: revision, snapshot: snapshot, changedAt: changedAt))
    }

    var labels: [FlowQuery.Label] { snapshot.labels.map { FlowQuery.Label($0.key, $0.value) } }
    /// The texts by which questions are found.
    var taskKeys: [[TextKey]] { snapshot.tasks.map { [TextKey($0.question)] + $0.assignees.map { TextKey($0) } } }
  }

  typealias Rows = PackedTable<Entry>
  typealias Row = Rows.Row

  /// A flow in an order by time. Flows with the same time are ordered by their ids.
  struct TimedRow: Sendable, Equatable {
    let time: Int64
    let row: Row
  }

  /// All flows, by their ids. They are packed once they have ended, as most flows of a store have, and those that a
  /// snapshot has brought until their next commit. Lists have the rows only, in the order of the ids.
  private var rows = Rows()
  private var flows = SortedList<Row>()
  private var byDefinition: [TextKey: SortedList<Row>] = [:]
  private var byLabel: [FlowQuery.Label: SortedList<Row>] = [:]
  private var byStatus: [FlowSnapshot.Status: SortedList<Row>] = [:]
  private var byTime = SortedList<TimedRow>()
  /// The flows whose rollback failed.
  private var rollbacksFailed = SortedList<Row>()
  /// The flows that wait for nothing but an operator or have ended, by the time of their last commit.
  private var resting = SortedList<TimedRow>()
  private var tasks = TaskIndex()

  var count: Int { rows.count }

  /// Visits all flows in the order of their ids, with a closure that writes the flow's entry.
  func visit(_ body: (FlowID, (inout ByteWriter) -> Void) -> Void) {
    flows.visit { row in
      body(FlowID(rows.name(of: row))) { rows.write(row, to: &$0) }
      return true
    }
  }

  /// Returns a flow as lists have it.
  func summary(of id: FlowID) -> FlowSummary? { rows.row(of: id.description).map { rows[$0].summary(of: id) } }

  /// Takes space for this number of flows at once.
  mutating func reserve(_ count: Int) { rows.reserve(count) }

  /// Applies a commit.
  mutating func put(_ flow: StoredFlow) {
    let (new, name) = (Entry(flow), flow.id.description)
    let old = rows.row(of: name).map { rows[$0] }
    let row = rows.put(new, of: name, packed: new.snapshot.status.isTerminal)
    list(new, of: row, replacing: old)
  }

  /// Reads an entry that ``visit(_:)`` wrote.
  ///
  /// - Throws: ``FlowStoreError`` if it is no entry, or if the flow is there already.
  mutating func put(from reader: inout ByteReader, of id: FlowID) throws(FlowStoreError) {
    let count = rows.count
    let (row, entry) = try rows.put(from: &reader, of: id.description)
    try reader.check(rows.count > count, "a flow is there twice")
    list(entry, of: row, replacing: nil)
  }

  /// Updates the lists.
  private mutating func list(_ new: Entry, of row: Row, replacing old: Entry?) {
    if old == nil { flows.insert(row, of: rows) }
    let definition = TextKey(new.snapshot.definition)
    let oldDefinition = old.map { TextKey($0.snapshot.definition) }
    if oldDefinition != definition {
      if let oldDefinition { byDefinition.remove(row, of: rows, under: oldDefinition) }
      byDefinition.insert(row, of: rows, under: definition)
    }
    if old?.snapshot.status != new.snapshot.status {
      if let old { byStatus.remove(row, of: rows, under: old.snapshot.status) }
      byStatus.insert(row, of: rows, under: new.snapshot.status)
    }
    if old?.snapshot.wakeAt != new.snapshot.wakeAt {
      if let old { removeTime(of: old, row) }
      if let time = new.snapshot.wakeAt { byTime.insert(TimedRow(time: time.microseconds, row: row), of: rows) }
    }
    // Equal dictionaries and tasks may have texts with other bytes.
    let labels = new.snapshot.labels
    if old.map({ $0.snapshot.labels.count != labels.count || !$0.labels.allSatisfy(labels.has) }) ?? true {
      if let old { removeLabels(of: old, row) }
      for label in new.labels { byLabel.insert(row, of: rows, under: label) }
    }
    let before = old?.snapshot.tasks ?? []
    if before != new.snapshot.tasks || old?.taskKeys ?? [] != new.taskKeys {
      let name = TextKey(rows.name(of: row))
      tasks.remove(before, of: name)
      tasks.insert(new.snapshot.tasks, of: name)
    }
    if old?.snapshot.rollbackFailed != new.snapshot.rollbackFailed {
      if new.snapshot.rollbackFailed {
        rollbacksFailed.insert(row, of: rows)
      } else {
        rollbacksFailed.remove(row, of: rows)
      }
    }
    if let old { removeFromResting(old, row) }
    if !new.snapshot.status.isClaimable {
      resting.insert(TimedRow(time: new.changedAt.microseconds, row: row), of: rows)
    }
  }

  mutating func remove(_ id: FlowID) {
    guard let row = rows.row(of: id.description) else { return }
    let old = rows[row]
    flows.remove(row, of: rows)
    byDefinition.remove(row, of: rows, under: TextKey(old.snapshot.definition))
    byStatus.remove(row, of: rows, under: old.snapshot.status)
    removeTime(of: old, row)
    removeLabels(of: old, row)
    tasks.remove(old.snapshot.tasks, of: TextKey(id.description))
    rollbacksFailed.remove(row, of: rows)
    removeFromResting(old, row)
    // The lists are ordered by the names of the rows, so a row is removed last.
    rows.remove(row)
  }

  private mutating func removeFromResting(_ entry: Entry, _ row: Row) {
    guard !entry.snapshot.status.isClaimable else { return }
    resting.remove(TimedRow(time: entry.changedAt.microseconds, row: row), of: rows)
  }

  private mutating func removeTime(of entry: Entry, _ row: Row) {
    guard let time = entry.snapshot.wakeAt else { return }
    byTime.remove(TimedRow(time: time.microseconds, row: row), of: rows)
  }

  private mutating func removeLabels(of entry: Entry, _ row: Row) {
    for label in entry.labels { byLabel.remove(row, of: rows, under: label) }
  }
}

extension FlowIndex.Entry: StoredPart {
  static var placeholder: Self {
    Self(StoredFlow(id: FlowID(""), revision: .none, snapshot: .placeholder, changedAt: .placeholder))
  }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    revision = Revision(try coder.coded(revision.number))
    try coder.code(&changedAt)
    try snapshot.codeIndexed(with: &coder)
    try coder.code(&snapshot.startedAt)
  }
}

// MARK: - Pages

extension FlowIndex {
  /// - Parameter visiting: A closure that is called with every flow that is looked at.
  func list(
    _ query: FlowQuery, after cursor: String?, limit: Int, visiting: (Row) -> Void = { _ in }
  ) throws(FlowStoreError) -> FlowPage {
    let start = try cursor.map { (text) throws(FlowStoreError) in try StoreCursor(text, parts: 1).parts[0] }
    let limit = max(1, limit)
    var found: [FlowSummary] = []
    var more = false
    visit(query, after: start, visiting: visiting) { summary in
      guard found.count < limit else {
        more = true
        return false
      }
      found.append(summary)
      return true
    }
    return FlowPage(flows: found, cursor: more ? found.last.map { StoreCursor([$0.id.description]).description } : nil)
  }

  func count(_ query: FlowQuery, upTo limit: Int) -> Int {
    var count = 0
    visit(query, after: nil) { _ in
      count += 1
      return count < limit
    }
    return count
  }

  /// Visits the flows that match a query, by id, until `body` returns `false`.
  private func visit(
    _ query: FlowQuery, after start: String?, visiting: (Row) -> Void = { _ in }, _ body: (FlowSummary) -> Bool
  ) {
    candidates(for: query).visit(behind: { row in start.map { !rows.isAfter(row, $0) } ?? false }) { row in
      visiting(row)
      let summary = rows[row].summary(of: FlowID(rows.name(of: row)))
      return query.matches(summary) ? body(summary) : true
    }
  }

  /// Returns the shortest list that contains all matching flows.
  private func candidates(for query: FlowQuery) -> SortedList<Row> {
    var lists = [flows]
    if let label = query.label { lists.append(byLabel[label] ?? SortedList()) }
    if let definition = query.definition { lists.append(byDefinition[TextKey(definition)] ?? SortedList()) }
    if let status = query.status, status.count == 1 { lists += status.map { byStatus[$0] ?? SortedList() } }
    if query.rollbackFailed == true { lists.append(rollbacksFailed) }
    var shortest = lists.min { $0.count < $1.count } ?? flows
    if let end = query.dueBefore, let due = flows(in: byTime, before: end, fewerThan: shortest.count) { shortest = due }
    if let end = query.changedBefore, let status = query.status, !status.contains(where: \.isClaimable),
      let changed = flows(in: resting, before: end, fewerThan: shortest.count)
    {
      shortest = changed
    }
    return shortest
  }

  /// Returns the flows of a list whose times are before `end`, by id, or `nil` if they are not fewer than `count`.
  private func flows(in list: SortedList<TimedRow>, before end: Date, fewerThan count: Int) -> SortedList<Row>? {
    // The time in a query is not rounded, but those of flows are.
    let last = end.microseconds
    var due: [Row] = []
    list.visit { timed in
      guard timed.time <= last, due.count < count else { return false }
      due.append(timed.row)
      return true
    }
    guard due.count < count else { return nil }
    var found = SortedList<Row>()
    for row in due { found.insert(row, of: rows) }
    return found
  }

  /// - Parameter visiting: A closure that is called with every key that is looked at.
  mutating func tasks(
    _ query: TaskQuery, after cursor: String?, limit: Int, visiting: (TaskKey) -> Void = { _ in }
  ) throws(FlowStoreError) -> TaskPage {
    switch query.order {
    case .flow:
      let lists = tasks.byFlow.lists(of: query.assignees)
      return try page(of: query, in: lists, after: cursor, limit: limit, visiting: visiting)
    case .due, .asked:
      let lists = timed(query.order).lists(of: query.assignees)
      return try page(of: query, in: lists, after: cursor, limit: limit, visiting: visiting)
    }
  }

  func count(_ query: TaskQuery, upTo limit: Int) -> Int {
    var query = query
    query.order = .flow
    var count = 0
    visit(query, in: tasks.byFlow.lists(of: query.assignees), after: nil) { _, _ in
      count += 1
      return count < limit
    }
    return count
  }

  private mutating func timed(_ order: TaskQuery.Order) -> TaskIndex.Lists<TimedTaskKey> {
    let rows = rows
    return tasks.timed(order) { name in rows.row(of: name.text).map { rows[$0].snapshot.tasks } ?? [] }
  }

  private func page<Place: TaskPlace>(
    of query: TaskQuery, in lists: [SortedList<Place>], after cursor: String?, limit: Int, visiting: (TaskKey) -> Void
  ) throws(FlowStoreError) -> TaskPage {
    let start = try cursor.map { (text) throws(FlowStoreError) in try Place(text, of: query.order) }
    var page = TaskPage(tasks: [], cursor: nil)
    var last: Place?
    visit(query, in: lists, after: start, visiting: visiting) { place, summary in
      guard page.tasks.count < max(1, limit) else {
        page.cursor = last?.cursor(of: query.order).description
        return false
      }
      page.tasks.append(summary)
      last = place
      return true
    }
    return page
  }

  /// Visits the questions that match a query, in its order, until `body` returns `false`.
  private func visit<Place: TaskPlace>(
    _ query: TaskQuery, in lists: [SortedList<Place>], after start: Place?,
    visiting: (TaskKey) -> Void = { _ in }, _ body: (Place, TaskSummary) -> Bool
  ) {
    // In the order of flows, the questions of a flow follow each other.
    var last: (flow: TextKey, snapshot: FlowSnapshot)?
    SortedList.visit(lists, after: start) { place in
      let key = place.key
      visiting(key)
      if last?.flow != key.flow { last = rows.row(of: key.flow.text).map { (key.flow, rows[$0].snapshot) } }
      guard let snapshot = last?.snapshot else { return true }
      for task in snapshot.tasks where place.isPlace(of: task, in: query.order) {
        let summary = TaskSummary(
          flow: FlowID(key.flow.text), definition: snapshot.definition, labels: snapshot.labels, task: task)
        if query.matches(summary), !body(place, summary) { return false }
      }
      return true
    }
  }
}
