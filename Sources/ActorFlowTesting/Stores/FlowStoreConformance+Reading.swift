import ActorFlow
import ActorFlowHosting

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
      let both = TaskQuery(assignee: "ann", prompt: "P", definition: "two", dueBefore: later)
      try store.expect(try await found(both), ["3"], "tasks by everything")
      try store.expect(try await store.allTasks(both).first?.flow, "b", "the flow of a task")
      try store.expect(try await store.allTasks(both).first?.definition, "two", "the definition of a task")
    },
    Check("flows are found by definition, version, status, step, label and due time") { store in
      try await filters(store)
    },
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

  private static func tasks(_ store: CheckedStore) async throws {
    let found = { (assignee: String) in
      try await store.allTasks(TaskQuery(assignee: assignee), limit: 2).map { "\($0.flow) \($0.task.question)" }
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
