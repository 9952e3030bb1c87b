import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let onDisk: [Check] = [
    Check("reopen keeps state and history", needs: [.reopening]) { store in
      let flows = try await fill(store)
      let again = try await store.reopened()
      for flow in flows {
        try await again.unchanged(flow.id, flow, "after reopening")
        try again.expect(
          try await again.store.history(of: flow.id, after: 0, limit: 9), [.sample(1), .sample(2)], "the history")
      }
      try await again.unchanged("deleted", nil, "a deleted flow after reopening")
      try again.expect(try await again.allFlows().count, flows.count, "how many flows are listed")
      let next = try await again.commit(flows[0].id, .sample("next"), from: 2, history: [.sample(3)])
      let last = try await again.reopened()
      try await last.unchanged(next.id, next, "after reopening twice")
      try last.expect(
        try await last.store.history(of: next.id, after: 0, limit: 9), [.sample(1), .sample(2), .sample(3)],
        "the history after reopening twice")
    },
    Check("reopen keeps the name of the last commit", needs: [.reopening]) { store in
      let name = CommitID()
      let first = try await store.commit("flow", .sample(), from: 0, as: name, history: [.sample(1)])
      let again = try await store.reopened()
      let retried = try await again.commit("flow", .sample(), from: 0, as: name, history: [.sample(1)])
      try again.expect(retried, first, "the flow that a retry after reopening returned")
      try again.expect(try await again.store.history(of: "flow", after: 0, limit: 9), [.sample(1)], "the history")
    },
    Check("reopen keeps leases", needs: [.reopening, .leases]) { store in
      try await store.commit("flow", .sample(status: .runnable), from: 0)
      let ann = try await store.attach("ann")
      _ = try await store.leasing.acquire("flow", under: ann)
      let again = try await store.reopened()
      let bob = try await again.attach("bob")
      try again.expect(ann.fence < bob.fence, "the fence \(bob.fence) is not greater than \(ann.fence)")
      try await again.refused(.leased, what: "a lease after reopening") {
        _ = try await again.leasing.acquire("flow", under: bob)
      }
      try again.expect(
        try await again.leasing.claimDue(under: bob, serving: ["check": 1...1], limit: 9), [],
        "the flows claimed after reopening")
      try await again.commit("flow", .sample("next"), from: 1, fence: ann.fence)
      _ = try await again.leasing.beat(ann, for: .seconds(600))
      for epoch in [ann, bob] { try await again.leasing.detach(epoch) }
      let last = try await again.reopened()
      let cleo = try await last.attach("cleo")
      try last.expect(bob.fence < cleo.fence, "the fence \(cleo.fence) after all hosts had detached is not new")
    },
    Check("a crash loses no epoch and no lease", needs: [.crashing, .leases]) { store in
      for id in ["held", "claimed"] as [FlowID] { try await store.commit(id, .sample(), from: 0) }
      try await store.commit("claimed", .sample(status: .runnable), from: 1)
      let ann = try await store.attach("ann")
      _ = try await store.leasing.acquire("held", under: ann)
      let again = try await store.crashed()
      let claims = try await again.leasing.claimDue(under: ann, serving: ["check": 1...1], limit: 9)
      try again.expect(claims.map(\.lease.id), ["claimed"], "the flows claimed after a crash")
      let last = try await again.crashed()
      let bob = try await last.attach("bob")
      try last.expect(ann.fence < bob.fence, "the fence \(bob.fence) is not greater than \(ann.fence)")
      for id in ["held", "claimed"] as [FlowID] {
        try await last.refused(.leased, what: "a lease of the flow \(id) after a crash") {
          _ = try await last.leasing.acquire(id, under: bob)
        }
      }
      for epoch in [ann, bob] { try await last.leasing.detach(epoch) }
      let free = try await last.crashed()
      let cleo = try await free.attach("cleo")
      try free.expect(bob.fence < cleo.fence, "the fence \(cleo.fence) after all hosts had detached is not new")
      for id in ["held", "claimed"] as [FlowID] { _ = try await free.leasing.acquire(id, under: cleo) }
    },
    Check("a due flow that cannot be read is neither leased nor claimed", needs: [.damage, .leases]) { store in
      guard let damage = store.harness.damage else { return }
      for id in ["damaged", "sound"] as [FlowID] { try await store.commit(id, .sample(status: .runnable), from: 0) }
      try await damage(store.store, "damaged", .flippedInTheMiddle)
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      for epoch in [ann, bob] {
        try await store.refused(.corrupted, what: "an acquire of a flow that cannot be read, by \(epoch.owner)") {
          _ = try await store.leasing.acquire("damaged", under: epoch)
        }
      }
      let claims = try await store.leasing.claimDue(under: ann, serving: ["check": 1...1], limit: 9)
      try store.expect(claims.map(\.lease.id), ["sound"], "the flows claimed beside one that cannot be read")
      for (epoch, expected) in [(ann, ["sound"]), (bob, [])] as [(Epoch, [FlowID])] {
        let page = try await store.leasing.leased(to: epoch, after: nil, limit: 9)
        try store.expect(page.flows, expected, "the flows leased to \(epoch.owner)")
      }
    },
    Check("a flipped byte is corrupted", needs: [.damage]) { store in
      try await refuse([.flippedAtStart, .flippedInTheMiddle, .flippedAtEnd], .corrupted, store)
    },
    Check("a truncated flow is corrupted, not nil", needs: [.damage]) { store in
      try await refuse([.shortened, .halved, .emptied], .corrupted, store)
    },
    Check("a newer format is unsupportedFormat, and never overwritten", needs: [.damage]) { store in
      try await refuse([.newerFormat], .unsupportedFormat, store)
    },
  ]

  private static func fill(_ store: CheckedStore) async throws -> [StoredFlow] {
    var flows: [StoredFlow] = []
    for name in ["plain", "quote \" \u{1F469} /", "", String(repeating: "long ", count: 200)] {
      let id = FlowID(name)
      try await store.commit(id, .sample("first"), from: 0, history: [.sample(1)])
      flows.append(
        try await store.commit(
          id, .sample("second", wakeAt: store.time(60), tasks: [.sample("q", for: "ann")], labels: ["a": "b"]), from: 1,
          history: [.sample(2)]))
    }
    try await store.commit("deleted", .sample(), from: 0, history: [.sample(1)])
    try await store.store.delete("deleted", expecting: Revision(1), fence: nil)
    return flows
  }

  /// Damages a flow, and expects that every read and write of it throws, and that the flow beside it is unchanged.
  private static func refuse(
    _ damages: [FlowStoreHarness.Damage], _ code: FlowStoreError.Code, _ first: CheckedStore
  ) async throws {
    var store = first
    for damage in damages { store = try await refuse(damage, code, store) }
  }

  /// Returns the store to continue with, because reopening closes the one passed in.
  private static func refuse(
    _ damage: FlowStoreHarness.Damage, _ code: FlowStoreError.Code, _ store: CheckedStore
  ) async throws -> CheckedStore {
    let id = FlowID("\(damage)")
    let beside = try await store.commit(FlowID("beside \(damage)"), .sample("beside"), from: 0)
    try await store.commit(
      id, .sample("before", tasks: [.sample("q", for: "ann")]), from: 0, history: [.sample(1)])
    try await store.harness.damage?(store.store, id, damage)
    try await expectRefusals(of: id, damage, code, store)
    try await store.unchanged(beside.id, beside, "the flow beside one that is \(damage)")
    guard store.harness.reopen != nil else { return store }
    let again = try await store.reopened()
    try await expectRefusals(of: id, damage, code, again)
    try await again.unchanged(beside.id, beside, "the flow beside one that is \(damage), after reopening")
    return again
  }

  private static func expectRefusals(
    of id: FlowID, _ damage: FlowStoreHarness.Damage, _ code: FlowStoreError.Code, _ store: CheckedStore
  ) async throws {
    for _ in 0..<2 {
      try await store.refused(code, what: "a load of a flow that is \(damage)") {
        if let found = try await store.store.load(id) { throw store.failure("\(damage): \(found) was loaded") }
      }
      for revision in 0...1 {
        try await store.refused(code, what: "a commit from \(revision) over a flow that is \(damage)") {
          try await store.commit(id, .sample("after"), from: revision)
        }
      }
      try await store.refused(code, what: "a delete of a flow that is \(damage)") {
        try await store.store.delete(id, expecting: Revision(1), fence: nil)
      }
    }
  }
}
