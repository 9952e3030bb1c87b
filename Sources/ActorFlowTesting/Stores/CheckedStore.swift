import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store under check, with short forms for writing and for stating expectations.
struct CheckedStore: Sendable {
  let check: String
  let store: any FlowStore
  let harness: FlowStoreHarness
  let opened: OpenedStores

  func on(_ store: any FlowStore) -> CheckedStore {
    opened.add(store)
    return CheckedStore(check: check, store: store, harness: harness, opened: opened)
  }

  func reopened() async throws -> CheckedStore {
    guard let reopen = harness.reopen else { throw failure("the store cannot be opened again") }
    return on(try await reopen(store))
  }

  func crashed() async throws -> CheckedStore {
    guard let crash = harness.crash else { throw failure("the store cannot crash") }
    return on(try await crash(store))
  }

  func secondHandle() async throws -> CheckedStore {
    on(try await harness.secondHandle(store))
  }

  var leasing: any LeasingFlowStore {
    get throws {
      guard let leasing = store as? any LeasingFlowStore else { throw failure("the store gives no leases") }
      return leasing
    }
  }

  /// Attaches a host that has just been started.
  func attach(_ owner: String, for time: Duration = .seconds(600)) async throws -> Epoch {
    try await leasing.attach(owner: owner, for: time)
  }

  /// Attaches a host that has just been started, and leases a flow to it.
  func lease(_ id: FlowID, to owner: String) async throws -> FlowLease {
    try await leasing.acquire(id, under: try await attach(owner)).lease
  }

  func advance(by duration: Duration) async throws {
    try await harness.advance?(duration)
  }

  /// Returns the time `seconds` after the store's present, rounded to a whole second.
  func time(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: (harness.now().timeIntervalSince1970 + seconds).rounded())
  }

  /// Whether `time` is within a second of `seconds` after the store's present.
  func isNow(_ time: Date, plus seconds: Double) -> Bool {
    abs(time.timeIntervalSince(harness.now()) - seconds) < 1
  }

  @discardableResult
  func commit(
    _ id: FlowID, _ snapshot: FlowSnapshot, from revision: Int, fence: Fence? = nil, as commit: CommitID = CommitID(),
    history: [HistoryEntry] = [], over storedValues: Set<Int> = []
  ) async throws -> StoredFlow {
    try await store.commit(
      FlowWrite(
        snapshot, to: id, expecting: Revision(revision), fence: fence, as: commit, appending: history,
        over: storedValues))
  }

  /// Returns the value that must be there.
  func some<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw failure("a \(Value.self) was expected, and nothing was found") }
    return value
  }

  func failure(_ message: String) -> FlowStoreConformance.Failure {
    FlowStoreConformance.Failure(check: check, message: message)
  }

  func expect(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw failure(message()) }
  }

  func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    guard found != expected else { return }
    throw failure("\(what): expected \(Self.short(expected)), found \(Self.short(found))")
  }

  /// Expects an error with one of these codes.
  func refused(
    _ codes: FlowStoreError.Code..., what: String, _ body: () async throws -> Void
  ) async throws {
    let wanted = codes.map { "\($0)" }.joined(separator: " or ")
    do {
      try await body()
    } catch let error as FlowStoreError {
      guard codes.contains(error.code) else { throw failure("\(what): expected \(wanted), found \(error)") }
      return
    } catch {
      throw failure("\(what): expected a FlowStoreError \(wanted), found \(error)")
    }
    throw failure("\(what): expected \(wanted), but nothing was thrown")
  }

  /// Expects that the flow is stored as given, and that lists of flows and tasks show it accordingly.
  func unchanged(_ id: FlowID, _ flow: StoredFlow?, _ what: String) async throws {
    try expect(try await store.load(id), flow, "\(what), load")
    let listed = try await allFlows().filter { $0.id == id }
    try expect(listed, flow.map { [FlowSummary($0)] } ?? [], "\(what), list")
    let tasks = try await allTasks().filter { $0.flow == id }.map(\.task)
    try expect(tasks, flow?.snapshot.tasks ?? [], "\(what), tasks")
  }

  func allFlows(_ query: FlowQuery = FlowQuery(), limit: Int = 100) async throws -> [FlowSummary] {
    var flows: [FlowSummary] = []
    var cursor: String?
    repeat {
      let page = try await store.list(query, after: cursor, limit: limit)
      try expect(page.flows.count <= limit, "a page has \(page.flows.count) flows; \(limit) were asked for")
      try expect(page.cursor == nil || !page.flows.isEmpty, "an empty page has a cursor")
      flows += page.flows
      cursor = page.cursor
    } while cursor != nil
    return flows
  }

  func allTasks(_ query: TaskQuery = TaskQuery(), limit: Int = 100) async throws -> [TaskSummary] {
    var tasks: [TaskSummary] = []
    var cursor: String?
    repeat {
      let page = try await store.tasks(query, after: cursor, limit: limit)
      try expect(page.tasks.count <= limit, "a page has \(page.tasks.count) tasks; \(limit) were asked for")
      try expect(page.cursor == nil || !page.tasks.isEmpty, "an empty page has a cursor")
      tasks += page.tasks
      cursor = page.cursor
    } while cursor != nil
    return tasks
  }

  private static func short(_ value: some Any) -> String {
    let text = "\(value)"
    return text.count > 2_000 ? text.prefix(2_000) + "…" : text
  }
}

/// The stores that a check has opened, to be closed when it ends.
final class OpenedStores: Sendable {
  let first: any FlowStore
  private let later = Lock<[any FlowStore]>([])

  init(_ first: any FlowStore) { self.first = first }

  func add(_ store: any FlowStore) { later.withLock { $0.append(store) } }

  /// Closes all of them, the newest first.
  func close(with close: (@Sendable (any FlowStore) async throws -> Void)?) async throws {
    guard let close else { return }
    for store in later.withLock({ $0 }).reversed() { try await close(store) }
    try await close(first)
  }
}

extension FlowSnapshot {
  /// A snapshot for a check, recognized by its body. Like every row of this version it has a start.
  static func sample(
    _ text: String = "one", definition: String = "check", version: Int = 1, status: Status = .waiting,
    wakeAt: Date? = nil, startedAt: Date? = Date(timeIntervalSince1970: 1_700_000_000), tasks: [OpenTask] = [],
    labels: [String: String] = [:], steps: [StepID] = ["check/step"]
  ) -> FlowSnapshot {
    FlowSnapshot(
      definition: definition, version: version, status: status, steps: steps, labels: labels, wakeAt: wakeAt,
      startedAt: startedAt, tasks: tasks, body: Array(text.utf8))
  }
}

extension OpenTask {
  static func sample(_ question: String, for assignees: String..., due: Date? = nil, prompt: String = "Form")
    -> OpenTask
  {
    sample(question, people: assignees, due: due, prompt: prompt)
  }

  static func sample(
    _ question: String, people assignees: [String], due: Date? = nil, prompt: String = "Form",
    asked: Date = Date(timeIntervalSince1970: 1_700_000_000)
  ) -> OpenTask {
    OpenTask(
      question: question, step: "check/step", prompt: prompt, assignees: assignees, due: due, askedAt: asked)
  }
}

extension HistoryEntry {
  static func sample(_ sequence: Int, _ what: String = "moved") -> HistoryEntry {
    HistoryEntry(
      sequence: sequence, at: Date(timeIntervalSince1970: 1_700_000_000.25), what: what, step: "check/step",
      by: "ann \u{1F469}", detail: "a \"detail\"\n")
  }
}
