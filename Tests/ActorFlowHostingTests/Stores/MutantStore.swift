import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation

/// A store in memory with one mistake.
final class MutantStore: LeasingFlowStore {
  struct Seen: Sendable {
    var leases: [FlowID: FlowLease] = [:]
    var epochs: [String: Epoch] = [:]
    var history: [FlowID: [HistoryEntry]] = [:]
    var summaries: [FlowID: FlowSummary] = [:]
    var values: [String: FlowValue] = [:]
    var named: [FlowID: [Int]] = [:]
    var commits: [FlowID: CommitID] = [:]
    var shown: Set<FlowID> = []
    var hidden: Set<FlowID> = []
    var hidesNextCommit = false
  }

  let mutation: Mutation
  let keepsValuesApart = true
  let canReplaceHistory = true
  let canListChanges = true
  let base: MemoryFlowStore
  let clock: ManualWallClock
  let seen = Lock(Seen())

  init(_ mutation: Mutation, _ clock: ManualWallClock) {
    self.mutation = mutation
    self.clock = clock
    base = MemoryFlowStore(clock: clock)
  }

  private func revision(_ id: FlowID) async throws -> Revision { try await base.load(id)?.revision ?? .none }

  func lastLease(_ id: FlowID) -> FlowLease? { seen.withLock { $0.leases[id] } }

  func load(_ id: FlowID) async throws -> StoredFlow? {
    var flow = try await base.load(id)
    if mutation == .losesControlCharacters {
      flow?.snapshot.definition.unicodeScalars.removeAll { $0.properties.generalCategory == .control }
    }
    if mutation == .findsWhatIsNotThere && flow == nil && id == "missing" {
      return StoredFlow(id: id, revision: .none, snapshot: .numbered(0), changedAt: clock.now)
    }
    return flow.map(withValues)
  }

  func commit(_ write: FlowWrite) async throws -> StoredFlow {
    var write = write
    let id = write.id
    let current = try await revision(id)
    switch mutation {
    case .createsOverWhatIsThere: if write.expecting == .none { write.expecting = current }
    case .ignoresRevisions: if write.expecting != .none { write.expecting = current }
    case .updatesWhatIsMissing: if current == .none { write.expecting = .none }
    case .forgetsCommits: if write.expecting == .none { write.commit = CommitID() }
    case .forgetsCommitsOfUpdates: if write.expecting != .none { write.commit = CommitID() }
    case .cutsWhatIsTooLarge: write.snapshot.body = Array(write.snapshot.body.prefix(FlowSnapshot.maximumBytes - 500))
    case .writesHistoryOfRefused: seen.withLock { $0.history[id, default: []] += write.history }
    case .looksThenWrites, .creatorsBothWin, .losesCounts:
      // Two callers that look at once both find what they expect.
      if current == write.expecting {
        for _ in 0..<20 { await Task.yield() }
        write.expecting = try await revision(id)
      }
    case .ignoresRevisionsUnderFences: if write.fence != nil, current != .none { write.expecting = current }
    case .looksAtFencesThenWrites, .looksForLeasesThenWrites:
      if (write.fence != nil) == (mutation == .looksAtFencesThenWrites), lastLease(id)?.fence == write.fence {
        for _ in 0..<20 { await Task.yield() }
        write.fence = lastLease(id)?.fence
      }
    case .checksFencesFirst:
      if let fence = write.fence, let last = lastLease(id)?.fence, fence < last {
        throw FlowStoreError(.fenced, "a later lease was given")
      }
    case .ignoresReleases: write.releases = false
    case .appendsReplacement: write.replacesHistory = false
    case .replacesHistoryOfRefused where write.replacesHistory && write.expecting != current:
      var early = write
      (early.expecting, early.commit) = (current, CommitID())
      _ = try await base.commit(early)
    case .losesKeyReferences: write.snapshot.keyReference = nil
    case .losesStarts: write.snapshot.startedAt = nil
    case .weighsAfterCommits:
      if seen.withLock({ $0.commits[id] == write.commit }), let flow = try await base.load(id) { return flow }
    case .refusesRequests where !write.requests.isEmpty: throw FlowStoreError(.unavailable, "no table for requests")
    case .refusesExpired:
      let isOverdue = seen.withLock { seen in
        seen.epochs.values.contains { $0.fence == write.fence && $0.until <= clock.now }
      }
      if isOverdue { throw FlowStoreError(.fenced, "overdue") }
    case .endsOneLease:
      // Only the lease of the flow that was taken has ended, so the old epoch still writes the other flows.
      if let fence = write.fence, lastLease(id)?.fence == fence, (try? await base.commit(write)) == nil {
        write.fence = nil
      }
    default: break
    }
    write.fence = passing(write.fence, for: id)
    if keepsTableOfValues { return try await commitWithTable(write, after: current) }
    var stored: StoredFlow
    do { stored = try await base.commit(write) } catch {
      guard mutation == .comparesRevisionsFirst, current != write.expecting else { throw error }
      throw FlowStoreError(.conflict, "another revision")
    }
    if mutation == .roundsNoTimes { stored.changedAt = clock.now }
    if mutation == .releasesAgain, write.releases, let last = lastLease(id) { try await base.release(last) }
    seen.withLock { seen in
      seen.commits[id] = write.commit
      if seen.hidesNextCommit { seen.hidden.insert(id) }
      seen.hidesNextCommit = false
    }
    seen.withLock { $0.summaries[id] = $0.summaries[id] ?? FlowSummary(stored) }
    return stored
  }

  func commit(_ writes: [FlowWrite]) async -> [Result<StoredFlow, FlowStoreError>] {
    let writes = writes.map { write in
      var write = write
      if mutation == .writesBatchesAgain { write.commit = CommitID() }
      return write
    }
    let results = await base.commit(writes)
    guard mutation == .refusesTogether else { return results }
    for case .failure(let error) in results { return writes.map { _ in .failure(error) } }
    return results
  }

  /// The values that a store without the check lets pass.
  private func passing(_ fence: Fence?, for id: FlowID) -> Fence? {
    switch mutation {
    case .ignoresFences where fence != nil: lastLease(id)?.fence
    case .takesAnyFence where fence != nil && lastLease(id)?.fence != fence: lastLease(id)?.fence
    case .ignoresLeases where fence == nil: lastLease(id)?.fence
    case .reusesFences where fence?.number == 1: lastLease(id).flatMap { $0.fence.number == 1 ? nil : $0.fence }
    default: fence
    }
  }

  func delete(_ id: FlowID, expecting: Revision, fence: Fence?) async throws {
    let old = try await base.history(of: id, after: 0, limit: 99)
    let any = mutation == .deletesAnyRevision
    try await base.delete(id, expecting: any ? try await revision(id) : expecting, fence: passing(fence, for: id))
    seen.withLock { $0.history[id] = old }
    if mutation == .hidesChangesAfterDeletions { seen.withLock { $0.hidesNextCommit = true } }
    if mutation == .keepsValuesOfDeleted { return }
    seen.withLock { $0.values = $0.values.filter { !$0.key.hasPrefix("\(id)/") } }
  }

  func list(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> FlowPage {
    var query = query
    switch mutation {
    case .pagesByOffset:
      let all = try await base.list(query, after: nil, limit: 10_000).flows
      let start = cursor.flatMap { Int($0) } ?? 0
      let end = min(start + limit, all.count)
      return FlowPage(flows: Array(all[min(start, end)..<end]), cursor: end < all.count ? "\(end)" : nil)
    case .takesAnyCursor where cursor?.hasPrefix("\u{1}") == true:
      return FlowPage(flows: [], cursor: nil)
    case .ignoresLabels: query.label = nil
    case .ignoresRollbacks: query.rollbackFailed = nil
    case .ignoresChanges: query.changedBefore = nil
    case .ignoresStarts: query.startedBefore = nil
    default: break
    }
    var page = try await base.list(query, after: cursor, limit: limit)
    if mutation == .listsWhatWas {
      page.flows = page.flows.map { flow in seen.withLock { $0.summaries[flow.id] ?? flow } }
    }
    return page
  }

  func changed(_ query: FlowQuery, after cursor: String?, limit: Int) async throws -> ChangePage {
    let cursor =
      mutation == .takesAnyCursorOfChanges && (try? StoreCursor(cursor ?? "", parts: 2)) == nil ? nil : cursor
    let query = mutation == .ignoresQueriesOfChanges ? FlowQuery() : query
    var page = try await base.changed(query, after: cursor, limit: limit)
    switch mutation {
    case .ordersChangesByID: page.changes.sort { $0.flow.id.description < $1.flow.id.description }
    case .showsChangesOnce:
      page.changes.removeAll { change in seen.withLock { !$0.shown.insert(change.flow.id).inserted } }
    case .hidesChangesAfterDeletions:
      page.changes.removeAll { change in seen.withLock { $0.hidden.contains(change.flow.id) } }
    case .stopsAtOtherChanges where page.changes.isEmpty: page.cursor = cursor ?? page.cursor
    case .readsCursorsLate:
      for _ in 0..<20 { await Task.yield() }
      page.cursor = try await base.lastChange()
    default: break
    }
    return page
  }

  func lastChange() async throws -> String {
    mutation == .forgetsLastChange
      ? StoreCursor(["0", ""]).description : try await base.lastChange()
  }

  func tasks(_ query: TaskQuery, after cursor: String?, limit: Int) async throws -> TaskPage {
    var query = query
    if mutation == .ignoresAssignees { query.assignees = nil }
    if mutation == .ignoresPrompts { query.prompt = nil }
    if mutation == .ignoresLabelsOfTasks { query.label = nil }
    if mutation == .takesNoAssigneesForAll, query.assignees == [] { query.assignees = nil }
    switch mutation {
    case .ignoresOrders: query.order = .flow
    case .putsUndatedFirst where query.order == .due:
      let all = try await base.tasks(query, after: nil, limit: 10_000).tasks
      return page(all.filter { $0.task.due == nil } + all.filter { $0.task.due != nil }, after: cursor, limit)
    case .pagesInboxesByOffset where query.order != .flow:
      return page(try await base.tasks(query, after: nil, limit: 10_000).tasks, after: cursor, limit)
    case .pagesInboxesByTime where query.order != .flow:
      // The next page begins behind the time of the last question, and so behind all others of that time.
      let last = cursor.flatMap { Double($0) }
      let all = try await base.tasks(query, after: nil, limit: 10_000).tasks.filter { time(of: $0, query) > last ?? 0 }
      let found = Array(all.prefix(limit))
      return TaskPage(
        tasks: found, cursor: found.count < all.count ? found.last.map { "\(time(of: $0, query))" } : nil)
    case .tellsSecretsInCursors:
      let own = cursor?.split(separator: "\n").first.map(String.init)
      var page = try await base.tasks(query, after: own, limit: limit)
      if let cursor = page.cursor, let last = page.tasks.last { page.cursor = "\(cursor)\n\(last.task.question)" }
      return page
    case .takesCursorsOfOtherOrders:
      do { return try await base.tasks(query, after: cursor, limit: limit) } catch {
        return try await base.tasks(query, after: nil, limit: limit)
      }
    default: break
    }
    return try await base.tasks(query, after: cursor, limit: limit)
  }

  func count(_ query: FlowQuery, upTo limit: Int) async throws -> Int {
    if mutation == .countsStepsByPath, let step = query.step {
      var others = query
      others.step = nil
      let found = try await base.list(others, after: nil, limit: 99).flows.count { $0.steps.contains(step) }
      return min(found, max(1, limit))
    }
    return try await base.count(query, upTo: mutation == .countsWithoutLimit ? 10_000 : limit)
  }

  func count(_ query: TaskQuery, upTo limit: Int) async throws -> Int {
    guard mutation == .countsForEachAssignee, let assignees = query.assignees else {
      return try await base.count(query, upTo: limit)
    }
    var count = 0
    for assignee in assignees {
      var one = query
      one.assignees = [assignee]
      count += try await base.count(one, upTo: limit)
    }
    return min(count, max(1, limit))
  }

  private func page(_ all: [TaskSummary], after cursor: String?, _ limit: Int) -> TaskPage {
    let start = min(cursor.flatMap { Int($0) } ?? 0, all.count)
    let end = min(start + limit, all.count)
    return TaskPage(tasks: Array(all[start..<end]), cursor: end < all.count ? "\(end)" : nil)
  }

  private func time(of summary: TaskSummary, _ query: TaskQuery) -> Double {
    let time = query.order == .due ? summary.task.due : summary.task.askedAt
    return time?.timeIntervalSince1970 ?? .greatestFiniteMagnitude
  }

  func history(of id: FlowID, after sequence: Int, limit: Int) async throws -> [HistoryEntry] {
    let known = seen.withLock { $0.history[id] ?? [] }
    if mutation == .writesHistoryOfRefused { return Array(known.filter { $0.sequence > sequence }.prefix(limit)) }
    let found = try await base.history(of: id, after: sequence, limit: limit)
    return mutation == .keepsHistoryOfDeleted && found.isEmpty ? known : found
  }

  func note(_ key: String) async throws -> StoreNote? {
    try await base.note(mutation == .sharesNotes ? "key" : key)
  }

  func setNote(_ note: StoreNote?, under key: String, replacing old: StoreNote?) async throws {
    let key = mutation == .sharesNotes ? "key" : key
    let old = mutation == .overwritesNotes ? try await base.note(key) : old
    if mutation == .keepsNotes, note == nil { return }
    try await base.setNote(note, under: key, replacing: old)
  }
}
