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

  /// A flow, packed once it has ended: most flows of a store have, and those that go on change with each commit.
  private enum Row: Sendable {
    case packed(Packed<Entry>)
    indirect case open(Entry)

    /// - Parameter packed: The packed entry, if it is there already.
    init(_ entry: Entry, packed: Packed<Entry>? = nil) {
      self = entry.snapshot.status.isTerminal ? .packed(packed ?? Packed(entry)) : .open(entry)
    }

    var entry: Entry {
      switch self {
      case .packed(let row): row.part
      case .open(let entry): entry
      }
    }

    var packed: Packed<Entry> {
      switch self {
      case .packed(let row): row
      case .open(let entry): Packed(entry)
      }
    }
  }

  private struct TimerKey: Comparable, Sendable {
    let time: Int64
    let flow: TextKey

    static func < (left: TimerKey, right: TimerKey) -> Bool {
      left.time == right.time ? left.flow < right.flow : left.time < right.time
    }
  }

  private var entries: [TextKey: Row] = [:]
  private var flows = SortedList<TextKey>()
  private var byDefinition: [TextKey: SortedList<TextKey>] = [:]
  private var byLabel: [FlowQuery.Label: SortedList<TextKey>] = [:]
  private var byStatus: [FlowSnapshot.Status: SortedList<TextKey>] = [:]
  private var byTime = SortedList<TimerKey>()
  /// The flows whose rollback failed.
  private var rollbacksFailed = SortedList<TextKey>()
  /// The flows that wait for nothing but an operator or have ended, by the time of their last commit.
  private var resting = SortedList<TimerKey>()
  private var tasks = TaskIndex()

  var count: Int { entries.count }

  /// Visits all flows in the order of their ids.
  func visit(_ body: (FlowID, Packed<Entry>) -> Void) {
    flows.visit(after: nil) { name in
      if let row = entries[name] { body(FlowID(name.text), row.packed) }
      return true
    }
  }

  /// Applies a commit.
  mutating func put(_ flow: StoredFlow) {
    put(Entry(flow), of: flow.id)
  }

  /// - Parameter packed: The packed entry, if it is there already.
  mutating func put(_ new: Entry, packed: Packed<Entry>? = nil, of id: FlowID) {
    let name = TextKey(id.description)
    let old = entries.updateValue(Row(new, packed: packed), forKey: name)?.entry
    if old == nil { flows.insert(name) }
    let definition = TextKey(new.snapshot.definition)
    if let old, TextKey(old.snapshot.definition) != definition {
      byDefinition.remove(name, under: TextKey(old.snapshot.definition))
    }
    byDefinition.insert(name, under: definition)
    if old?.snapshot.status != new.snapshot.status {
      if let old { byStatus.remove(name, under: old.snapshot.status) }
      byStatus.insert(name, under: new.snapshot.status)
    }
    if old?.snapshot.wakeAt != new.snapshot.wakeAt {
      if let old { removeTime(of: old, name) }
      if let time = new.snapshot.wakeAt { byTime.insert(TimerKey(time: time.microseconds, flow: name)) }
    }
    // Equal dictionaries and tasks may have texts with other bytes.
    let labels = new.snapshot.labels
    if old.map({ $0.snapshot.labels.count != labels.count || !$0.labels.allSatisfy(labels.has) }) ?? true {
      if let old { removeLabels(of: old, name) }
      for label in new.labels { byLabel.insert(name, under: label) }
    }
    if old.map({ $0.snapshot.tasks != new.snapshot.tasks || $0.taskKeys != new.taskKeys }) ?? true {
      if let old { tasks.remove(old.snapshot.tasks, of: name) }
      tasks.insert(new.snapshot.tasks, of: name)
    }
    if old?.snapshot.rollbackFailed != new.snapshot.rollbackFailed {
      if new.snapshot.rollbackFailed { rollbacksFailed.insert(name) } else { rollbacksFailed.remove(name) }
    }
    if let old { removeFromResting(old, name) }
    if !new.snapshot.status.isClaimable {
      resting.insert(TimerKey(time: new.changedAt.microseconds, flow: name))
    }
  }

  mutating func remove(_ id: FlowID) {
    let name = TextKey(id.description)
    guard let old = entries.removeValue(forKey: name)?.entry else { return }
    flows.remove(name)
    byDefinition.remove(name, under: TextKey(old.snapshot.definition))
    byStatus.remove(name, under: old.snapshot.status)
    removeTime(of: old, name)
    removeLabels(of: old, name)
    tasks.remove(old.snapshot.tasks, of: name)
    rollbacksFailed.remove(name)
    removeFromResting(old, name)
  }

  private mutating func removeFromResting(_ entry: Entry, _ name: TextKey) {
    guard !entry.snapshot.status.isClaimable else { return }
    resting.remove(TimerKey(time: entry.changedAt.microseconds, flow: name))
  }

  private mutating func removeTime(of entry: Entry, _ name: TextKey) {
    guard let time = entry.snapshot.wakeAt else { return }
    byTime.remove(TimerKey(time: time.microseconds, flow: name))
  }

  private mutating func removeLabels(of entry: Entry, _ name: TextKey) {
    for label in entry.labels { byLabel.remove(name, under: label) }
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
  }
}

// MARK: - Pages

extension FlowIndex {
  /// - Parameter visiting: A closure that is called with every flow that is looked at.
  func list(
    _ query: FlowQuery, after cursor: String?, limit: Int, visiting: (TextKey) -> Void = { _ in }
  ) throws(FlowStoreError) -> FlowPage {
    let start = try cursor.map { (text) throws(FlowStoreError) in TextKey(try StoreCursor(text, parts: 1).parts[0]) }
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
    _ query: FlowQuery, after start: TextKey?, visiting: (TextKey) -> Void = { _ in }, _ body: (FlowSummary) -> Bool
  ) {
    candidates(for: query).visit(after: start) { name in
      visiting(name)
      guard let entry = entries[name]?.entry else { return true }
      let summary = entry.summary(of: FlowID(name.text))
      return query.matches(summary) ? body(summary) : true
    }
  }

  /// Returns the shortest list that contains all matching flows.
  private func candidates(for query: FlowQuery) -> SortedList<TextKey> {
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
  private func flows(
    in list: SortedList<TimerKey>, before end: Date, fewerThan count: Int
  ) -> SortedList<TextKey>? {
    // The time in a query is not rounded, but those of flows are.
    let last = end.microseconds
    var names: [TextKey] = []
    list.visit(after: nil) { key in
      guard key.time <= last, names.count < count else { return false }
      names.append(key.flow)
      return true
    }
    guard names.count < count else { return nil }
    var found = SortedList<TextKey>()
    for name in names { found.insert(name) }
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
    let entries = entries
    return tasks.timed(order) { entries[$0]?.entry.snapshot.tasks ?? [] }
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
      if last?.flow != key.flow { last = entries[key.flow].map { (key.flow, $0.entry.snapshot) } }
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

extension Dictionary {
  fileprivate mutating func insert<Element>(_ element: Element, under key: Key) where Value == SortedList<Element> {
    self[key, default: SortedList()].insert(element)
  }

  fileprivate mutating func remove<Element>(_ element: Element, under key: Key) where Value == SortedList<Element> {
    self[key]?.remove(element)
    if self[key]?.count == 0 { self[key] = nil }
  }
}
