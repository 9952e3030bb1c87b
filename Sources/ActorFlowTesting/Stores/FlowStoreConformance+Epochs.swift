import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let epochs: [Check] = [
    Check("the end of an overdue epoch ends all its leases", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      let old = try await store.attach("old", for: .seconds(10))
      for id in ["a", "b"] as [FlowID] {
        _ = try await leases.acquire(id, under: old)
        try await store.commit(id, .sample("first"), from: 0, fence: old.fence)
      }
      try await store.advance(by: .seconds(11))
      let (heir, third) = (try await store.attach("heir"), try await store.attach("third"))
      _ = try await leases.acquire("a", under: heir)
      if store.harness.isInParts {
        try await store.refused(.fenced, what: "a beat after the epoch has ended in a part") {
          _ = try await leases.beat(old, for: .seconds(10))
        }
      }
      for id in ["a", "b"] as [FlowID] {
        try await store.refused(.fenced, what: "a commit to \(id) under the ended epoch") {
          try await store.commit(id, .sample("old"), from: 1, fence: old.fence)
        }
      }
      try await store.refused(.leased, what: "a lease of the flow that was taken") {
        _ = try await leases.acquire("a", under: third)
      }
      _ = try await leases.acquire("b", under: third)
    },
    Check("an overdue epoch without a wanted flow does not end", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample(), from: 0)
      try await store.commit("other", .sample(status: .runnable), from: 0)
      let old = try await store.attach("old", for: .seconds(10))
      _ = try await leases.acquire("flow", under: old)
      try await store.advance(by: .seconds(11))
      let heir = try await store.attach("heir")
      let claimed = try await leases.claimDue(under: heir, serving: ["check": 1...1], limit: 9)
      try store.expect(claimed.map(\.lease.id), ["other"], "the flows claimed beside a waiting one of an overdue host")
      _ = try await leases.beat(old, for: .seconds(10))
      try await store.commit("flow", .sample("next"), from: 1, fence: old.fence)
    },
    Check("a name attached again gets a new epoch, and the old one has ended", needs: [.leases]) { store in
      let leases = try store.leasing
      try await store.commit("flow", .sample("first"), from: 0)
      let old = try await store.attach("ann")
      _ = try await leases.acquire("flow", under: old)
      let new = try await store.attach("ann")
      try store.expect(old.fence < new.fence, "the fence \(new.fence) is not greater than \(old.fence)")
      try await store.refused(.fenced, what: "a commit under the older epoch") {
        try await store.commit("flow", .sample("old"), from: 1, fence: old.fence)
      }
      try await store.refused(.fenced, what: "a beat of the older epoch") {
        _ = try await leases.beat(old, for: .seconds(10))
      }
      _ = try await leases.acquire("flow", under: new)
      try await endedCalls(of: old, before: new, store)
      try await store.commit("flow", .sample("new"), from: 1, fence: new.fence)
      let other = try await store.attach("bob")
      try store.expect(new.fence < other.fence, "the fence of another name is not greater than \(new.fence)")
      let accents = [try await store.attach("caf\u{E9}"), try await store.attach("cafe\u{301}")]
      for accent in accents { _ = try await leases.beat(accent, for: .seconds(10)) }
    },
    Check("a host does not attach again over another one of its name", needs: [.leases]) { store in
      let leases = try store.leasing
      let old = try await store.attach("ann")
      let new = try await leases.attach(owner: "ann", for: .seconds(600), as: CommitID(), after: old)
      try await store.refused(.fenced, what: "an attach after an epoch that is not the latest of the name") {
        _ = try await leases.attach(owner: "ann", for: .seconds(600), as: CommitID(), after: old)
      }
      _ = try await leases.beat(new, for: .seconds(600))
      try await leases.detach(new)
      let last = try await leases.attach(owner: "ann", for: .seconds(600), as: CommitID(), after: old)
      try store.expect(new.fence < last.fence, "the fence of a name that had detached is not greater than \(new.fence)")
    },
    Check("a repeated attach returns the same epoch", needs: [.leases]) { store in
      let leases = try store.leasing
      let attempt = CommitID()
      let first = try await leases.attach(owner: "ann", for: .seconds(600), as: attempt, after: nil)
      _ = try await leases.acquire("flow", under: first)
      let again = try await leases.attach(owner: "ann", for: .seconds(600), as: attempt, after: nil)
      try store.expect(again.fence, first.fence, "the fence of the repeated attach")
      let later = try await leases.attach(owner: "ann", for: .seconds(600), as: attempt, after: first)
      try store.expect(later.fence, first.fence, "the fence of the attach that was repeated after its own epoch")
      try await store.commit("flow", .sample(), from: 0, fence: first.fence)
    },
    Check("detaching frees all flows of a host at once", needs: [.leases]) { store in
      let leases = try store.leasing
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      for id in ["a", "b"] as [FlowID] {
        try await store.commit(id, .sample(status: .runnable), from: 0)
        _ = try await leases.acquire(id, under: ann)
      }
      try await leases.detach(ann)
      _ = try await leases.acquire("a", under: bob)
      let claimed = try await leases.claimDue(under: bob, serving: ["check": 1...1], limit: 9)
      try store.expect(claimed.map(\.lease.id), ["b"], "the due flows after a host has detached")
      try await store.refused(.fenced, what: "a beat after detaching") {
        _ = try await leases.beat(ann, for: .seconds(9))
      }
      try await leases.detach(ann)
      _ = try await leases.beat(bob, for: .seconds(9))
    },
    Check("detaching an ended epoch leaves the one that replaced it", needs: [.leases]) { store in
      let leases = try store.leasing
      let old = try await store.attach("ann")
      let new = try await store.attach("ann")
      _ = try await leases.acquire("flow", under: new)
      try await leases.detach(old)
      try await store.commit("flow", .sample(), from: 0, fence: new.fence)
      _ = try await leases.beat(new, for: .seconds(600))
    },
    Check("the flows leased under an epoch are listed page by page", needs: [.leases]) { store in
      let leases = try store.leasing
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      // An empty text is a text, and stands before all others.
      let mine = [FlowID("")] + (1..<7).map { FlowID("mine \($0)") }
      for id in mine { _ = try await leases.acquire(id, under: ann) }
      _ = try await leases.acquire("bob's", under: bob)
      try await leases.release(FlowLease(of: mine[3], under: ann))
      var found: [FlowID] = []
      var cursor: String?
      repeat {
        let page = try await leases.leased(to: ann, after: cursor, limit: 2)
        try store.expect(page.flows.count <= 2, "a page has \(page.flows.count) flows; 2 were asked for")
        found += page.flows
        cursor = page.cursor
      } while cursor != nil
      let expected = mine.filter { $0 != mine[3] }.map(\.description)
      try store.expect(found.map(\.description).sorted(), expected, "the flows leased under the epoch")
      try await leases.detach(ann)
      try store.expect(
        try await leases.leased(to: ann, after: nil, limit: 9), LeasePage(flows: [], cursor: nil),
        "the flows of an ended epoch")
    },
  ]

  /// Makes every call under an epoch that has ended, while a later one of its name leases the flow.
  private static func endedCalls(of old: Epoch, before new: Epoch, _ store: CheckedStore) async throws {
    let leases = try store.leasing
    try await store.refused(.fenced, what: "an acquire under an ended epoch") {
      _ = try await leases.acquire("flow", under: old)
    }
    for limit in [0, 9] {
      try await store.refused(.fenced, what: "a claim of \(limit) flows under an ended epoch") {
        _ = try await leases.claimDue(under: old, serving: ["check": 1...1], limit: limit)
      }
    }
    let page = try await leases.leased(to: old, after: nil, limit: 9)
    try store.expect(page, LeasePage(flows: [], cursor: nil), "the flows leased under an ended epoch")
    try store.expect(try await leases.wanted(under: old), [], "the flows wanted under an ended epoch")
    try await leases.detach(old)
    try await leases.release(FlowLease(of: "flow", under: old))
    let left = try await leases.leased(to: new, after: nil, limit: 9)
    try store.expect(left.flows, ["flow"], "the flows leased under the later epoch after calls under the ended one")
  }
}
