import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let leasing: [Check] = [
    Check("a lease excludes until its host's beat is overdue", needs: [.leases, .clock]) { store in
      try await exclusion(store)
    },
    Check("a zombie's write and delete are refused, the new owner's pass", needs: [.leases, .clock]) { store in
      try await zombie(store)
    },
    Check("a write without a fence is refused while a lease is valid", needs: [.leases, .clock]) { store in
      let first = try await store.commit("flow", .sample("first"), from: 0)
      let ann = try await store.attach("ann", for: .seconds(10))
      _ = try await store.leasing.acquire("flow", under: ann)
      try await store.refused(.leased, what: "a commit without a fence") {
        try await store.commit("flow", .sample("second"), from: 1)
      }
      try await store.refused(.leased, what: "a delete without a fence") {
        try await store.store.delete("flow", expecting: Revision(1), fence: nil)
      }
      try await store.unchanged("flow", first, "after refused writes")
      try await store.advance(by: .seconds(11))
      // No lease ends, also not an overdue one, whatever the write asks for.
      _ = try await store.store.commit(
        FlowWrite(.sample("second"), to: "flow", expecting: Revision(1), releasing: true))
      try await store.commit("flow", .sample("third"), from: 2, fence: ann.fence)
      try await store.store.delete("flow", expecting: Revision(3), fence: nil)
      try await store.refused(.fenced, what: "a commit under the lease of a flow that was deleted") {
        try await store.commit("flow", .sample("fourth"), from: 0, fence: ann.fence)
      }
    },
    Check("a write under an overdue epoch that has not ended passes, and so does its beat", needs: [.leases, .clock]) {
      store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let ann = try await store.attach("ann", for: .seconds(10))
      _ = try await leases.acquire("flow", under: ann)
      try await store.advance(by: .seconds(60))
      try await store.commit("flow", .sample("second"), from: 1, fence: ann.fence)
      let again = try await leases.beat(ann, for: .seconds(10))
      try store.expect(again.fence, ann.fence, "the fence after a beat")
      let bob = try await store.attach("bob")
      try await store.refused(.leased, what: "a lease after the late beat") {
        _ = try await leases.acquire("flow", under: bob)
      }
    },
    Check("releasing a lost lease frees nothing", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let lost = try await leases.acquire("flow", under: try await store.attach("ann", for: .seconds(10))).lease
      try await store.advance(by: .seconds(11))
      let bob = try await store.attach("bob")
      let held = try await leases.acquire("flow", under: bob).lease
      try await leases.release(lost)
      let eve = try await store.attach("eve")
      try await store.refused(.leased, what: "a lease after a lost one was released") {
        _ = try await leases.acquire("flow", under: eve)
      }
      try await leases.release(held)
      _ = try await leases.acquire("flow", under: eve)
      try await store.refused(.fenced, what: "a commit under a released lease") {
        try await store.commit("flow", .sample("late"), from: 1, fence: bob.fence)
      }
    },
    Check("a fence of a deleted flow is refused for a new flow with its id", needs: [.leases]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("old"), from: 0)
      let ann = try await store.attach("ann")
      _ = try await leases.acquire("flow", under: ann)
      try await store.store.delete("flow", expecting: Revision(1), fence: ann.fence)
      try await store.commit("flow", .sample("new"), from: 0)
      let refused = { (what: String) in
        try await store.refused(.fenced, what: "a commit under the deleted flow's lease, \(what)") {
          try await store.commit("flow", .sample("zombie"), from: 1, fence: ann.fence)
        }
      }
      try await refused("with no lease of the new one")
      _ = try await leases.acquire("flow", under: try await store.attach("bob"))
      try await refused("with a lease of the new one")
    },
    Check("a write may end its lease, and a refused one does not", needs: [.leases]) { store in
      let leases = try store.leasing
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      _ = try await leases.acquire("flow", under: ann)
      func write(_ revision: Int) -> FlowWrite {
        FlowWrite(.sample(), to: "flow", expecting: Revision(revision), fence: ann.fence, releasing: true)
      }
      try await store.refused(.conflict, what: "a stale write that releases") {
        _ = try await store.store.commit(write(7))
      }
      try await store.refused(.leased, what: "a lease after the refused write") {
        _ = try await leases.acquire("flow", under: bob)
      }
      _ = try await store.store.commit(write(0))
      _ = try await leases.acquire("flow", under: bob)
    },
    Check("a flow may be started under its lease", needs: [.leases]) { store in
      let ann = try await store.attach("ann")
      let leased = try await store.leasing.acquire("flow", under: ann)
      try store.expect(leased.flow, nil, "the flow of a lease before the start")
      try await store.unchanged("flow", nil, "a leased id")
      try await store.refused(.leased, what: "a create without the lease") {
        try await store.commit("flow", .sample(), from: 0)
      }
      try await store.commit("flow", .sample(), from: 0, fence: ann.fence)
    },
    Check("a lease comes with the flow as it is stored, and may be asked for again", needs: [.leases]) { store in
      let flow = try await store.commit("flow", .sample(status: .runnable), from: 0)
      let ann = try await store.attach("ann")
      let leased = try await store.leasing.acquire("flow", under: ann)
      try store.expect(leased, LeasedFlow(FlowLease(of: "flow", under: ann), flow), "the acquired flow")
      try store.expect(try await store.leasing.acquire("flow", under: ann), leased, "the flow acquired again")
      let next = try await store.commit("flow", .sample("next", status: .runnable), from: 1, fence: ann.fence)
      try await store.leasing.release(leased.lease)
      let claimed = try await store.leasing.claimDue(under: ann, serving: ["check": 1...1], limit: 9)
      try store.expect(claimed, [LeasedFlow(leased.lease, next)], "the claimed flow")
    },
    Check(
      "a lease for a host that cannot run the flow's version is nil: nothing is leased or wished for", needs: [.leases]
    ) { store in
      let leases = try store.leasing
      let flow = try await store.commit("flow", .sample(version: 3), from: 0)
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      for isHeld in [false, true] {
        if isHeld { _ = try await leases.acquire("flow", under: bob) }
        for serving in [[:], ["check": 1...2], ["check": 4...9], ["other": 3...3]] as [[String: ClosedRange<Int>]] {
          let leased = try await leases.acquire("flow", under: ann, serving: serving)
          try store.expect(leased, nil, "a lease for \(serving), held: \(isHeld)")
        }
        try store.expect(try await leases.leased(to: ann, after: nil, limit: 9).flows, [], "the leases of the host")
        try store.expect(try await leases.wanted(under: bob), [], "the wishes of a host that cannot run the flow")
      }
      try await store.refused(.leased, what: "a lease for a host that can run the flow") {
        _ = try await leases.acquire("flow", under: ann, serving: ["check": 1...3])
      }
      try await leases.release(FlowLease(of: "flow", under: bob))
      for serving in [["other": 1...1, "check": 3...3], ["check": 0...Int.max]] as [[String: ClosedRange<Int>]] {
        let leased = try await leases.acquire("flow", under: ann, serving: serving)
        try store.expect(leased, LeasedFlow(FlowLease(of: "flow", under: ann), flow), "a lease for \(serving)")
      }
      let new = try await leases.acquire("new", under: ann, serving: [:])
      try store.expect(new, LeasedFlow(FlowLease(of: "new", under: ann), nil), "a lease of a flow that is not stored")
    },
    Check("a fence is valid only for flows that are leased under it", needs: [.leases]) { store in
      try await store.commit("free", .sample(), from: 0)
      try await store.commit("leased", .sample(), from: 0)
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      _ = try await store.leasing.acquire("leased", under: ann)
      for id in ["free", "leased"] as [FlowID] {
        try await store.refused(.fenced, what: "a commit of another host to the flow \(id)") {
          try await store.commit(id, .sample("bob"), from: 1, fence: bob.fence)
        }
        try await store.refused(.fenced, what: "a delete of another host of the flow \(id)") {
          try await store.store.delete(id, expecting: Revision(1), fence: bob.fence)
        }
      }
    },
  ]

  private static func zombie(_ store: CheckedStore) async throws {
    let leases = try store.leasing
    let first = try await store.commit("flow", .sample("first"), from: 0)
    let old = try await store.attach("zombie", for: .seconds(10))
    _ = try await leases.acquire("flow", under: old)
    try await store.advance(by: .seconds(11))
    let new = try await store.attach("heir")
    let taken = try await leases.acquire("flow", under: new)
    try store.expect(taken.flow, first, "the flow that the heir got")
    try await store.refused(.fenced, what: "a zombie's commit") {
      try await store.commit("flow", .sample("zombie"), from: 1, fence: old.fence, history: [.sample(1)])
    }
    try await store.refused(.fenced, what: "a zombie's delete") {
      try await store.store.delete("flow", expecting: Revision(1), fence: old.fence)
    }
    try await store.refused(.fenced, what: "a zombie's beat") { _ = try await leases.beat(old, for: .seconds(10)) }
    try await store.refused(.fenced, what: "a zombie's acquire") { _ = try await leases.acquire("other", under: old) }
    try await store.refused(.fenced, what: "a zombie's claim") {
      _ = try await leases.claimDue(under: old, serving: ["check": 1...1], limit: 9)
    }
    try await store.unchanged("flow", first, "after the zombie")
    let second = try await store.commit("flow", .sample("heir"), from: 1, fence: new.fence)
    try await store.unchanged("flow", second, "after the new owner's commit")
    try await store.store.delete("flow", expecting: Revision(2), fence: new.fence)
    try await store.unchanged("flow", nil, "after the new owner's delete")
  }

  private static func exclusion(_ store: CheckedStore) async throws {
    let leases = try store.leasing
    try await store.commit("flow", .sample("first"), from: 0)
    let ann = try await store.attach("ann", for: .seconds(10))
    try store.expect(ann.owner, "ann", "the epoch's owner")
    try store.expect(store.isNow(ann.until, plus: 10), "the next beat is overdue at \(ann.until)")
    let first = try await leases.acquire("flow", under: ann).lease
    try store.expect(first, FlowLease(of: "flow", under: ann), "the lease")
    let other = try await store.secondHandle()
    let bob = try await other.attach("bob")
    try await store.refused(.leased, what: "a second lease") {
      _ = try await other.leasing.acquire("flow", under: bob)
    }
    try await store.advance(by: .seconds(8))
    let later = try await leases.beat(ann, for: .seconds(10))
    try store.expect(store.isNow(later.until, plus: 10), "after a beat, the next one is overdue at \(later.until)")
    try await store.advance(by: .seconds(8))
    try await store.refused(.leased, what: "a lease after a beat") {
      _ = try await other.leasing.acquire("flow", under: bob)
    }
    try await store.advance(by: .seconds(3))
    try await other.leasing.release(try await other.leasing.acquire("flow", under: bob).lease)
    try await store.refused(.fenced, what: "a beat after the epoch was ended") {
      _ = try await leases.beat(ann, for: .seconds(10))
    }
    var racers: [Epoch] = []
    for racer in 0..<16 { racers.append(try await store.attach("racer \(racer)")) }
    let winners = try await withThrowingTaskGroup(of: Int.self) { group in
      for racer in racers {
        group.addTask {
          do {
            _ = try await leases.acquire("free", under: racer)
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
