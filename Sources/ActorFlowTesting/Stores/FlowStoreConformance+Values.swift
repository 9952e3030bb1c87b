import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let values: [Check] = [
    Check("a write brings new values and drops those that it does not name", needs: [.values]) { store in
      let first = try await store.written("flow", .valued("one", 1, 2), from: 0)
      try await store.unchanged("flow", first, "after the first write")
      let second = try await store.written("flow", .valued("two", 1, 3), from: 1, over: [1, 2])
      try await store.unchanged("flow", second, "after a value was added and one dropped")
      let third = try await store.written("flow", .valued("three", 1, 3), from: 2, over: [1, 3])
      try await store.unchanged("flow", third, "after a write without a new value")
      let last = try await store.written("flow", .sample("four"), from: 3, over: [1, 3])
      try await store.unchanged("flow", last, "after all values were dropped")
      try await store.refused(.conflict, what: "a write that counts on a value that was dropped") {
        try await store.commit("flow", .valued("five", 3), from: 4, over: [3])
      }
      let other = try await store.written("flow", .valued("five", salt: 7, 3), from: 4)
      try await store.unchanged("flow", other, "after another value came under the number of one that was dropped")
      guard store.store.canReplaceHistory else { return }
      let replaced = try await store.store.commit(
        FlowWrite(
          .valued("six", salt: 7, 3), to: "flow", expecting: Revision(5), appending: [.sample(1)], over: [3],
          replacingHistory: true))
      try await store.unchanged("flow", replaced, "after a write that replaced the history")
    },
    Check("values of different flows have nothing to do with each other", needs: [.values]) { store in
      let one = try await store.written("one", .valued("one", 1, 2), from: 0)
      let other = try await store.written("other", .valued("other", salt: 7, 1), from: 0)
      try await store.unchanged("one", one, "beside a flow with a value of the same number")
      try await store.unchanged("other", other, "beside a flow with a value of the same number")
      let next = try await store.written("one", .valued("one", 2), from: 1, over: [1, 2])
      try await store.unchanged("one", next, "after it dropped a value")
      try await store.unchanged("other", other, "after the other flow dropped the value of the same number")
    },
    Check("the values of a deleted flow are gone", needs: [.values]) { store in
      try await store.commit("flow", .valued("old", 1, 2), from: 0)
      try await store.store.delete("flow", expecting: Revision(1), fence: nil)
      try await store.refused(.conflict, what: "a write that counts on a value of the flow that was deleted") {
        try await store.commit("flow", .valued("new", 2), from: 0, over: [2])
      }
      let again = try await store.written("flow", .valued("new", salt: 7, 1), from: 0)
      try await store.unchanged("flow", again, "after it was deleted and created again")
    },
    Check("a refused write changes no values", needs: [.values]) { store in
      let first = try await store.written("flow", .valued("one", 1), from: 0)
      try await store.refused(.conflict, what: "a stale write that brings a value") {
        try await store.commit("flow", .valued("stale", salt: 7, 2), from: 4, over: [1])
      }
      try await store.unchanged("flow", first, "after a refused write")
      let second = try await store.written("flow", .valued("two", 1, 2), from: 1, over: [1])
      try await store.unchanged("flow", second, "after a write of the value that was refused before")
    },
    Check("a write that counts on a value that is not stored conflicts", needs: [.values]) { store in
      let first = try await store.written("flow", .valued("one", 1), from: 0)
      try await store.refused(.conflict, what: "a write that does not bring a value that is not stored") {
        try await store.commit("flow", .valued("two", 1, 2), from: 1, over: [1, 2])
      }
      try await store.unchanged("flow", first, "after a write without its value")
    },
    Check("a retry of a write with values is idempotent", needs: [.values]) { store in
      try await store.commit("flow", .valued("one", 1, 2), from: 0)
      let name = CommitID()
      let second = try await store.written("flow", .valued("two", 1, 3), from: 1, as: name, over: [1, 2])
      let again = try await store.written("flow", .valued("two", 1, 3), from: 1, as: name, over: [1, 2])
      try store.expect(again, second, "the flow that the retry returned")
      try await store.unchanged("flow", second, "after the retry")
    },
    Check("the values of a flow count towards its 4 MiB", needs: [.values]) { store in
      var snapshot = FlowSnapshot.sample("large")
      snapshot.values = [FlowValue(number: 1, bytes: []), FlowValue(number: 2, bytes: [])]
      snapshot.values[0].bytes = Array(repeating: 1, count: FlowSnapshot.maximumBytes / 2)
      let room = FlowSnapshot.maximumBytes - snapshot.encoded().count - 2
      snapshot.values[1].bytes = Array(repeating: 2, count: room)
      try store.expect(snapshot.encoded().count, FlowSnapshot.maximumBytes, "the size of the largest snapshot")
      let stored = try await store.written("flow", snapshot, from: 0)
      snapshot.body.append(0)
      try await store.refused(.tooLarge, what: "a write of one byte more, without a new value") {
        try await store.commit("flow", snapshot, from: 1, over: [1, 2])
      }
      try await store.unchanged("flow", stored, "after a write that was too large")
    },
    Check("a flow is leased with its values", needs: [.values, .leases]) { store in
      let stored = try await store.written("flow", .valued("one", 1, 2), from: 0)
      let epoch = try await store.attach("ann")
      let leased = try await store.leasing.acquire("flow", under: epoch)
      try store.expect(leased.flow, stored, "the flow that acquire returned")
      try await store.leasing.release(leased.lease)
      var due = FlowSnapshot.valued("two", 1, 3)
      due.status = .runnable
      let runnable = try await store.written("flow", due, from: 1, over: [1, 2])
      let claimed = try await store.leasing.claimDue(under: epoch, serving: ["check": 1...1], limit: 9)
      try store.expect(claimed.map(\.flow), [runnable], "the flows that claimDue returned")
    },
    Check("values are there when the store is opened again", needs: [.values, .reopening]) { store in
      try await store.commit("flow", .valued("one", 1, 2), from: 0)
      try await store.commit("gone", .valued("gone", 1), from: 0)
      try await store.store.delete("gone", expecting: Revision(1), fence: nil)
      let second = try await store.written("flow", .valued("two", 1, 3), from: 1, over: [1, 2])
      let opened = try await store.reopened()
      try await opened.unchanged("flow", second, "after the store was opened again")
      let again = try await opened.written("gone", .valued("again", salt: 7, 1), from: 0)
      let third = try await opened.written("flow", .valued("three", 3, 4), from: 2, over: [1, 3])
      let last = try await opened.reopened()
      try await last.unchanged("flow", third, "after the second time")
      try await last.unchanged("gone", again, "after it was deleted and created again")
    },
  ]
}

extension CheckedStore {
  /// Writes a snapshot, and expects that the store returns what was written.
  func written(
    _ id: FlowID, _ snapshot: FlowSnapshot, from revision: Int, as commit: CommitID = CommitID(),
    over storedValues: Set<Int> = []
  ) async throws -> StoredFlow {
    let stored = try await self.commit(id, snapshot, from: revision, as: commit, over: storedValues)
    try expect(stored.snapshot, snapshot, "the snapshot that the write from the revision \(revision) returned")
    return stored
  }
}

extension FlowSnapshot {
  /// A snapshot for a check, with values of these numbers; a number and a salt always make the same value.
  fileprivate static func valued(_ text: String, salt: Int = 0, _ numbers: Int...) -> FlowSnapshot {
    var snapshot = sample(text)
    snapshot.values = numbers.map { number in
      FlowValue(number: number, bytes: (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ salt) })
    }
    return snapshot
  }
}
