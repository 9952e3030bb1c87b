import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let leasing: [Check] = [
    Check("a lease excludes, expires, and its fence grows", needs: [.leases, .clock]) { store in
      try await exclusion(store)
    },
    Check("a zombie's write and delete are refused, the new owner's pass", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      let first = try await store.commit("flow", .sample("first"), from: 0)
      let old = try await leases.acquire("flow", owner: "zombie", for: .seconds(10))
      try await store.advance(by: .seconds(11))
      let new = try await leases.acquire("flow", owner: "heir", for: .seconds(10))
      try await store.refused(.fenced, what: "a zombie's commit") {
        try await store.commit("flow", .sample("zombie"), from: 1, fence: old.fence, history: [.sample(1)])
      }
      try await store.refused(.fenced, what: "a zombie's delete") {
        try await store.store.delete("flow", expecting: Revision(1), fence: old.fence)
      }
      try await store.refused(.fenced, what: "a zombie's renewal") {
        _ = try await leases.renew(old, for: .seconds(10))
      }
      try await store.unchanged("flow", first, "after the zombie")
      let second = try await store.commit("flow", .sample("heir"), from: 1, fence: new.fence)
      try await store.unchanged("flow", second, "after the new owner's commit")
      try await store.store.delete("flow", expecting: Revision(2), fence: new.fence)
      try await store.unchanged("flow", nil, "after the new owner's delete")
    },
    Check("a write without a fence is refused while a lease is valid", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      let first = try await store.commit("flow", .sample("first"), from: 0)
      _ = try await leases.acquire("flow", owner: "ann", for: .seconds(10))
      try await store.refused(.leased, what: "a commit without a fence") {
        try await store.commit("flow", .sample("second"), from: 1)
      }
      try await store.refused(.leased, what: "a delete without a fence") {
        try await store.store.delete("flow", expecting: Revision(1), fence: nil)
      }
      try await store.unchanged("flow", first, "after refused writes")
      try await store.advance(by: .seconds(11))
      try await store.commit("flow", .sample("second"), from: 1)
    },
    Check("an expired lease that was not superseded may commit", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let lease = try await leases.acquire("flow", owner: "ann", for: .seconds(10))
      try await store.advance(by: .seconds(60))
      try await store.commit("flow", .sample("second"), from: 1, fence: lease.fence)
      let renewed = try await leases.renew(lease, for: .seconds(10))
      try store.expect(renewed.fence, lease.fence, "the fence of a renewed lease")
      try await store.refused(.leased, what: "a lease while one renewed after its end is valid") {
        _ = try await leases.acquire("flow", owner: "bob", for: .seconds(10))
      }
    },
    Check("the same owner restarted gets a new fence", needs: [.leases]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let old = try await leases.acquire("flow", owner: "ann", for: .seconds(600))
      let new = try await leases.acquire("flow", owner: "ann", for: .seconds(600))
      try store.expect(old.fence < new.fence, "the fence \(new.fence) is not greater than \(old.fence)")
      try await store.refused(.fenced, what: "a commit under the older lease") {
        try await store.commit("flow", .sample("old"), from: 1, fence: old.fence)
      }
      try await store.commit("flow", .sample("new"), from: 1, fence: new.fence)
    },
    Check("releasing a lost lease frees nothing", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let lost = try await leases.acquire("flow", owner: "ann", for: .seconds(10))
      try await store.advance(by: .seconds(11))
      let held = try await leases.acquire("flow", owner: "bob", for: .seconds(600))
      try await leases.release(lost)
      try await store.refused(.leased, what: "a lease after a lost one was released") {
        _ = try await leases.acquire("flow", owner: "eve", for: .seconds(10))
      }
      try await leases.release(held)
      let next = try await leases.acquire("flow", owner: "eve", for: .seconds(10))
      try store.expect(held.fence < next.fence, "a fence is not greater than that of a lease given back")
      try await store.refused(.fenced, what: "a renewal of a lease given back") {
        _ = try await leases.renew(held, for: .seconds(10))
      }
    },
    Check("a fence of a deleted flow is refused for a new flow with its id", needs: [.leases]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("old"), from: 0)
      let old = try await leases.acquire("flow", owner: "ann", for: .seconds(600))
      try await store.store.delete("flow", expecting: Revision(1), fence: old.fence)
      try await store.commit("flow", .sample("new"), from: 0)
      let refused = { (what: String) in
        try await store.refused(.fenced, what: "a commit under the deleted flow's lease, \(what)") {
          try await store.commit("flow", .sample("zombie"), from: 1, fence: old.fence)
        }
      }
      try await refused("with no lease of the new one")
      let new = try await leases.acquire("flow", owner: "bob", for: .seconds(600))
      try store.expect(old.fence < new.fence, "the fence \(new.fence) was given before")
      try await refused("with a lease of the new one")
    },
    Check("a write may end its lease, and a refused one does not", needs: [.leases]) { store in
      let leases = try store.leasing
      let lease = try await leases.acquire("flow", owner: "ann", for: .seconds(600))
      func write(_ revision: Int) -> FlowWrite {
        FlowWrite(.sample(), to: "flow", expecting: Revision(revision), fence: lease.fence, releasing: true)
      }
      try await store.refused(.conflict, what: "a stale write that releases") {
        _ = try await store.store.commit(write(7))
      }
      try await store.refused(.leased, what: "a lease after the refused write") {
        _ = try await leases.acquire("flow", owner: "bob", for: .seconds(600))
      }
      _ = try await store.store.commit(write(0))
      let next = try await leases.acquire("flow", owner: "bob", for: .seconds(600))
      try store.expect(lease.fence < next.fence, "a fence is not greater than that of a lease that a write ended")
    },
    Check("a flow may be started under its lease", needs: [.leases]) { store in
      let lease = try await store.leasing.acquire("flow", owner: "ann", for: .seconds(600))
      try await store.unchanged("flow", nil, "a leased id")
      try await store.refused(.leased, what: "a create without the lease") {
        try await store.commit("flow", .sample(), from: 0)
      }
      try await store.commit("flow", .sample(), from: 0, fence: lease.fence)
    },
  ]

  private static func exclusion(_ store: CheckedStore) async throws {
    let leases = try store.leasing
    try await store.commit("flow", .sample("first"), from: 0)
    let first = try await leases.acquire("flow", owner: "ann", for: .seconds(10))
    try store.expect(first.id, "flow", "the lease's flow")
    try store.expect(first.owner, "ann", "the lease's owner")
    try store.expect(
      store.isNow(first.until, plus: 10), "the lease ends at \(first.until)")
    let other = try await store.secondHandle().leasing
    try await store.refused(.leased, what: "a second lease") {
      _ = try await other.acquire("flow", owner: "bob", for: .seconds(10))
    }
    try await store.advance(by: .seconds(8))
    let renewed = try await leases.renew(first, for: .seconds(10))
    try store.expect(renewed.fence, first.fence, "the fence of a renewed lease")
    try await store.advance(by: .seconds(8))
    try await store.refused(.leased, what: "a lease while a renewed one is valid") {
      _ = try await other.acquire("flow", owner: "bob", for: .seconds(10))
    }
    try await store.advance(by: .seconds(3))
    let second = try await other.acquire("flow", owner: "bob", for: .seconds(10))
    try store.expect(first.fence < second.fence, "the fence \(second.fence) is not greater than \(first.fence)")
    try await other.release(second)
    let third = try await leases.acquire("flow", owner: "ann", for: .seconds(10))
    try store.expect(second.fence < third.fence, "the fence \(third.fence) is not greater than \(second.fence)")
    let winners = try await withThrowingTaskGroup(of: Int.self) { group in
      for racer in 0..<16 {
        group.addTask {
          do {
            _ = try await leases.acquire("free", owner: "racer \(racer)", for: .seconds(600))
            return 1
          } catch let error as FlowStoreError where error.code == .leased {
            return 0
          }
        }
      }
      return try await group.reduce(0, +)
    }
    try store.expect(winners, 1, "how many of 16 got a lease of one flow")
  }
}
