import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of the log without its records: the place of each flow's last commit and history, and the notes.
///
/// The state is made by applying the entries of all groups in order. Compaction copies records into later groups; the
/// copy of a record takes the place of the original.
struct LogState: Sendable {
  /// A part of a flow's history.
  struct Span: Sendable {
    var place: LogPlace
    /// The revision of the last commit that added an entry to the part.
    var revision: Int
    /// The number of the first entry.
    var first: Int
    /// The number of the group that has the part.
    var group: UInt64
  }

  /// A value of a flow.
  struct Value: Sendable {
    var place: LogPlace
    /// The number of the group that has the value.
    var group: UInt64
  }

  /// Damage, with the number of the group at which it was found.
  ///
  /// A class, so that flows without damage have no space for it.
  final class Loss: Sendable {
    let error: FlowStoreError
    let group: UInt64
    /// Whether the lists of the group are lost, so that it may or may not have had the flow.
    let isOfGroup: Bool

    init(error: FlowStoreError, group: UInt64, isOfGroup: Bool = false) {
      (self.error, self.group, self.isOfGroup) = (error, group, isOfGroup)
    }
  }

  struct Flow: Sendable {
    var revision = Revision.none
    var commit = CommitID.placeholder
    /// The place of the last commit; `nil` until it is found.
    var place: LogPlace?
    var spans: [Span] = []
    /// The number of the group that has the last commit.
    var group: UInt64 = 0
    /// The numbers of the values that the last commit names.
    var named: Set<Int> = []
    /// The values that were found, by their numbers.
    var values: [Int: Value] = [:]

    /// Returns the place of the last commit before.
    mutating func put(
      _ revision: Revision, by commit: CommitID, naming named: Set<Int>, at place: LogPlace, in group: UInt64
    ) -> LogPlace? {
      defer { (self.revision, self.commit, self.place, self.group) = (revision, commit, place, group) }
      self.named = named
      return self.place
    }

    /// Removes the values that the last commit does not name; returns their places.
    mutating func dropValues() -> [LogPlace] {
      let dropped = values.filter { !named.contains($0.key) }
      for number in dropped.keys { values[number] = nil }
      return dropped.values.map(\.place)
    }

    /// Whether packing the flow again at each commit would take long.
    fileprivate var isLong: Bool { spans.count + values.count > 32 }

    /// Adds a part of the history in the order of revisions; returns the places of those that it replaces. The whole
    /// history replaces all parts of earlier revisions.
    mutating func add(_ span: Span) -> [LogPlace] {
      if let first = spans.first, first.first == HistoryRecord.whole, span.revision < first.revision {
        return [span.place]
      }
      var index = firstSpan { $0.revision >= span.revision }
      var replaced: [LogPlace] = []
      if span.first == HistoryRecord.whole {
        replaced = spans[..<index].map(\.place)
        spans.removeSubrange(..<index)
        index = 0
      }
      guard index < spans.count, spans[index].revision == span.revision else {
        spans.insert(span, at: index)
        return replaced
      }
      replaced.append(spans[index].place)
      spans[index] = span
      return replaced
    }

    /// Returns the index of the first part that fits; the parts that fit come after all others.
    func firstSpan(_ fits: (Span) -> Bool) -> Int {
      var (low, high) = (0, spans.count)
      while low < high {
        let middle = (low + high) / 2
        if fits(spans[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }

    fileprivate func has(_ place: LogPlace, of revision: Int) -> Bool {
      let index = firstSpan { $0.revision >= revision }
      return index < spans.count && spans[index].place == place
    }
  }

  struct Note: Sendable {
    var note: StoreNote
    var place: LogPlace
  }

  /// All flows, packed but for those with so many parts that packing them again at each commit would take long.
  private var rows = PackedTable<Flow>()
  private(set) var notes = StoreNotes()
  private(set) var notePlaces = TextMap<LogPlace>()
  /// The flows whose last commit is damaged, each with the error that its calls throw.
  private(set) var lost: [FlowID: Loss] = [:]
  /// The flows of which a part of the history is damaged.
  private(set) var lostHistories: [FlowID: Loss] = [:]
  /// The notes whose record is damaged.
  private(set) var lostNotes = TextMap<Loss>()
  /// The loss of flows of which nothing is known, if a damaged group may have had them.
  private(set) var lostGroup: Loss?
  /// The errors for flows of which only the name of an earlier version's file is known.
  private(set) var lostNames: [String: FlowStoreError] = [:]
  /// While there may be such flows: ids that were deleted since, which certainly are no flows.
  private(set) var absent: Set<FlowID> = []
  /// The bytes of living records, by segment.
  private(set) var live: [UInt32: Int] = [:]
  /// The number of the latest group; flows of a later one are not there yet.
  private(set) var lastGroup: UInt64 = 0
  /// The flows by the groups of their last commits, once a caller has asked for them.
  private var order: ChangeOrder?

  /// The flow, if its last commit was found.
  subscript(id: FlowID) -> Flow? { flow(id).flatMap { $0.place == nil ? nil : $0 } }

  /// The flow, even if only older parts of it were found.
  func flow(_ id: FlowID) -> Flow? { rows.row(of: id.description).map { rows[$0] } }

  /// All flows, also those of which only older parts were found.
  var flows: some Sequence<(id: FlowID, flow: Flow)> {
    rows.rows.lazy.map { (id: FlowID(rows.name(of: $0)), flow: rows[$0]) }
  }

  /// The number of ``flows``.
  var count: Int { rows.count }

  /// The flows in the order of their last commits. A commit that was copied counts as a later one.
  var changes: ChangeOrder {
    mutating get {
      let found = order ?? ChangeOrder(flows.lazy.filter { $0.flow.place != nil }.map { ($0.id, $0.flow.group) })
      order = found
      return found
    }
  }

  /// Notes how many groups the log has had when it is opened: the flows of the latest ones may be deleted.
  mutating func begin(after group: UInt64) { lastGroup = max(lastGroup, group) }

  /// Changes a flow, which is new if it was not there.
  private mutating func change<Value>(_ id: FlowID, _ body: (inout Flow) -> Value) -> Value {
    let name = id.description
    var flow = rows.take(name) ?? Flow()
    defer { rows.put(flow, of: name, packed: !flow.isLong) }
    return body(&flow)
  }

  /// The error that a flow's calls throw, if it is damaged.
  func damage(of id: FlowID) -> FlowStoreError? {
    if let loss = lost[id] { return loss.error }
    guard lostGroup != nil || !lostNames.isEmpty, self[id] == nil, !absent.contains(id) else { return nil }
    return lostNames[FileName.stem(of: id)] ?? lostGroup?.error
  }

  // MARK: - Applying

  mutating func put(
    _ id: FlowID, _ revision: Revision, by commit: CommitID, naming values: Set<Int>, at place: LogPlace,
    in group: UInt64
  ) {
    let loss = lost.removeValue(forKey: id)
    lastGroup = max(lastGroup, group)
    order?.put(id, group)
    let dropped = change(id) { flow in
      let old = flow.put(revision, by: commit, naming: values, at: place, in: group)
      return (old.map { [$0] } ?? []) + flow.dropValues()
    }
    if let loss { lostHistories[id] = loss }
    for place in dropped { release(place) }
    retain(place)
  }

  /// Adds a value of a flow, before the commit that brings it, or its copy.
  mutating func add(_ value: Value, _ number: Int, to id: FlowID) {
    release(change(id) { $0.values.updateValue(value, forKey: number)?.place })
    retain(value.place)
  }

  mutating func add(_ span: Span, to id: FlowID) {
    retain(span.place)
    for place in change(id, { $0.add(span) }) { release(place) }
  }

  /// Removes what groups before this number say of a flow.
  mutating func delete(_ id: FlowID, before group: UInt64) {
    if lostGroup != nil { absent.insert(id) }
    if !lostNames.isEmpty { lostNames[FileName.stem(of: id)] = nil }
    if let loss = lost[id], loss.group < group { lost[id] = nil }
    if let loss = lostHistories[id], loss.group < group { lostHistories[id] = nil }
    guard let row = rows.row(of: id.description), var flow = rows.take(id.description) else { return }
    for span in flow.spans where span.group < group { release(span.place) }
    flow.spans.removeAll { $0.group < group }
    for (number, value) in flow.values where value.group < group {
      release(value.place)
      flow.values[number] = nil
    }
    if flow.group < group {
      release(flow.place)
      flow.place = nil
      order?.remove(id)
    }
    if flow.place != nil || !flow.spans.isEmpty || !flow.values.isEmpty {
      rows.put(flow, of: id.description, packed: !flow.isLong)
    } else {
      rows.remove(row)
      lostHistories[id] = nil
    }
  }

  mutating func set(_ note: Note?, under key: String) {
    lostNotes[key] = nil
    release(notePlaces[key])
    notes.set(note?.note, under: key)
    notePlaces[key] = note?.place
    if let note { retain(note.place) }
  }

  /// Drops notes whose time is over, once there are many.
  mutating func sweepNotes(at now: Date) {
    for key in notes.sweep(at: now) {
      release(notePlaces[key])
      notePlaces[key] = nil
    }
  }

  /// Drops all notes whose time is over.
  mutating func dropNotes(at now: Date) {
    for key in Array(notePlaces.keys) where notes[key]?.until.map({ $0 <= now }) ?? false { set(nil, under: key) }
  }

  /// Takes space for this number of flows at once.
  mutating func reserve(_ count: Int) { rows.reserve(count) }

  /// Writes a flow as ``restore(_:from:)`` reads it; returns whether there is such a flow.
  func write(_ id: FlowID, to writer: inout ByteWriter) -> Bool {
    guard let row = rows.row(of: id.description) else { return false }
    // A log without damage has the last commit of each flow.
    rows.write(row, to: &writer)
    return true
  }

  /// Reads a flow of a snapshot.
  ///
  /// - Throws: ``FlowStoreError`` if it is no flow, or if the flow is there already.
  mutating func restore(_ id: FlowID, from reader: inout ByteReader) throws(FlowStoreError) {
    let count = rows.count
    let flow = try rows.put(from: &reader, of: id.description).part
    try reader.check(rows.count > count, "a flow is there twice")
    if let place = flow.place { retain(place) }
    for span in flow.spans { retain(span.place) }
    for value in flow.values.values { retain(value.place) }
  }

  /// Removes values of a flow. If the flow names one of them, it is lost.
  mutating func dropValues(of id: FlowID, _ isGone: (Value) -> Bool) {
    guard let gone = flow(id)?.values.filter({ isGone($0.value) }), !gone.isEmpty else { return }
    for value in gone.values { release(value.place) }
    change(id) { flow in for number in gone.keys { flow.values[number] = nil } }
  }

  mutating func dropSpans(of id: FlowID, _ isGone: (Span) -> Bool) {
    guard let gone = flow(id)?.spans.filter(isGone), !gone.isEmpty else { return }
    for span in gone { release(span.place) }
    change(id) { $0.spans.removeAll(where: isGone) }
  }

  mutating func lose(_ id: FlowID, _ loss: Loss) {
    lost[id] = loss
  }

  mutating func loseHistory(of id: FlowID, _ loss: Loss) {
    if rows.row(of: id.description) != nil { lostHistories[id] = loss }
  }

  mutating func setLostHistory(of id: FlowID, _ loss: Loss?) {
    lostHistories[id] = loss
  }

  mutating func loseNote(_ key: String, _ loss: Loss) {
    lostNotes[key] = loss
  }

  /// Applies damage to groups whose lists are gone: any flow may have been in one of them.
  mutating func loseGroup(_ loss: Loss) {
    lostGroup = loss
    // A flow that a damaged group names stays lost when the loss of the others is accepted.
    for (id, _) in flows where lost[id]?.isOfGroup ?? true { lost[id] = loss }
    for key in notePlaces.keys { lostNotes[key] = loss }
  }

  /// Applies the copy of the fact that a group was lost.
  mutating func noteLostGroup(_ loss: Loss) {
    lostGroup = loss
  }

  /// Accepts what is lost by groups before this number, but for the flows that a damaged group names.
  mutating func acceptLosses(before group: UInt64) {
    if let loss = lostGroup, loss.group < group { (lostGroup, absent) = (nil, []) }
    for (id, loss) in lost where loss.isOfGroup && loss.group < group { lost[id] = nil }
    for (id, loss) in lostHistories where loss.group < group { lostHistories[id] = nil }
    for key in Array(lostNotes.keys) {
      if let loss = lostNotes[key], loss.group < group { lostNotes[key] = nil }
    }
  }

  /// Removes what no flow owns, after all groups were applied.
  mutating func settle() {
    for row in rows.rows {
      var flow = rows[row]
      let id = FlowID(rows.name(of: row))
      if flow.place == nil, lost[id] == nil {
        for span in flow.spans { release(span.place) }
        for value in flow.values.values { release(value.place) }
        rows.remove(row)
        lostHistories[id] = nil
      } else if flow.place != nil, case let dropped = flow.dropValues(), !dropped.isEmpty {
        for place in dropped { release(place) }
        rows.put(flow, of: id.description, packed: !flow.isLong)
      }
    }
  }

  /// Finds the flows that name a value that the log does not have, after ``settle()``.
  mutating func loseMissingValues() {
    for (id, flow) in flows where flow.place != nil && !flow.named.isEmpty {
      guard lost[id] == nil, let missing = flow.named.first(where: { flow.values[$0] == nil }) else { continue }
      let error = LogOpening.damaged("the record of the value \(missing) of the flow \(id.shown)")
      lose(id, Loss(error: error, group: flow.group))
    }
  }

  private mutating func retain(_ place: LogPlace) { live[place.segment, default: 0] += place.size }

  private mutating func release(_ place: LogPlace?) {
    if let place { live[place.segment, default: 0] -= place.size }
  }
}

// MARK: - Entries

extension LogState {
  /// Applies an entry of a whole group.
  mutating func apply(
    _ entry: LogEntry, at place: LogPlace, in group: UInt64, _ content: ArraySlice<UInt8>
  ) throws(FlowStoreError) {
    let id = FlowID(entry.key)
    switch entry.kind {
    case .flow:
      let (commit, values) = try FlowRecord.head(content)
      put(id, Revision(entry.number), by: commit, naming: values, at: place, in: group)
    case .value: add(Value(place: place, group: group), entry.number, to: id)
    case .history:
      let first = try HistoryRecord.first(content)
      add(Span(place: place, revision: entry.number, first: first, group: group), to: id)
    case .deletion: delete(id, before: UInt64(entry.number))
    case .note: set(Note(note: try NoteRecord.note(content), place: place), under: entry.key)
    case .noNote: set(nil, under: entry.key)
    case .lostFlow: lose(id, Self.loss(content, in: group))
    case .lostHistory: loseHistory(of: id, Self.loss(content, in: group))
    case .lostGroup: noteLostGroup(Self.loss(content, in: group))
    case .lostNote: loseNote(entry.key, Self.loss(content, in: group))
    case .lostName: lostNames[entry.key] = Self.loss(content, in: group).error
    case .accepted: acceptLosses(before: UInt64(entry.number))
    }
  }

  /// Applies an entry whose record is damaged.
  mutating func lose(_ entry: LogEntry, in group: UInt64, _ error: FlowStoreError) {
    let (id, loss) = (FlowID(entry.key), Loss(error: error, group: group))
    switch entry.kind {
    case .flow, .lostFlow: lose(id, loss)
    case .history, .lostHistory: loseHistory(of: id, loss)
    case .deletion: delete(id, before: UInt64(entry.number))
    case .note, .lostNote: loseNote(entry.key, loss)
    case .noNote: set(nil, under: entry.key)
    // An earlier record of the number has the same value. If there is none, the flow is found to be lost at the end.
    case .value: break
    case .lostGroup: noteLostGroup(loss)
    case .lostName: lostNames[entry.key] = error
    case .accepted: acceptLosses(before: UInt64(entry.number))
    }
  }

  /// Whether the record of an entry is needed, so that compaction has to copy it.
  ///
  /// - Parameter older: Whether another segment has groups before the one of this number.
  func needs(_ entry: LogEntry, at place: LogPlace, older: (UInt64) -> Bool) -> Bool {
    let id = FlowID(entry.key)
    return switch entry.kind {
    case .flow: flow(id)?.place == place
    case .history: flow(id)?.has(place, of: entry.number) ?? false
    case .value: flow(id)?.values[entry.number]?.place == place
    // The flow comes back if an older segment has it and nothing says that it is deleted.
    case .deletion: older(UInt64(entry.number)) || lostGroup != nil
    case .note: notePlaces[entry.key] == place
    case .noNote: notePlaces[entry.key] == nil && older(.max)
    case .lostFlow: lost[id] != nil
    case .lostHistory: lostHistories[id] != nil
    case .lostGroup: lostGroup != nil
    case .lostNote: lostNotes[entry.key] != nil
    case .lostName: lostNames[entry.key] != nil
    // The losses come back if an older segment has them and nothing says that they are accepted.
    case .accepted: older(UInt64(entry.number))
    }
  }

  /// Returns the record of a loss: 1 if a newer version has to read what is there, 2 if a group may or may not have had
  /// it, 0 otherwise; and the message.
  static func lossRecord(_ error: FlowStoreError, isOfGroup: Bool = false) -> [UInt8] {
    [error.code == .unsupportedFormat ? 1 : isOfGroup ? 2 : 0] + Array(error.message.utf8)
  }

  private static func loss(_ content: ArraySlice<UInt8>, in group: UInt64) -> Loss {
    let error = FlowStoreError(
      content.first == 1 ? .unsupportedFormat : .corrupted, String(decoding: content.dropFirst(), as: UTF8.self))
    return Loss(error: error, group: group, isOfGroup: content.first == 2)
  }
}
