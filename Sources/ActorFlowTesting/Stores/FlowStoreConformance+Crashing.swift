import ActorFlow
import ActorFlowHosting

// Crashes of the store's process and machine: what was acknowledged stays, and nothing is there in part.
extension FlowStoreConformance {
  static let crashing: [Check] = [
    Check("a crash loses nothing that was acknowledged", needs: [.crashing]) { store in
      let note = StoreNote([1, 2, 3])
      try await store.store.setNote(note, under: "kept", replacing: nil)
      try await store.store.setNote(note, under: "removed", replacing: nil)
      try await store.store.setNote(nil, under: "removed", replacing: note)
      try await store.commit("deleted", .sample(), from: 0, history: [.sample(1)])
      try await store.store.delete("deleted", expecting: Revision(1), fence: nil)
      let name = CommitID()
      var flows: [StoredFlow] = []
      for id in ["a", "b", "c"] as [FlowID] {
        try await store.commit(
          id, .sample("first", tasks: [.sample("old", for: "bob")]), from: 0, history: [.sample(1)])
        let second = FlowSnapshot.sample("second", tasks: [.sample("q", for: "ann")], labels: ["a": "b"])
        flows.append(try await store.commit(id, second, from: 1, as: name, history: [.sample(2)]))
      }
      let again = try await store.crashed()
      for flow in flows {
        try await again.unchanged(flow.id, flow, "after a crash")
        try again.expect(
          try await again.store.history(of: flow.id, after: 0, limit: 9), [.sample(1), .sample(2)], "the history")
        let retried = try await again.commit(flow.id, flow.snapshot, from: 1, as: name, history: [.sample(2)])
        try again.expect(retried, flow, "the flow that a retry after a crash returned")
      }
      try await again.unchanged("deleted", nil, "a deleted flow after a crash")
      try again.expect(try await again.store.history(of: "deleted", after: 0, limit: 9), [], "its history")
      try again.expect(try await again.store.note("kept"), note, "a note after a crash")
      try again.expect(try await again.store.note("removed"), nil, "a removed note after a crash")
    },
    Check("a crash loses no single write", needs: [.crashing]) { store in
      var store = store
      for write in CrashedWrite.allCases {
        try await write.prepare(store)
        _ = try await write.perform(on: store)
        store = try await store.crashed()
        let isDone = try await write.isDone(store, "after a crash")
        try store.expect(isDone, "the write '\(write)' was acknowledged, and is lost after a crash")
      }
    },
    Check("a crash keeps the order of leases", needs: [.crashing, .leases]) { store in
      try await store.commit("flow", .sample(), from: 0)
      let old = try await store.lease("flow", to: "ann")
      try await store.commit("flow", .sample("2"), from: 1, fence: old.fence)
      let again = try await store.crashed()
      let new = try await again.lease("flow", to: "ann")
      try again.expect(old.fence < new.fence, "the fence \(new.fence) is not greater than \(old.fence)")
      try await again.refused(.fenced, what: "a commit under the lease from before the crash") {
        try await again.commit("flow", .sample("3"), from: 2, fence: old.fence)
      }
    },
    Check("a crash among writers keeps what was acknowledged, and no part of a write", needs: [.crashing]) { store in
      var store = store
      for round in 0..<8 { store = try await crash(round, amongWritersOf: store) }
    },
    Check("a write is acknowledged after a sync", needs: [.countingSyncs]) { store in
      guard let syncs = store.harness.syncs else { return }
      for write in CrashedWrite.allCases {
        try await write.prepare(store)
        let before = try await syncs(store.store)
        _ = try await write.perform(on: store)
        let after = try await syncs(store.store)
        try store.expect(after > before, "the write '\(write)' was acknowledged without a sync")
      }
    },
    Check("a write is not acknowledged before its sync is done", needs: [.crashing, .holdingSyncs]) { store in
      var store = store
      for write in CrashedWrite.allCases { store = try await write.crash(store, atSync: 0).store }
    },
    Check("a crash at any sync of a write leaves all of it or nothing", needs: [.crashing, .holdingSyncs]) { store in
      var store = store
      for write in CrashedWrite.allCases {
        for sync in 0..<20 {
          let result = try await write.crash(store, atSync: sync)
          store = result.store
          if !result.isReached { break }
        }
      }
    },
  ]

  private static func snapshot(_ number: Int) -> FlowSnapshot {
    .sample("\(number)", tasks: [.sample("q\(number)", for: "ann")], labels: ["number": "\(number)"])
  }

  /// Crashes while several tasks write, each its own flow. Returns the store that was opened afterwards.
  private static func crash(_ round: Int, amongWritersOf store: CheckedStore) async throws -> CheckedStore {
    let ids = (0..<4).map { FlowID("round \(round) flow \($0)") }
    // The crash comes after another number of writes in each round.
    let crashesNow = WriteCount(1 + round * 5)
    let (again, acknowledged) = try await withThrowingTaskGroup(of: (FlowID, Int).self) { group in
      for id in ids {
        group.addTask {
          var number = 0
          // A crash ends the calls with any error.
          while number < 1_000, (try? await write(id, number + 1, store)) != nil {
            number += 1
            crashesNow.add()
          }
          crashesNow.finish()
          return (id, number)
        }
      }
      await crashesNow.wait()
      let again = try await store.crashed()
      return (again, try await group.reduce(into: [FlowID: Int]()) { $0[$1.0] = $1.1 })
    }
    for id in ids {
      let flow = try await again.store.load(id)
      let (number, least) = (flow?.revision.number ?? 0, acknowledged[id] ?? 0)
      try again.expect(number >= least, "the revision \(least) of \(id) was acknowledged, and \(number) is left")
      try again.expect(flow?.snapshot, number == 0 ? nil : snapshot(number), "the snapshot of \(id) after a crash")
      try await again.unchanged(id, flow, "the flow \(id) after a crash")
      let history = try await again.store.history(of: id, after: 0, limit: 9_999).map(\.sequence)
      try again.expect(history, number == 0 ? [] : Array(1...number), "the history of \(id) after a crash")
    }
    return again
  }

  private static func write(_ id: FlowID, _ number: Int, _ store: CheckedStore) async throws {
    try await store.commit(id, snapshot(number), from: number - 1, history: [.sample(number)])
  }
}

/// A number of writes that a check waits for.
private final class WriteCount: Sendable {
  private let left: Lock<Int>
  private let reached = AsyncEvent()

  init(_ count: Int) { left = Lock(count) }

  func add() {
    let isReached = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isReached { reached.signal() }
  }

  /// Ends the waiting, because a writer can write no more.
  func finish() { reached.signal() }

  func wait() async { await reached.wait() }
}
