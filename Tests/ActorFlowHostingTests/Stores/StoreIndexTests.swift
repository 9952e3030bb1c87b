import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@Suite struct StoreIndexTests {
  @Test("after random writes a store in memory finds what a scan of all flows finds")
  func memory() async throws {
    let clock = ManualWallClock()
    try await play(MemoryFlowStore(clock: clock), clock, rounds: 3_000) { $0 }
  }

  @Test("after random writes a store on files finds what a scan of all flows finds, also when opened again")
  func files() async throws {
    let folder = try Folder()
    try await play(try await folder.open(), folder.clock, rounds: 400) { store in
      await (store as? FileFlowStore)?.close()
      return try await folder.open()
    }
  }

  private func play(
    _ first: any FlowStore, _ clock: ManualWallClock, rounds: Int, reopen: (any FlowStore) async throws -> any FlowStore
  ) async throws {
    var store = first
    var naive: [FlowID: StoredFlow] = [:]
    var random = SystemRandomNumberGenerator()
    for round in 1...rounds {
      clock.advance(by: .seconds(1))
      let id = FlowID("flow \(Int.random(in: 0..<60, using: &random))")
      let old = naive[id]
      if let old, Int.random(in: 0..<5, using: &random) == 0 {
        try await store.delete(id, expecting: old.revision, fence: nil)
        naive[id] = nil
      } else {
        naive[id] = try await store.commit(
          FlowWrite(Self.snapshot(&random), to: id, expecting: old?.revision ?? .none))
      }
      guard round % (rounds / 10) == 0 else { continue }
      store = try await reopen(store)
      try await compare(store, naive, &random)
    }
  }

  private func compare(
    _ store: any FlowStore, _ naive: [FlowID: StoredFlow], _ random: inout SystemRandomNumberGenerator
  ) async throws {
    for _ in 0..<40 {
      var query = Self.flowQuery(&random)
      query.changedBefore = Self.maybe(&random) { naive.values.randomElement(using: &$0)?.changedAt } ?? nil
      let all = naive.values.map { FlowSummary($0) }.filter { query.matches($0) }
      #expect(try await flows(store, query) == all.sorted { $0.id.description < $1.id.description })
      let limit = Int.random(in: 1...30, using: &random)
      #expect(try await store.count(query, upTo: limit) == min(all.count, limit))
      let tasks = Self.taskQuery(&random)
      let open = naive.values.flatMap { flow in
        flow.snapshot.tasks.map {
          TaskSummary(
            flow: flow.id, definition: flow.snapshot.definition, labels: flow.snapshot.labels, task: $0)
        }
      }
      #expect(try await store.count(tasks, upTo: limit) == min(open.count { tasks.matches($0) }, limit))
      #expect(
        try await self.tasks(store, tasks)
          == open.filter { tasks.matches($0) }.sorted {
            let times = [$0, $1].map { tasks.order == .flow ? 0 : tasks.order.time(of: $0.task)?.microseconds ?? .max }
            return (times[0], $0.flow.description, $0.task.question) < (times[1], $1.flow.description, $1.task.question)
          })
    }
    for id in naive.keys { #expect(try await store.load(id) == naive[id]) }
  }

  private func flows(_ store: any FlowStore, _ query: FlowQuery) async throws -> [FlowSummary] {
    var all: [FlowSummary] = []
    var cursor: String?
    repeat {
      let page = try await store.list(query, after: cursor, limit: 7)
      all += page.flows
      cursor = page.cursor
    } while cursor != nil
    return all
  }

  private func tasks(_ store: any FlowStore, _ query: TaskQuery) async throws -> [TaskSummary] {
    var all: [TaskSummary] = []
    var cursor: String?
    repeat {
      let page = try await store.tasks(query, after: cursor, limit: 7)
      all += page.tasks
      cursor = page.cursor
    } while cursor != nil
    return all
  }

  // MARK: - Random values

  private typealias Random = SystemRandomNumberGenerator

  private static func name(_ prefix: String, _ random: inout Random) -> String {
    prefix + "\(Int.random(in: 0..<3, using: &random))"
  }

  private static func time(_ random: inout Random) -> Date {
    Date(timeIntervalSince1970: Double(Int.random(in: 0..<100, using: &random)))
  }

  private static func maybe<Value>(_ random: inout Random, _ make: (inout Random) -> Value) -> Value? {
    Bool.random(using: &random) ? make(&random) : nil
  }

  private static func snapshot(_ random: inout Random) -> FlowSnapshot {
    let tasks = (0..<Int.random(in: 0..<4, using: &random)).map { number in
      OpenTask(
        question: "q\(number)", step: StepID(name("flow/s", &random)), prompt: name("P", &random),
        assignees: Array(Set((0..<Int.random(in: 0..<3, using: &random)).map { _ in name("ann", &random) })),
        due: maybe(&random, time), askedAt: time(&random))
    }
    return FlowSnapshot(
      definition: name("d", &random), version: Int.random(in: 1...3, using: &random),
      status: FlowSnapshot.Status.allCases.randomElement(using: &random) ?? .waiting,
      rollbackFailed: Bool.random(using: &random),
      steps: [StepID(name("flow/s", &random))],
      labels: [name("k", &random): name("v", &random), "k": name("v", &random)],
      wakeAt: maybe(&random, time), startedAt: maybe(&random, time), tasks: tasks,
      format: maybe(&random) { Int.random(in: 5...10, using: &$0) } ?? FlowSnapshot.newestFormat,
      body: [UInt8.random(in: 0...255, using: &random)])
  }

  private static func flowQuery(_ random: inout Random) -> FlowQuery {
    FlowQuery(
      definition: maybe(&random) { name("d", &$0) }, version: maybe(&random) { Int.random(in: 1...3, using: &$0) },
      status: maybe(&random) { random in
        Set(FlowSnapshot.Status.allCases.filter { _ in Bool.random(using: &random) })
      },
      step: maybe(&random) { StepID(name("s", &$0)) },
      label: maybe(&random, label), dueBefore: maybe(&random, time),
      rollbackFailed: maybe(&random) { Bool.random(using: &$0) }, startedBefore: maybe(&random, time))
  }

  private static func label(_ random: inout Random) -> FlowQuery.Label {
    FlowQuery.Label(name("k", &random), name("v", &random))
  }

  private static func taskQuery(_ random: inout Random) -> TaskQuery {
    TaskQuery(
      assignees: maybe(&random) { random in
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in name("ann", &random) }
      }, prompt: maybe(&random) { name("P", &$0) }, definition: maybe(&random) { name("d", &$0) },
      label: maybe(&random, label), dueBefore: maybe(&random, time),
      order: TaskQuery.Order.allCases.randomElement(using: &random) ?? .flow)
  }
}
