import ActorFlow
import ActorFlowHosting

// Leases and revisions together: a fence never stands in for a revision, and is checked in the write's transaction.
extension FlowStoreConformance {
  static let fencing: [Check] = [
    Check("a stale revision conflicts under a lease as well", needs: [.leases]) { store in
      let lease = try await store.lease("flow", to: "ann")
      try await store.commit("flow", .sample("first"), from: 0, fence: lease.fence)
      let second = try await store.commit("flow", .sample("second"), from: 1, fence: lease.fence)
      for stale in [0, 1, 3] {
        try await store.refused(.conflict, what: "a commit under a lease from the revision \(stale) of 2") {
          try await store.commit("flow", .sample("stale"), from: stale, fence: lease.fence, history: [.sample(1)])
        }
        try await store.refused(.conflict, what: "a delete under a lease of the revision \(stale) of 2") {
          try await store.store.delete("flow", expecting: Revision(stale), fence: lease.fence)
        }
      }
      try await store.unchanged("flow", second, "after stale writes under a lease")
      try store.expect(try await store.store.history(of: "flow", after: 0, limit: 9), [], "the history")
    },
    Check("no write under an older lease, or under none, is done once a lease was given", needs: [.leases]) { store in
      for round in 0..<32 { try await supersede(round, store, isLeased: round % 2 == 0) }
    },
    Check("a lost lease is told before a stale revision", needs: [.leases]) { store in
      let old = try await store.attach("ann")
      _ = try await store.leasing.acquire("flow", under: old)
      try await store.commit("flow", .sample("first"), from: 0, fence: old.fence)
      try await store.leasing.detach(old)
      _ = try await store.leasing.acquire("flow", under: try await store.attach("bob"))
      try await store.refused(.fenced, what: "a write under a lost lease that expects a stale revision") {
        try await store.commit("flow", .sample("old"), from: 7, fence: old.fence)
      }
      try await store.refused(.fenced, what: "a delete under a lost lease that expects a stale revision") {
        try await store.store.delete("flow", expecting: Revision(7), fence: old.fence)
      }
      try await store.refused(.fenced, what: "a delete under a lost lease of a flow that is not there") {
        try await store.store.delete("missing", expecting: Revision(7), fence: old.fence)
      }
    },
    Check("a repeated write that released its lease ends no other lease", needs: [.leases]) { store in
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      _ = try await store.leasing.acquire("flow", under: ann)
      let write = FlowWrite(.sample("ann"), to: "flow", expecting: .none, fence: ann.fence, releasing: true)
      _ = try await store.store.commit(write)
      _ = try await store.leasing.acquire("flow", under: bob)
      _ = try await store.store.commit(write)
      try await store.refused(.leased, what: "a lease of the flow that was leased before the repetition") {
        _ = try await store.leasing.acquire("flow", under: ann)
      }
      try await store.commit("flow", .sample("bob"), from: 1, fence: bob.fence)
    },
    Check("a retry of a write that was done returns it under any lease", needs: [.leases]) { store in
      let old = try await store.lease("flow", to: "ann")
      let name = CommitID()
      let first = try await store.commit("flow", .sample(), from: 0, fence: old.fence, as: name, history: [.sample(1)])
      let new = try await store.lease("flow", to: "ann")
      for fence in [old.fence, new.fence] {
        let again = try await store.commit("flow", .sample(), from: 0, fence: fence, as: name, history: [.sample(1)])
        try store.expect(again, first, "the flow that a retry under the lease \(fence) returned")
      }
      try store.expect(try await store.store.history(of: "flow", after: 0, limit: 9), [.sample(1)], "the history")
    },
  ]

  /// Lets writers write while a lease is given: what the new owner reads then stays until it writes itself.
  private static func supersede(_ round: Int, _ store: CheckedStore, isLeased: Bool) async throws {
    let id = FlowID("flow \(round)")
    let (first, second) = (store, try await store.secondHandle())
    try await first.commit(id, .sample("base"), from: 0)
    let old = isLeased ? try await first.lease(id, to: "ann") : nil
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<6 {
        group.addTask {
          do {
            try await first.commit(id, .sample("writer \(writer)"), from: 1, fence: old?.fence)
          } catch let error as FlowStoreError where [.conflict, .fenced, .leased].contains(error.code) {}
        }
      }
      // The lease comes at another moment of the writes in each round.
      for _ in 0..<round { await Task.yield() }
      let new = try await second.lease(id, to: "ann")
      let found = try await second.store.load(id)
      try await group.waitForAll()
      try store.expect(
        try await second.store.load(id), found, "the flow that an older owner could write after a lease was given")
      try await second.commit(id, .sample("new"), from: found?.revision.number ?? 0, fence: new.fence)
    }
  }
}
