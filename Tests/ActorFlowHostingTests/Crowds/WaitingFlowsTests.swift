import ActorFlow
import ActorFlowTesting
import Testing

@testable import ActorFlowHosting

@Suite("Many waiting flows", .timeLimit(.minutes(15))) struct WaitingFlowsTests {
  #if THREAD_SANITIZER
    private static let count = 2_000
  #else
    private static let count = 20_000
  #endif
  /// One flow in this many belongs to Ann.
  private static let stride = count * 7 / 20
  private static let anns = (0...2).map { "a-\($0 * stride + 3)" }.sorted()

  /// Asks one person for approval.
  private actor Approver: FlowStep {
    static let alive = Lock(0)

    init() { Self.alive.withLock { $0 += 1 } }
    deinit { Self.alive.withLock { $0 -= 1 } }

    func proceed(_ assignee: String, context: StepContext) async throws -> Bool {
      try await context.ask(Approval(amount: 1, assignees: [assignee], due: nil)).isApproved
    }

    func backUp(context: RollbackContext) {}
  }

  @Test("none of the waiting flows is in memory, and a person's inbox visits that person's questions only")
  func waiting() async throws {
    let store = MemoryFlowStore()
    let host = FlowHost(store: store)
    let flows = try await host.register(Flow<String, Bool>("approval") { Step("approve", Approver.init) })
    try await withThrowingTaskGroup { group in
      for part in 0..<4 {
        group.addTask {
          for number in Swift.stride(from: part, to: Self.count, by: 4) {
            let assignee = number % Self.stride == 3 ? "ann" : "person \(number % (Self.count / 40))"
            try await flows.start(id: FlowID("a-\(number)"), with: assignee)
          }
        }
      }
      try await group.waitForAll()
    }
    await host.isQuiet()
    // No flow is in memory, so the host has no coordinator, no task and no step of one.
    #expect(await host.atWork == [])
    // A thread that has just left an actor may hold it a moment longer.
    for _ in 0..<100_000 where Approver.alive.withLock({ $0 }) > 0 { await Task.yield() }
    #expect(Approver.alive.withLock { $0 } == 0)
    let waiting = try await host.list(FlowQuery(status: [.waiting]), limit: Self.count + 1).flows.count
    #expect(waiting == Self.count)

    let inbox = try await host.tasks(TaskQuery(assignees: ["ann"]))
    #expect(inbox.tasks.map(\.flow.description) == Self.anns)
    var visited: [String] = []
    var index = store.state.withLock { $0.index }
    _ = try index.tasks(TaskQuery(assignees: ["ann"]), after: nil, limit: 100) { visited.append($0.flow.text) }
    #expect(visited == Self.anns)
    visited = []
    _ = try index.tasks(TaskQuery(assignees: ["person 7"]), after: nil, limit: 10) { visited.append($0.flow.text) }
    #expect(visited.count == 11, "the page, and one to see that there is more")
    for order in TaskQuery.Order.allCases {
      visited = []
      let names = ["person 7", "ann", "person 8"]
      let page = try index.tasks(TaskQuery(assignees: names, order: order), after: nil, limit: 10) {
        visited.append($0.flow.text)
      }
      #expect(page.tasks.count == 10)
      #expect(visited.count == 11, "the page of an inbox by \(order), and one to see that there is more")
    }

    // Each of them can continue.
    for id in Self.anns.dropLast().map(FlowID.init(_:)) {
      let question = try #require(try await host.flow(id).view().questions.first?.id)
      try await host.flow(id).answer(question, json: #"{"isApproved":true}"#.utf8, by: Principal(id: "ann"))
      _ = try await host.flow(id).settled()
      #expect(try await flows.outcome(of: id) == .finished(true))
    }
    #expect(try await host.tasks(TaskQuery(assignees: ["ann"])).tasks.map(\.flow.description) == Self.anns.suffix(1))
  }
}
