import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowStoreConformance {
  static let reading: [Check] = [
    Check("tasks by assignee follow updates") { store in try await tasks(store) },
    Check("tasks are found by prompt, definition and due time") { store in
      // Taken once, because the store's present may go by a second in between.
      let (due, later) = (store.time(20), store.time(21))
      try await store.commit(
        "a",
        .sample(definition: "one", tasks: [.sample("1", for: "ann", due: store.time(10)), .sample("2", prompt: "P")]),
        from: 0)
      try await store.commit(
        "b", .sample(definition: "two", tasks: [.sample("3", for: "ann", due: due, prompt: "P")]), from: 0)
      let found = { (query: TaskQuery) in try await store.allTasks(query, limit: 1).map(\.task.question) }
      try store.expect(try await found(TaskQuery()), ["1", "2", "3"], "all tasks")
      try store.expect(try await found(TaskQuery(prompt: "P")), ["2", "3"], "tasks of a prompt")
      try store.expect(try await found(TaskQuery(definition: "one")), ["1", "2"], "tasks of a definition")
      try store.expect(try await found(TaskQuery(dueBefore: due)), ["1"], "tasks that are due")
      let both = TaskQuery(assignees: ["ann"], prompt: "P", definition: "two", dueBefore: later)
      try store.expect(try await found(both), ["3"], "tasks by everything")
      try store.expect(try await store.allTasks(both).first?.flow, "b", "the flow of a task")
      try store.expect(try await store.allTasks(both).first?.definition, "two", "the definition of a task")
    },
    Check("flows are found by definition, version, status, step, label and due time") { store in
      try await filters(store)
    },
    Check("an inbox of several people and groups has each question once") { store in try await groups(store) },
    Check("questions are found by a label of their flow, and show its labels") { store in try await labels(store) },
    Check("flows whose rollback failed are found") { store in
      var failed = FlowSnapshot.sample(status: .failed)
      failed.rollbackFailed = true
      try await store.commit("a", failed, from: 0)
      try await store.commit("b", .sample(status: .failed), from: 0)
      try await store.commit("c", failed, from: 0)
      let found = { (query: FlowQuery) in
        try await store.allFlows(query, limit: 1).map(\.id.description).sorted().joined()
      }
      try store.expect(try await found(FlowQuery(rollbackFailed: true)), "ac", "flows whose rollback failed")
      try store.expect(try await found(FlowQuery(rollbackFailed: false)), "b", "flows whose rollback did not fail")
      // The operator has retried the rollback of one.
      try await store.commit("a", .sample(status: .failed), from: 1)
      try store.expect(try await found(FlowQuery(rollbackFailed: true)), "c", "flows whose rollback still fails")
      let some = FlowQuery(definition: "check", status: [.failed], rollbackFailed: false)
      try store.expect(try await found(some), "ab", "failed flows of a definition whose rollback did not fail")
    },
    Check("flows are found by the time of their last commit", needs: [.clock]) { store in
      let statuses: [FlowSnapshot.Status] = [.waiting, .finished, .failed]
      var times: [Date] = []
      for (number, status) in statuses.enumerated() {
        times.append(try await store.commit(FlowID("\(number)"), .sample(status: status), from: 0).changedAt)
        try await store.advance(by: .seconds(100))
      }
      let found = { (query: FlowQuery) in
        try await store.allFlows(query, limit: 1).map(\.id.description).sorted().joined()
      }
      for (number, time) in times.enumerated() {
        let before = ["", "0", "01"][number]
        try store.expect(try await found(FlowQuery(changedBefore: time)), before, "flows changed before \(time)")
        let later = time.addingTimeInterval(0.000_01)
        try store.expect(
          try await found(FlowQuery(changedBefore: later)), before + "\(number)", "flows changed before \(later)")
      }
      try await store.commit("1", .sample(status: .finished), from: 1)
      let ended = FlowQuery(status: [.finished, .failed], changedBefore: store.time(-50))
      try store.expect(try await found(ended), "2", "ended flows, after one of them was changed again")
    },
    Check("flows are found by the time of their start, if their rows have it") { store in try await starts(store) },
    Check("a count is that of the list, up to its limit") { store in try await counts(store) },
    Check("lists follow updates") { store in
      try await store.commit("flow", .sample(definition: "old", labels: ["a": "1", "b": "1"]), from: 0)
      let second = try await store.commit(
        "flow", .sample(definition: "new", version: 2, status: .finished, labels: ["a": "2"]), from: 1)
      try await store.unchanged("flow", second, "after the update")
      for query in [
        FlowQuery(definition: "old"), FlowQuery(label: .init("a", "1")), FlowQuery(label: .init("b", "1")),
        FlowQuery(status: [.waiting]),
      ] {
        try store.expect(try await store.allFlows(query), [], "flows found by their old properties")
      }
      for query in [FlowQuery(definition: "new"), FlowQuery(label: .init("a", "2")), FlowQuery(status: [.finished])] {
        try store.expect(try await store.allFlows(query), [FlowSummary(second)], "flows found by their new properties")
      }
    },
    Check("a foreign cursor is refused") { store in
      try await store.refused(.notFound, what: "a list") {
        _ = try await store.store.list(FlowQuery(), after: "\u{1}no cursor", limit: 1)
      }
      try await store.refused(.notFound, what: "a list of tasks") {
        _ = try await store.store.tasks(TaskQuery(), after: "\u{1}no cursor", limit: 1)
      }
    },
  ]

  private static func starts(_ store: CheckedStore) async throws {
    let (first, second) = (store.time(-20), store.time(-10))
    try await store.commit("a", .sample(startedAt: first, labels: ["k": "v"]), from: 0)
    try await store.commit("b", .sample(definition: "other", status: .finished, startedAt: second), from: 0)
    try await store.commit("c", .sample(startedAt: nil), from: 0)
    let found = { (query: FlowQuery) in
      try await store.allFlows(query, limit: 1).map(\.id.description).sorted().joined()
    }
    let (afterFirst, afterSecond) = (first.addingTimeInterval(0.000_01), second.addingTimeInterval(0.000_01))
    for (time, expected) in [(first, ""), (afterFirst, "a"), (second, "a"), (afterSecond, "ab")] {
      try store.expect(try await found(FlowQuery(startedBefore: time)), expected, "flows started before \(time)")
    }
    for query in [FlowQuery(definition: "other"), FlowQuery(status: [.finished])] {
      var query = query
      query.startedBefore = afterSecond
      try store.expect(try await found(query), "b", "flows that match \(query)")
    }
    let label = FlowQuery.Label("k", "v")
    try store.expect(
      try await found(FlowQuery(label: label, startedBefore: afterFirst)), "a", "flows of a label and a start")
    try store.expect(
      try await store.allFlows(FlowQuery(label: label)).first?.startedAt, first, "the start of a flow in a list")
    // A row for earlier versions may have no place for the time, and gets it with a later commit.
    var older = FlowSnapshot.sample(startedAt: first)
    older.format = 9
    let written = try await store.commit("d", older, from: 0)
    try store.expect(written.snapshot.startedAt ?? first, first, "the start of a flow in a row for earlier versions")
    try await store.unchanged("d", written, "a row for earlier versions")
    let again = try await store.commit("a", .sample("two", startedAt: first), from: 1)
    try await store.unchanged("a", again, "after a later commit")
    let raised = try await store.commit("d", .sample("two", startedAt: first), from: 1)
    try await store.unchanged("d", raised, "after the first commit with a start")
    try store.expect(try await found(FlowQuery(startedBefore: afterFirst)), "ad", "flows with a start, after commits")
    try await store.store.delete("a", expecting: Revision(2), fence: nil)
    try await store.commit("a", .sample("new", startedAt: second), from: 0)
    try store.expect(try await found(FlowQuery(startedBefore: second)), "d", "flows after one was started again")
  }

  private static func tasks(_ store: CheckedStore) async throws {
    let found = { (assignee: String) in
      try await store.allTasks(TaskQuery(assignees: [assignee]), limit: 2).map { "\($0.flow) \($0.task.question)" }
    }
    for name in ["c", "a", "b"] {
      let tasks: [OpenTask] = [.sample("1", for: "ann", "bob"), .sample("2", for: "ann")]
      try await store.commit(FlowID(name), .sample(tasks: tasks), from: 0)
    }
    try store.expect(try await found("ann").sorted(), ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2"], "the tasks of ann")
    try store.expect(try await found("bob").sorted(), ["a 1", "b 1", "c 1"], "the tasks of bob")
    try store.expect(try await found("an"), [], "the tasks of an unknown assignee")
    // Reassign, answer, replace, end and delete.
    try await store.commit("a", .sample(tasks: [.sample("1", for: "eve"), .sample("2", for: "ann")]), from: 1)
    try await store.commit("b", .sample(tasks: [.sample("2", for: "ann"), .sample("3", for: "bob")]), from: 1)
    try await store.commit("c", .sample(status: .finished), from: 1)
    try store.expect(try await found("ann").sorted(), ["a 2", "b 2"], "the tasks of ann after updates")
    try store.expect(try await found("bob"), ["b 3"], "the tasks of bob after updates")
    try store.expect(try await found("eve"), ["a 1"], "the tasks of eve after updates")
    try await store.refused(.conflict, what: "a stale commit") {
      try await store.commit("a", .sample(tasks: [.sample("9", for: "eve")]), from: 1)
    }
    try store.expect(try await found("eve"), ["a 1"], "the tasks of eve after a refused commit")
    try await store.store.delete("a", expecting: Revision(2), fence: nil)
    try store.expect(try await found("eve"), [], "the tasks of eve after the delete")
    try store.expect(try await found("ann"), ["b 2"], "the tasks of ann after the delete")
  }

  private static func groups(_ store: CheckedStore) async throws {
    let all = (0..<12).map { number in
      let people = ["ann", "bob", "clerks", "office"].enumerated().filter { number >> $0.offset & 1 == 1 }
        .map(\.element)
      return (flow: FlowID("\(number / 2)"), task: OpenTask.sample("\(number)", people: people))
    }
    for number in stride(from: 0, to: all.count, by: 2) {
      try await store.commit(all[number].flow, .sample(tasks: [all[number].task, all[number + 1].task]), from: 0)
    }
    for names in [
      ["ann", "bob"], ["bob", "ann"], ["ann", "clerks", "office"], ["ann", "ann"], ["eve", "bob"], ["eve", "fay"], [],
    ] {
      let expected = all.filter { $0.task.assignees.contains { names.contains($0) } }.map(\.task.question)
      for limit in [1, 3, 100] {
        let found = try await store.allTasks(TaskQuery(assignees: names), limit: limit).map(\.task.question)
        try store.expect(found, expected, "the questions of \(names), in pages of \(limit)")
      }
    }
    // A question without assignees is in the list of all people, and in no inbox.
    try store.expect(try await store.allTasks(TaskQuery(), limit: 5).count, 12, "the questions of all people")
    let some = TaskQuery(assignees: ["ann", "bob"], definition: "check")
    try store.expect(try await store.allTasks(some, limit: 2).count, 9, "the questions of two people, by definition")
  }

  private static func labels(_ store: CheckedStore) async throws {
    let task = OpenTask.sample("q", for: "ann", "clerks")
    for (id, labels) in [("a", ["k": "v", "x": "y"]), ("b", ["k": "w"]), ("c", ["v": "k"]), ("d", ["k": "v"])] {
      try await store.commit(FlowID(id), .sample(tasks: [task], labels: labels), from: 0)
    }
    let found = { (query: TaskQuery) in
      try await store.allTasks(query, limit: 1).map(\.flow.description).joined()
    }
    let label = FlowQuery.Label("k", "v")
    try store.expect(try await found(TaskQuery(label: label)), "ad", "questions of flows with a label")
    for names in [["ann"], ["ann", "clerks"]] {
      let query = TaskQuery(assignees: names, label: label)
      try store.expect(try await found(query), "ad", "questions of \(names) in flows with a label")
      try store.expect(
        try await store.allTasks(query).first?.labels, ["k": "v", "x": "y"], "the labels of a question's flow")
    }
    try store.expect(
      try await found(TaskQuery(assignees: ["eve"], label: label)), "", "questions of another person, with a label")
    // Only the labels change.
    try await store.commit("a", .sample(tasks: [task], labels: ["k": "w"]), from: 1)
    try await store.commit("c", .sample(tasks: [task], labels: ["k": "v"]), from: 1)
    try store.expect(try await found(TaskQuery(label: label)), "cd", "questions of flows with a label, after updates")
    try store.expect(
      try await store.allTasks().first { $0.flow == "a" }?.labels, ["k": "w"], "the labels after an update")
  }

  private static func counts(_ store: CheckedStore) async throws {
    let (due, later) = (store.time(20), store.time(999))
    for number in 0..<9 {
      let people = ["ann", "clerks"].enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element)
      var snapshot = FlowSnapshot.sample(
        definition: number < 6 ? "one" : "two", version: number % 2, status: number % 3 == 0 ? .failed : .waiting,
        wakeAt: number % 2 == 0 ? due : nil, startedAt: number % 4 == 0 ? nil : due,
        tasks: [.sample("1", people: people, due: number < 4 ? due : nil), .sample("2", for: "eve", prompt: "Other")],
        labels: ["k": number < 5 ? "v" : "w"], steps: [number < 2 ? "check/step" : "check/other/step", "check/s"])
      snapshot.rollbackFailed = number % 3 == 0
      try await store.commit(FlowID("\(number)"), snapshot, from: 0)
    }
    let flows = [
      FlowQuery(), FlowQuery(definition: "one"), FlowQuery(version: 1), FlowQuery(status: [.failed]),
      FlowQuery(status: []), FlowQuery(step: "step"), FlowQuery(step: "check/step"), FlowQuery(label: .init("k", "v")),
      FlowQuery(dueBefore: due), FlowQuery(dueBefore: later), FlowQuery(rollbackFailed: false),
      FlowQuery(definition: "one", status: [.failed], label: .init("k", "v"), rollbackFailed: true),
      FlowQuery(changedBefore: later), FlowQuery(changedBefore: Date(timeIntervalSince1970: 0)),
      FlowQuery(startedBefore: due), FlowQuery(startedBefore: later),
      FlowQuery(definition: "two", startedBefore: later),
    ]
    let tasks = [
      TaskQuery(), TaskQuery(assignees: ["ann"]), TaskQuery(assignees: ["ann", "clerks", "eve"], order: .due),
      TaskQuery(assignees: ["ann", "ann"], order: .asked), TaskQuery(assignees: []), TaskQuery(prompt: "Other"),
      TaskQuery(definition: "one", label: .init("k", "v")), TaskQuery(dueBefore: later),
      TaskQuery(assignees: ["ann", "clerks"], dueBefore: due), TaskQuery(assignees: ["clerks"], dueBefore: later),
    ]
    for limit in [1, 3, 9, 100, Int.max, 0, -1, Int.min] {
      for query in flows {
        let count = try await store.allFlows(query).count
        try store.expect(
          try await store.store.count(query, upTo: limit), min(count, max(1, limit)),
          "the count of \(query) up to \(limit)")
      }
      for query in tasks {
        let count = try await store.allTasks(query).count
        try store.expect(
          try await store.store.count(query, upTo: limit), min(count, max(1, limit)),
          "the count of \(query) up to \(limit)")
      }
    }
  }

  private static func filters(_ store: CheckedStore) async throws {
    try await store.commit(
      "a", .sample(definition: "one", version: 1, status: .runnable, labels: ["k": "v", "x": "y"], steps: ["one/s/t"]),
      from: 0)
    try await store.commit(
      "b",
      .sample(definition: "one", version: 2, wakeAt: store.time(10), labels: ["k": "w"], steps: ["one/s", "one/u"]),
      from: 0)
    let (due, later) = (store.time(20), store.time(21))
    try await store.commit(
      "c", .sample(definition: "two", version: 2, status: .failed, wakeAt: due, labels: ["k": "v"]), from: 0)
    let found = { (query: FlowQuery) in
      try await store.allFlows(query, limit: 1).map(\.id.description).sorted().joined()
    }
    try store.expect(try await found(FlowQuery()), "abc", "all flows")
    try store.expect(try await found(FlowQuery(definition: "one")), "ab", "flows of a definition")
    try store.expect(try await found(FlowQuery(version: 2)), "bc", "flows of a version")
    try store.expect(try await found(FlowQuery(status: [.runnable, .failed])), "ac", "flows of two statuses")
    try store.expect(try await found(FlowQuery(status: [])), "", "flows of no status")
    try store.expect(try await found(FlowQuery(step: "u")), "b", "flows at a step, by its last part")
    try store.expect(try await found(FlowQuery(step: "one/s")), "b", "flows at a step, by its path")
    try store.expect(try await found(FlowQuery(step: "t")), "a", "flows at a deep step")
    try store.expect(try await found(FlowQuery(label: .init("k", "v"))), "ac", "flows of a label")
    try store.expect(try await found(FlowQuery(label: .init("v", "k"))), "", "flows of a label that no flow has")
    try store.expect(try await found(FlowQuery(dueBefore: due)), "b", "flows that are due")
    let all = FlowQuery(
      definition: "two", version: 2, status: [.failed], step: "step", label: .init("k", "v"), dueBefore: later)
    try store.expect(try await found(all), "c", "flows by everything")
  }
}
