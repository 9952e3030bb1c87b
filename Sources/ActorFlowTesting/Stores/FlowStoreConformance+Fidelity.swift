import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Values that a database changes on the way, if its columns have the wrong type or collation.
extension FlowStoreConformance {
  static let fidelity: [Check] = [
    Check("texts are kept and compared byte by byte") { store in try await texts(store) },
    Check("an empty text is not a missing one, nor is a zero") { store in try await empty(store) },
    Check("numbers have 64 bits, and limits may have any value") { store in try await numbers(store) },
    Check("times are kept to the microsecond, in summer and winter") { store in try await times(store) },
    Check("thousands of questions, labels and entries are kept in order") { store in try await many(store) },
  ]

  /// Texts that a database takes for the same, or for a pattern, if it does not compare bytes.
  private static let names = [
    "a", "A", "a ", " a", "a\t", "a\n", "e", "é", "i", "I", "ı", "ss", "ß", "fi", "ﬁ", "1", "１", "01", "_", "%", "a%",
    "a_", "\\", "a\\", "'", "\"", "null", "NULL", "o\u{308}",
    "ö",
  ]

  private static func texts(_ store: CheckedStore) async throws {
    for (number, name) in names.enumerated() {
      try await store.commit(
        FlowID(name),
        .sample(
          "\(number)", definition: name, tasks: [.sample("q", for: name, prompt: name)],
          labels: [name: "value", "name": name], steps: [StepID("check/\(name)")]), from: 0,
        history: [HistoryEntry(sequence: 1, at: store.time(0), what: name, by: name, detail: name)])
      try await store.store.setNote(StoreNote([UInt8(number)]), under: name, replacing: nil)
    }
    for (number, name) in names.enumerated() {
      let flow = try await store.store.load(FlowID(name))
      let body = flow.map { String(decoding: $0.snapshot.body, as: UTF8.self) }
      try store.expect(body, "\(number)", "the body of the flow '\(name)'")
      try store.expect(
        try await store.store.note(name)?.bytes, [UInt8(number)], "the note under '\(name)'")
      let entry = try await store.store.history(of: FlowID(name), after: 0, limit: 9).first
      let texts = [
        flow?.id.description, flow?.snapshot.definition, flow?.snapshot.labels["name"],
        flow?.snapshot.labels.keys.first { $0 != "name" },
        flow?.snapshot.steps.first?.name,
        flow?.snapshot.tasks.first?.assignees.first, flow?.snapshot.tasks.first?.prompt, entry?.what, entry?.by,
        entry?.detail,
      ]
      // Two texts can be equal and have other bytes.
      for text in texts {
        try store.expect(text.map { Array($0.utf8) }, Array(name.utf8), "the bytes of a text '\(name)'")
      }
      for query in [
        FlowQuery(definition: name), FlowQuery(label: .init(name, "value")), FlowQuery(label: .init("name", name)),
        FlowQuery(step: StepID(name)), FlowQuery(step: StepID("check/\(name)")),
      ] {
        let found = try await store.allFlows(query).map { Array($0.id.description.utf8) }
        try store.expect(found, [Array(name.utf8)], "the flows that match \(query)")
      }
      for query in [TaskQuery(assignees: [name]), TaskQuery(prompt: name), TaskQuery(definition: name)] {
        let found = try await store.allTasks(query).map { Array($0.flow.description.utf8) }
        try store.expect(found, [Array(name.utf8)], "the questions that match \(query)")
      }
    }
    for limit in [1, 4] {
      // A page that ends at "a" must not skip "A".
      let flows = try await store.allFlows(limit: limit).map(\.id.description)
      try store.expect(flows.sorted(), names.sorted(), "all flows in pages of \(limit)")
      let tasks = try await store.allTasks(limit: limit).map(\.flow.description)
      try store.expect(tasks.sorted(), names.sorted(), "all questions in pages of \(limit)")
    }
    for name in names.dropLast() { try await store.store.delete(FlowID(name), expecting: Revision(1), fence: nil) }
    try store.expect(
      try await store.allFlows().map(\.id.description), names.suffix(1), "the flows after all others were deleted")
  }

  private static func empty(_ store: CheckedStore) async throws {
    let epoch = Date(timeIntervalSince1970: 0)
    let history = [
      HistoryEntry(sequence: 1, at: epoch, what: "a", step: nil, by: nil, detail: nil),
      HistoryEntry(sequence: 2, at: epoch, what: "b", step: "check/step", by: "", detail: ""),
      HistoryEntry(sequence: 3, at: epoch, what: "c", step: nil, by: "ann", detail: nil),
    ]
    let tasks = [
      OpenTask(question: "1", step: "check/step", prompt: "P", assignees: [], due: nil, askedAt: epoch),
      OpenTask(question: "2", step: "check/step", prompt: "P", assignees: [""], due: epoch, askedAt: epoch),
    ]
    var snapshot = FlowSnapshot.sample(
      "", wakeAt: epoch, startedAt: epoch, tasks: tasks, labels: ["empty": "", "none": "none"])
    let with = try await store.commit("with", snapshot, from: 0, history: history)
    (snapshot.wakeAt, snapshot.startedAt, snapshot.tasks, snapshot.labels, snapshot.steps) = (nil, nil, [], [:], [])
    let without = try await store.commit("without", snapshot, from: 0)
    for flow in [with, without] { try await store.unchanged(flow.id, flow, "with empty texts") }
    try store.expect(with.snapshot.wakeAt, epoch, "a time of zero")
    try store.expect(with.snapshot.startedAt, epoch, "a start at the time zero")
    try store.expect(with.snapshot.tasks, tasks, "questions with and without assignees")
    try store.expect(try await store.store.history(of: "with", after: 0, limit: 9), history, "the history")
    let found = { (query: FlowQuery) in try await store.allFlows(query).map(\.id) }
    try store.expect(try await found(FlowQuery(label: .init("empty", ""))), ["with"], "flows of an empty label")
    try store.expect(try await found(FlowQuery(label: .init("none", ""))), [], "flows of a label with another value")
    try store.expect(try await found(FlowQuery(label: .init("other", ""))), [], "flows of a missing label")
    try store.expect(try await found(FlowQuery(dueBefore: store.time(0))), ["with"], "flows due at the time zero")
    try store.expect(
      try await found(FlowQuery(startedBefore: store.time(0))), ["with"], "flows started at the time zero")
    let asked = { (query: TaskQuery) in try await store.allTasks(query).map(\.task.question) }
    try store.expect(try await asked(TaskQuery(assignees: [""])), ["2"], "questions of an assignee without a name")
    try store.expect(try await asked(TaskQuery(dueBefore: store.time(0))), ["2"], "questions due at the time zero")
  }

  private static func numbers(_ store: CheckedStore) async throws {
    let large = 5_000_000_000
    let (first, second) = (HistoryEntry.sample(large), HistoryEntry.sample(large + 1))
    let flow = try await store.commit("flow", .sample(version: large), from: 0, history: [first, second])
    try await store.unchanged("flow", flow, "a version of more than 32 bits")
    try store.expect(flow.snapshot.version, large, "the version")
    try store.expect(try await store.allFlows(FlowQuery(version: large)).count, 1, "flows of a version")
    let cut = Int(UInt32(truncatingIfNeeded: large))
    try store.expect(try await store.allFlows(FlowQuery(version: cut)), [], "flows of the version cut to 32 bits")
    let read = { try await store.store.history(of: "flow", after: $0, limit: $1) }
    try store.expect(try await read(large - 1, 9), [first, second], "the history before large numbers")
    try store.expect(try await read(large, 9), [second], "the history between large numbers")
    try store.expect(try await read(.max, 9), [], "the history after the greatest number")
    // Revisions that become 0 and 1 when they are cut to 32 bits.
    for wrong in [1 << 32, 1 << 32 + 1, Int.max, -1] {
      try await store.refused(.conflict, what: "a commit from the revision \(wrong) of 1") {
        try await store.commit("flow", .sample("wrong"), from: wrong)
      }
      try await store.refused(.conflict, what: "a commit from the revision \(wrong) of a missing flow") {
        try await store.commit("missing", .sample("wrong"), from: wrong)
      }
      try await store.refused(.conflict, what: "a delete of the revision \(wrong) of 1") {
        try await store.store.delete("flow", expecting: Revision(wrong), fence: nil)
      }
    }
    try await store.unchanged("flow", flow, "after refused writes")
    try await store.commit("other", .sample(tasks: [.sample("1"), .sample("2")]), from: 0)
    for (limit, count) in [(Int.max, 2), (Int.max - 1, 2), (1 << 32, 2), (1, 1), (0, 1), (-1, 1), (Int.min, 1)] {
      let flows = try await store.store.list(FlowQuery(), after: nil, limit: limit).flows
      try store.expect(flows.count, count, "the flows on a page with the limit \(limit)")
      let tasks = try await store.store.tasks(TaskQuery(), after: nil, limit: limit).tasks
      try store.expect(tasks.count, count, "the questions on a page with the limit \(limit)")
      try store.expect(try await read(0, limit).count, count, "the entries read with the limit \(limit)")
    }
  }

  /// Returns a time of whole microseconds.
  private static func time(_ seconds: Int64, _ microseconds: Int64) -> Date {
    Date(microseconds: seconds * 1_000_000 + microseconds)
  }

  /// Times in winter and summer, in the hours in which clocks are changed, and before and after the range of 32 bits.
  private static let instants = [
    time(1_767_225_600, 123_456), time(1_767_225_600, 999_999), time(1_783_425_600, 1),
    time(1_774_746_000 + 1_800, 7), time(1_792_886_400 + 1_800, 8), time(1_792_890_000 + 1_800, 9),
    time(1_772_953_200 + 1_800, 10), time(1_793_509_200 + 1_800, 11), time(1_793_512_800 + 1_800, 12),
    time(-1, 999_999), time(-1_500_000_000, 250_001), time(2_500_000_000, 500_001), time(32_000_000_000, 0),
  ]

  private static func times(_ store: CheckedStore) async throws {
    for (number, instant) in instants.enumerated() {
      let id = FlowID("\(number)")
      let task = OpenTask(
        question: "q", step: "check/step", prompt: "\(number)", assignees: ["\(number)"], due: instant, askedAt: instant
      )
      let snapshot = FlowSnapshot.sample(
        definition: "\(number)", wakeAt: instant, startedAt: instant, tasks: [task])
      // The order of entries is that of their numbers, whatever their times.
      let history = (1...3).map { HistoryEntry.sample($0) }.map { entry in
        var entry = entry
        entry.at = Date(microseconds: instant.microseconds - Int64(entry.sequence) * 1_000_000)
        return entry
      }
      let written = try await store.commit(id, snapshot, from: 0, history: history)
      try store.expect(written.snapshot, snapshot, "a snapshot with the time \(instant)")
      try await store.unchanged(id, written, "a flow with the time \(instant)")
      try store.expect(
        try await store.store.history(of: id, after: 0, limit: 9), history, "the history before \(instant)")
      try await store.store.setNote(StoreNote([], until: instant), under: "\(number)", replacing: nil)
      // Only a store that keeps the time as it is can replace the note.
      try await store.store.setNote(nil, under: "\(number)", replacing: StoreNote([], until: instant))
      guard instant != instants.last else { continue }
      let next = Date(microseconds: instant.microseconds + 1)
      for (end, count) in [(instant, 0), (next, 1)] {
        let flows = try await store.allFlows(FlowQuery(definition: "\(number)", dueBefore: end))
        try store.expect(flows.count, count, "the flows of the time \(instant) that are due before \(end)")
        let started = try await store.allFlows(FlowQuery(definition: "\(number)", startedBefore: end))
        try store.expect(started.count, count, "the flows that started at \(instant), before \(end)")
        let tasks = try await store.allTasks(TaskQuery(definition: "\(number)", dueBefore: end))
        try store.expect(tasks.count, count, "the questions of the time \(instant) that are due before \(end)")
      }
    }
  }

  private static func many(_ store: CheckedStore) async throws {
    // Not in the order of their names.
    let tasks = (0..<1_500).map { OpenTask.sample("q\($0 * 7 % 1_500)", for: "z", "ann", "m\($0)") }
    let labels = Dictionary(uniqueKeysWithValues: (0..<400).map { ("label \($0)", "value \($0)") })
    let steps = (0..<50).map { StepID("check/step \($0 * 7 % 50)") }
    let first = FlowSnapshot.sample(tasks: tasks, labels: labels, steps: steps)
    let history = (1...3_000).map { HistoryEntry.sample($0) }
    let written = try await store.commit("flow", first, from: 0, history: history)
    try store.expect(written.snapshot == first, "the snapshot that the commit returned is another")
    try store.expect(try await store.store.load("flow") == written, "the snapshot that was loaded is another")
    let listed = try await store.allTasks().map(\.task.question)
    try store.expect(listed.count, 1_500, "how many questions are listed")
    try store.expect(Set(listed), Set(tasks.map(\.question)), "the questions that are listed")
    try store.expect(
      try await store.store.history(of: "flow", after: 0, limit: 9_999) == history, "the history is another")
    let second = try await store.commit("flow", .sample(tasks: [tasks[3]]), from: 1)
    try await store.unchanged("flow", second, "after most questions were answered")
    try store.expect(try await store.allFlows(FlowQuery(label: .init("label 399", "value 399"))), [], "flows by label")
  }
}
