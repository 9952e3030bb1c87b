import ActorFlow
import ActorFlowHosting

/// A write that a check interrupts by a crash, and repeats afterwards.
enum CrashedWrite: CaseIterable {
  case create, update, delete, setNote

  private static let old = FlowSnapshot.sample("old", tasks: [.sample("old", for: "ann")], labels: ["a": "old"])
  private static let new = FlowSnapshot.sample(
    "new", definition: "new", tasks: [.sample("new", for: "bob")], labels: ["b": "new"])
  private var id: FlowID { FlowID("to \(self)") }
  private var key: String { "note" }

  /// Writes what must be there before the write, whatever an earlier round has left.
  func prepare(_ store: CheckedStore) async throws {
    if let flow = try await store.store.load(id) {
      try await store.store.delete(id, expecting: flow.revision, fence: nil)
    }
    if let note = try await store.store.note(key) { try await store.store.setNote(nil, under: key, replacing: note) }
    switch self {
    case .create: break
    case .update, .delete: try await store.commit(id, Self.old, from: 0, history: [.sample(1)])
    case .setNote: try await store.store.setNote(StoreNote([1]), under: key, replacing: nil)
    }
  }

  /// Performs the write, a commit under this name. Returns the stored flow if it is a commit.
  func perform(on store: CheckedStore, as name: CommitID = CommitID()) async throws -> StoredFlow? {
    switch self {
    case .create, .update:
      let revision = self == .create ? 0 : 1
      return try await store.commit(
        id, Self.new, from: revision, as: name, history: [.sample(revision + 1), .sample(revision + 2)])
    case .delete:
      try await store.store.delete(id, expecting: Revision(1), fence: nil)
      return nil
    case .setNote:
      try await store.store.setNote(StoreNote([2]), under: key, replacing: StoreNote([1]))
      return nil
    }
  }

  /// Performs the write again after its outcome was lost; a write that cannot be named is refused if it was done.
  func retry(on store: CheckedStore, as name: CommitID) async throws {
    do { _ = try await perform(on: store, as: name) } catch let error as FlowStoreError {
      switch self {
      case .delete where error.code == .notFound || error.code == .conflict: break
      case .setNote where error.code == .conflict: break
      default: throw error
      }
    }
  }

  /// Returns whether the write is done. Throws if a part of it is.
  func isDone(_ store: CheckedStore, _ what: String) async throws -> Bool {
    let flow = try await store.store.load(id)
    let history = try await store.store.history(of: id, after: 0, limit: 99).map(\.sequence)
    try await store.unchanged(id, flow, "\(what), the write '\(self)'")
    let before: (snapshot: FlowSnapshot?, history: [Int])
    let after: (snapshot: FlowSnapshot?, history: [Int])
    switch self {
    case .create: (before, after) = ((nil, []), (Self.new, [1, 2]))
    case .update: (before, after) = ((Self.old, [1]), (Self.new, [1, 2, 3]))
    case .delete: (before, after) = ((Self.old, [1]), (nil, []))
    case .setNote:
      let bytes = try await store.store.note(key)?.bytes
      try store.expect(bytes == [1] || bytes == [2], "\(what): the note has become \(bytes.map { "\($0)" } ?? "none")")
      return bytes == [2]
    }
    let isDone = flow?.snapshot == after.snapshot
    if !isDone { try store.expect(flow?.snapshot, before.snapshot, "\(what), the flow of the write '\(self)'") }
    try store.expect(
      history, isDone ? after.history : before.history, "\(what), the history of the write '\(self)'")
    for (snapshot, isThere) in [(before.snapshot, !isDone), (after.snapshot, isDone)] {
      guard let label = snapshot?.labels.first else { continue }
      let found = try await store.allFlows(FlowQuery(label: .init(label.key, label.value))).contains { $0.id == id }
      try store.expect(found, isThere, "\(what), whether the label \(label.key) is found after the write '\(self)'")
    }
    return isDone
  }

  /// Crashes the store while the write waits for its sync of this number, from 0, or when it was acknowledged. Expects
  /// that nothing of the write is there or all of it, and all of it if it was acknowledged; then repeats it.
  ///
  /// - Returns: The store that was opened after the crash, and whether the write came to that sync.
  func crash(_ store: CheckedStore, atSync number: Int) async throws -> (store: CheckedStore, isReached: Bool) {
    let name = CommitID()
    try await prepare(store)
    guard let held = try await store.harness.holdSync?(store.store, number) else {
      throw store.failure("the store's syncs cannot be held")
    }
    let (again, isReached, isAcknowledged) = try await withThrowingTaskGroup(of: Event.self) { group in
      group.addTask {
        do { _ = try await perform(on: store, as: name) } catch { return .failed }
        return .acknowledged
      }
      group.addTask {
        do { try await held.reached() } catch { return .notReached }
        return .reached
      }
      let first = try await group.next()
      if first == .failed { throw store.failure("the write '\(self)' failed before the crash") }
      let again = try await store.crashed()
      group.cancelAll()
      var events = first.map { [$0] } ?? []
      while let event = try await group.next() { events.append(event) }
      return (again, events.contains(.reached), events.contains(.acknowledged))
    }
    let what = "after a crash at the sync \(number)"
    let isDone = try await isDone(again, what)
    try again.expect(isDone || !isAcknowledged, "\(what): the write '\(self)' was acknowledged, and is lost")
    try await retry(on: again, as: name)
    try again.expect(try await self.isDone(again, "\(what) and a retry"), "\(what) and a retry: '\(self)' is not done")
    return (again, isReached)
  }

  private enum Event { case acknowledged, failed, reached, notReached }
}
