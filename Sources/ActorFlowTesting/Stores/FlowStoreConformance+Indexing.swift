import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Rows beside the flow's own: questions, labels, steps.
extension FlowStoreConformance {
  static let indexing: [Check] = [
    Check("an inbox shows each question as the latest commit has it") { store in try await inbox(store) },
    Check("a new flow has nothing of a deleted one with its id") { store in
      let old = FlowSnapshot.sample(
        "old", definition: "old", status: .runnable, wakeAt: store.time(5), tasks: [.sample("old", for: "ann")],
        labels: ["old": "1"], steps: ["check/old"])
      try await store.commit("flow", old, from: 0, history: [.sample(1, "old"), .sample(2, "old")])
      try await store.store.delete("flow", expecting: Revision(1), fence: nil)
      let new = try await store.commit("flow", .sample("new", labels: ["new": "1"]), from: 0)
      try await store.unchanged("flow", new, "the new flow")
      for query in [
        FlowQuery(definition: "old"), FlowQuery(status: [.runnable]), FlowQuery(step: "old"),
        FlowQuery(label: .init("old", "1")), FlowQuery(dueBefore: store.time(60)),
      ] {
        try store.expect(try await store.allFlows(query), [], "flows that match \(query) after the old one was deleted")
      }
      for query in [TaskQuery(), TaskQuery(assignees: ["ann"]), TaskQuery(definition: "old")] {
        try store.expect(
          try await store.allTasks(query), [], "questions that match \(query) after the old flow was deleted")
      }
      try store.expect(try await store.store.history(of: "flow", after: 0, limit: 9), [], "the new flow's history")
    },
    Check("a flow or a question that matches in several ways is found once") { store in
      let task = OpenTask.sample("q", for: "ann", "bob", "ann")
      try await store.commit(
        "flow", .sample(tasks: [task], labels: ["a": "1", "b": "1"], steps: ["check/a/pay", "check/b/pay"]), from: 0)
      try await store.commit("other", .sample(steps: ["check/repay", "check/pay/b"]), from: 0)
      for query in [FlowQuery(step: "pay"), FlowQuery(step: "check/a/pay"), FlowQuery(label: .init("a", "1"))] {
        for limit in [1, 9] {
          try store.expect(
            try await store.allFlows(query, limit: limit).map(\.id), ["flow"], "the flows that match \(query)")
        }
      }
      for query in [
        TaskQuery(), TaskQuery(assignees: ["ann"]), TaskQuery(assignees: ["bob", "ann"]),
        TaskQuery(definition: "check"),
      ] {
        for limit in [1, 9] {
          try store.expect(
            try await store.allTasks(query, limit: limit).map(\.task), [task], "the questions that match \(query)")
        }
      }
    },
    Check("a filter looks at all flows, not only at the first ones") { store in
      for number in 0..<30 {
        let isLast = number == 29
        try await store.commit(
          FlowID("flow \(number)"),
          .sample(
            definition: isLast ? "wanted" : "check", tasks: [.sample("q", for: isLast ? "ann" : "bob")],
            labels: isLast ? ["wanted": "1"] : [:]), from: 0)
      }
      for query in [FlowQuery(definition: "wanted"), FlowQuery(label: .init("wanted", "1"))] {
        let page = try await store.store.list(query, after: nil, limit: 1)
        try store.expect(page.flows.map(\.id), ["flow 29"], "the first page of flows that match \(query)")
      }
      for query in [TaskQuery(assignees: ["ann"]), TaskQuery(definition: "wanted")] {
        let page = try await store.store.tasks(query, after: nil, limit: 1)
        try store.expect(page.tasks.map(\.flow), ["flow 29"], "the first page of questions that match \(query)")
      }
    },
    Check("the time of a commit is the same whole microsecond for every reader", needs: [.clock]) { store in
      for nanoseconds in [1_400, 350, 850] {
        try await store.advance(by: .nanoseconds(nanoseconds))
        let id = FlowID("\(nanoseconds)")
        let written = try await store.commit(id, .sample(), from: 0)
        let microseconds = written.changedAt.timeIntervalSince1970 * 1e6
        try store.expect(
          abs(microseconds - microseconds.rounded()) < 0.3, "the commit was made at \(microseconds) microseconds")
        let loaded = try store.some(try await store.store.load(id))
        try store.expect(loaded.changedAt, written.changedAt, "the time of the flow as it is loaded")
        let listed = try await store.allFlows().first { $0.id == id }
        try store.expect(listed?.changedAt, written.changedAt, "the time of the flow in a list")
      }
    },
    Check("changedAt is the time of the latest commit, by the store's clock", needs: [.clock]) { store in
      let name = CommitID()
      let first = try await store.commit("flow", .sample("first"), from: 0)
      try store.expect(store.isNow(first.changedAt, plus: 0), "the first commit was made at \(first.changedAt)")
      try await store.advance(by: .seconds(100))
      let second = try await store.commit("flow", .sample("second"), from: 1, as: name)
      try store.expect(store.isNow(second.changedAt, plus: 0), "the second commit was made at \(second.changedAt)")
      try await store.unchanged("flow", second, "after the second commit")
      try await store.advance(by: .seconds(100))
      try await store.refused(.conflict, what: "a stale commit") {
        try await store.commit("flow", .sample("stale"), from: 1)
      }
      try await store.unchanged("flow", second, "after a refused commit")
      let retried = try await store.commit("flow", .sample("second"), from: 1, as: name)
      try store.expect(retried, second, "the flow that a retry returned")
      try await store.unchanged("flow", second, "after a retry")
    },
  ]

  private static func inbox(_ store: CheckedStore) async throws {
    var task = OpenTask.sample("q", for: "ann", due: store.time(10), prompt: "Old")
    try await store.commit("flow", .sample(definition: "old", tasks: [task]), from: 0)
    task.due = store.time(100)
    task.prompt = "New"
    task.step = "check/new"
    task.askedAt = store.time(1)
    let second = try await store.commit("flow", .sample(definition: "new", tasks: [task]), from: 1)
    try await store.unchanged("flow", second, "after the question was changed")
    let found = { (query: TaskQuery) in try await store.allTasks(query) }
    for query in [TaskQuery(definition: "old"), TaskQuery(prompt: "Old"), TaskQuery(dueBefore: store.time(50))] {
      try store.expect(try await found(query), [], "questions found by an old property, \(query)")
    }
    let summary = TaskSummary(flow: "flow", definition: "new", labels: [:], task: task)
    for query in [
      TaskQuery(), TaskQuery(assignees: ["ann"]), TaskQuery(prompt: "New"), TaskQuery(definition: "new"),
      TaskQuery(dueBefore: store.time(101)),
    ] {
      try store.expect(try await found(query), [summary], "questions found by a new property, \(query)")
    }
    // Only the definition changes, as when a flow moves to another version under another name.
    let third = try await store.commit("flow", .sample(definition: "third", tasks: [task]), from: 2)
    try await store.unchanged("flow", third, "after the definition was changed")
    try store.expect(try await found(TaskQuery(definition: "new")), [], "questions found by the definition before")
    try store.expect(
      try await found(TaskQuery(assignees: ["ann"])).map(\.definition), ["third"], "the definition of a question")
    task.due = nil
    try await store.commit("flow", .sample(definition: "third", tasks: [task]), from: 3)
    try store.expect(
      try await found(TaskQuery(dueBefore: store.time(999))), [], "due questions after the due time was removed")
  }
}
