import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Inboxes in the orders that people want them in.
extension FlowStoreConformance {
  static let ordering: [Check] = [
    Check("an inbox has the order that it was asked for") { store in try await orders(store) },
    Check("pages of an inbox in the order of times, while others come and go") { store in
      try await pages(store, by: .due)
      try await pages(store, by: .asked)
    },
    Check("the cursor of an inbox has no secret digits, and no question is missed or comes twice") { store in
      for order in TaskQuery.Order.allCases { try await secretDigits(store, by: order) }
    },
    Check("the cursor of another order is refused") { store in
      for name in ["a", "b"] {
        try await store.commit(FlowID(name), .sample(tasks: [.sample("q", for: "ann", due: store.time(9))]), from: 0)
      }
      for order in TaskQuery.Order.allCases {
        let cursor = try await store.store.tasks(TaskQuery(order: order), after: nil, limit: 1).cursor
        for other in TaskQuery.Order.allCases where other != order {
          try await store.refused(.notFound, what: "a page by \(other) behind a page by \(order)") {
            _ = try await store.store.tasks(TaskQuery(order: other), after: cursor, limit: 1)
          }
        }
      }
    },
  ]

  private struct Placed {
    let flow: Int
    var task: OpenTask
  }

  /// Returns questions as a list in the order must have them; they are passed in the order of flows.
  private static func sorted(_ all: [Placed], by order: TaskQuery.Order) -> [Placed] {
    all.enumerated().sorted { left, right in
      let times = [left, right].map { order.time(of: $0.element.task)?.microseconds }
      guard times[0] != times[1] else { return left.offset < right.offset }
      guard let first = times[0], let second = times[1] else { return times[1] == nil }
      return first < second
    }.map(\.element)
  }

  private static func orders(_ store: CheckedStore) async throws {
    let start = store.time(100)
    var all: [Placed] = []
    for flow in 0..<5 {
      for number in 0..<4 {
        let place = flow * 4 + number
        let people = ["ann", "clerks"].enumerated().filter { place >> $0.offset & 1 == 1 }.map(\.element)
        // Times that several have, in one flow and in others, and questions that are due at no time.
        let due = place % 3 == 0 ? nil : start.addingTimeInterval(Double(place * 7 % 5))
        let asked = start.addingTimeInterval(-Double(place * 5 % 6))
        all.append(Placed(flow: flow, task: .sample("\(number)", people: people, due: due, asked: asked)))
      }
    }
    func write(_ flow: Int, from revision: Int) async throws {
      let tasks = all.filter { $0.flow == flow }.map(\.task)
      try await store.commit(FlowID("\(flow)"), .sample(tasks: tasks), from: revision)
    }
    func compare(_ what: String) async throws {
      for order in TaskQuery.Order.allCases {
        for names in [nil, ["ann"], ["clerks", "ann"]] as [[String]?] {
          let wanted = all.filter { placed in
            names.map { names in placed.task.assignees.contains { names.contains($0) } } ?? true
          }
          let expected = sorted(wanted, by: order).map { "\($0.flow) \($0.task.question)" }
          for limit in [1, 3, 100] {
            let query = TaskQuery(assignees: names, order: order)
            let found = try await store.allTasks(query, limit: limit).map { "\($0.flow) \($0.task.question)" }
            try store.expect(found, expected, "the list of \(query), in pages of \(limit), \(what)")
          }
        }
      }
    }
    for flow in 0..<5 { try await write(flow, from: 0) }
    try await compare("after the first commits")
    // Times come, go and move; a question is answered, and one is assigned to another person.
    all[1].task.due = nil
    all[3].task.due = start.addingTimeInterval(2)
    all[2].task.askedAt = start.addingTimeInterval(9)
    try await write(0, from: 1)
    all[9].task.assignees = ["clerks"]
    all.remove(at: 8)
    try await write(2, from: 1)
    all.removeAll { $0.flow == 4 }
    try await store.store.delete("4", expecting: Revision(1), fence: nil)
    try await compare("after updates")
    let due = start.addingTimeInterval(3)
    let early = TaskQuery(assignees: ["ann", "clerks"], dueBefore: due, order: .due)
    let expected = sorted(all, by: .due).filter { !$0.task.assignees.isEmpty && $0.task.due.map { $0 < due } ?? false }
    try store.expect(
      try await store.allTasks(early, limit: 2).map(\.task), expected.map(\.task), "the list of \(early)")
  }

  /// Reads pages of one question whose id has secret digits, some of which are closed as soon as they were read.
  private static func secretDigits(_ store: CheckedStore, by order: TaskQuery.Order) async throws {
    let flow = FlowID("\(order)")
    // Digits that are low and high, so that the order of the ids does not depend on them.
    var open = (1...12).map { number in
      let digits = RandomBits(high: number % 2 == 0 ? 0 : .max, low: UInt64(number))
      let id = Question.ID(flow: flow, run: 1, number: number, token: digits)
      return OpenTask.sample("\(id)", people: ["ann"], due: number % 3 == 0 ? nil : store.time(50))
    }
    let expected = open.map(\.question)
    try await store.commit(flow, .sample(definition: "\(order)", tasks: open), from: 0)
    let query = TaskQuery(assignees: ["ann"], definition: "\(order)", order: order)
    var found: [String] = []
    var cursor: String?
    repeat {
      let page = try await store.store.tasks(query, after: cursor, limit: 1)
      cursor = page.cursor
      guard let question = page.tasks.first?.task.question else { break }
      found.append(question)
      for task in open {
        guard let digits = Question.ID(task.question)?.token?.description else { continue }
        try store.expect(cursor?.contains(digits) != true, "the cursor of a page by \(order) has secret digits")
      }
      if found.count % 2 == 0 {
        open.removeAll { $0.question == question }
        try await store.commit(flow, .sample(definition: "\(order)", tasks: open), from: found.count / 2)
      }
    } while cursor != nil && found.count < 20
    try store.expect(Set(found), Set(expected), "the questions on the pages by \(order)")
    try store.expect(found.count, expected.count, "the number of questions on the pages by \(order)")
  }

  private static func pages(_ store: CheckedStore, by order: TaskQuery.Order) async throws {
    let start = store.time(100)
    func task(_ number: Int) -> OpenTask {
      let time = start.addingTimeInterval(Double(number * 7 % 10))
      let people = number % 3 == 0 ? ["ann", "clerks"] : number % 3 == 1 ? ["ann"] : ["clerks"]
      return .sample("q", people: people, due: number % 4 == 0 ? nil : time, asked: time)
    }
    let kept = (0..<24).map { "\(order) kept \($0)" }
    let gone = (0..<24).map { "\(order) gone \($0)" }
    for (number, name) in kept.enumerated() {
      try await store.commit(FlowID(name), .sample(definition: "\(order)", tasks: [task(number)]), from: 0)
      try await store.commit(FlowID(gone[number]), .sample(definition: "\(order)", tasks: [task(number)]), from: 0)
    }
    let query = TaskQuery(assignees: ["ann", "clerks"], definition: "\(order)", order: order)
    var found: [TaskSummary] = []
    var cursor: String?
    var turn = 0
    repeat {
      let page = try await store.store.tasks(query, after: cursor, limit: 3)
      found += page.tasks
      cursor = page.cursor
      if turn < gone.count {
        try await store.store.delete(FlowID(gone[turn]), expecting: Revision(1), fence: nil)
        for number in [turn, turn + 31] {
          try await store.commit(
            FlowID("\(order) new \(number)"), .sample(definition: "\(order)", tasks: [task(number)]), from: 0)
        }
      }
      turn += 1
    } while cursor != nil && turn < 200
    try store.expect(cursor == nil, "a short list has no end after 200 pages")
    let names = found.map(\.flow.description)
    try store.expect(Set(names).count, names.count, "the number of different questions on the pages by \(order)")
    let missed = Set(kept).subtracting(names)
    try store.expect(missed.isEmpty, "pages by \(order) miss \(missed.sorted()), which were there all the time")
    // A question that comes later may be behind the cursor of a part, and before that of another one.
    let ordered = store.harness.isInParts ? found.filter { kept.contains($0.flow.description) } : found
    let times = ordered.map { order.time(of: $0.task)?.microseconds ?? .max }
    try store.expect(times, times.sorted(), "the times of the questions on the pages by \(order)")
  }
}
