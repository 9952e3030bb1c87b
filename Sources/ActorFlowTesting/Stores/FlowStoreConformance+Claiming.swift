import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let claiming: [Check] = [
    Check("claimDue: 4 claimers, 40 flows, each once", needs: [.leases]) { store in
      for number in 0..<40 { try await store.commit(FlowID("\(number)"), .sample(status: .runnable), from: 0) }
      let handles = [try store.leasing, try await store.secondHandle().leasing]
      let claimed = try await withThrowingTaskGroup(of: [FlowLease].self) { group in
        for claimer in 0..<4 {
          let handle = handles[claimer % 2]
          let epoch = try await store.attach("claimer \(claimer)")
          group.addTask {
            var all: [FlowLease] = []
            while true {
              let some = try await handle.claimDue(under: epoch, serving: ["check": 1...1], limit: 3).map(\.lease)
              try store.expect(some.count <= 3, "\(some.count) flows were claimed, 3 were asked for")
              if some.isEmpty { return all }
              all += some
            }
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try store.expect(claimed.count, 40, "how many leases were given")
      try store.expect(Set(claimed.map(\.id)).count, 40, "how many flows were claimed")
      for lease in claimed { try await store.commit(lease.id, .sample(), from: 1, fence: lease.fence) }
    },
    Check(
      "claimDue: waiting, future, unknown, unserved versions and terminal never", needs: [.leases, .clock]
    ) { store in try await never(store) },
    Check("claimDue takes over a dead node's flow and a due timer", needs: [.leases, .clock]) { store in
      try await takeover(store)
    },
    Check("claimDue ends the epoch whose flow it takes, with all its leases", needs: [.leases, .clock]) { store in
      try await store.commit("due", .sample(status: .runnable), from: 0)
      try await store.commit("waiting", .sample(), from: 0)
      let dead = try await store.attach("dead", for: .seconds(10))
      for id in ["due", "waiting"] as [FlowID] { _ = try await store.leasing.acquire(id, under: dead) }
      try await store.advance(by: .seconds(11))
      let heir = try await store.attach("heir")
      try store.expect(try await claim(store, by: heir), ["due"], "the flows claimed of an overdue host")
      let commit = {
        try await store.refused(.fenced, what: "a commit of the overdue host to its other flow") {
          try await store.commit("waiting", .sample("dead"), from: 1, fence: dead.fence)
        }
      }
      if !store.harness.isInParts { try await commit() }
      try await store.refused(.fenced, what: "a beat of the overdue host") {
        _ = try await store.leasing.beat(dead, for: .seconds(10))
      }
      try await commit()
      let others = [try await store.attach("one", for: .seconds(10)), try await store.attach("two", for: .seconds(10))]
      for other in others {
        let id = FlowID("due of \(other.owner)")
        try await store.commit(id, .sample(status: .runnable), from: 0)
        _ = try await store.leasing.acquire(id, under: other)
      }
      try await store.advance(by: .seconds(11))
      // A claim of one flow asks one part only.
      let limit = store.harness.isInParts ? 99 : 1
      try store.expect(
        try await claim(store, by: heir, limit: limit).count, min(limit, 2), "how many flows were claimed of two hosts")
      for other in others {
        try await store.refused(.fenced, what: "a beat of the overdue host \(other.owner), whose flow was due") {
          _ = try await store.leasing.beat(other, for: .seconds(10))
        }
      }
    },
    Check("claimDue leaves the caller's own epoch, also an overdue one", needs: [.leases, .clock]) { store in
      try await store.commit("mine", .sample(status: .runnable), from: 0)
      let ann = try await store.attach("ann", for: .seconds(10))
      _ = try await store.leasing.acquire("mine", under: ann)
      try await store.advance(by: .seconds(11))
      let claimed = try await store.leasing.claimDue(under: ann, serving: ["check": 1...1], limit: 9)
      try store.expect(claimed.map(\.lease.id), [], "the flows that a host claimed beside its own")
      _ = try await store.leasing.acquire("mine", under: ann)
      try await store.commit("mine", .sample(), from: 1, fence: ann.fence)
      _ = try await store.leasing.beat(ann, for: .seconds(10))
    },
    Check("claimDue takes a flow at the very time of its timer, and of a beat", needs: [.leases, .clock]) { store in
      try await store.commit("timer", .sample(wakeAt: store.time(10)), from: 0)
      try await store.commit("held", .sample(status: .runnable), from: 0)
      let dead = try await store.attach("dead", for: .seconds(10))
      _ = try await store.leasing.acquire("held", under: dead)
      let heir = try await store.attach("heir")
      try await store.advance(by: .seconds(10))
      try store.expect(try await claim(store, by: heir).sorted(), ["held", "timer"], "the flows due exactly now")
      let last = try await store.attach("last", for: .seconds(10))
      for id in ["acquired", "written"] as [FlowID] {
        try await store.commit(id, .sample(), from: 0)
        _ = try await store.leasing.acquire(id, under: last)
      }
      try await store.advance(by: .seconds(10))
      try await store.commit("written", .sample("next"), from: 1)
      _ = try await store.leasing.acquire("acquired", under: heir)
    },
    Check("claimDue takes the longest due flow first", needs: [.leases, .clock]) { store in
      for (name, seconds) in [("c", 30.0), ("a", 10), ("d", 40), ("b", 20)] {
        try await store.commit(FlowID(name), .sample(wakeAt: store.time(seconds)), from: 0)
      }
      try await store.advance(by: .seconds(35))
      let ann = try await store.attach("ann")
      var claimed: [String] = []
      if store.harness.isInParts {
        claimed = try await claim(store, by: ann, limit: 99)
      } else {
        for _ in 0..<4 { claimed += try await claim(store, by: ann, limit: 1) }
      }
      try store.expect(claimed, ["a", "b", "c"], "the flows in the order of their claims")
    },
    Check("claimDue finds the flow behind many that may not be claimed", needs: [.leases, .clock]) { store in
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      for number in 0..<40 {
        let id = FlowID("\(number)")
        let due = store.time(Double(number))
        switch number % 4 {
        case 0: try await store.commit(id, .sample(definition: "unknown", wakeAt: due), from: 0)
        case 1: try await store.commit(id, .sample(version: 9, wakeAt: due), from: 0)
        case 2: try await store.commit(id, .sample(status: .suspended, wakeAt: due), from: 0)
        default:
          try await store.commit(id, .sample(wakeAt: due), from: 0)
          _ = try await store.leasing.acquire(id, under: bob)
        }
      }
      for name in ["wanted", "later"] {
        try await store.commit(FlowID(name), .sample(wakeAt: store.time(name == "wanted" ? 50 : 51)), from: 0)
      }
      try await store.advance(by: .seconds(60))
      var claimed = try await claim(store, by: ann, limit: 1)
      claimed += try await claim(store, by: ann, limit: 1)
      if store.harness.isInParts { claimed.sort(by: >) }
      try store.expect(claimed, ["wanted", "later"], "the flows that may be claimed, one by one")
      try store.expect(
        try await claim(store, by: ann, limit: .max), [], "what is left to claim, with the greatest limit")
    },
    Check("claimDue follows updates", needs: [.leases, .clock]) { store in
      try await store.commit("flow", .sample(wakeAt: store.time(10)), from: 0)
      try await store.commit("flow", .sample(wakeAt: store.time(100)), from: 1)
      try await store.commit("other", .sample(status: .runnable), from: 0)
      try await store.commit("other", .sample(), from: 1)
      try await store.commit("gone", .sample(status: .runnable), from: 0)
      try await store.store.delete("gone", expecting: Revision(1), fence: nil)
      try await store.advance(by: .seconds(50))
      let ann = try await store.attach("ann")
      try store.expect(try await claim(store, by: ann), [], "the due flows after the timer was moved")
      try await store.commit("other", .sample(version: 2, status: .runnable), from: 2)
      try store.expect(try await claim(store, by: ann), ["other"], "the due flows after a flow became runnable")
      try await store.advance(by: .seconds(51))
      try store.expect(try await claim(store, by: ann, limit: 1), ["flow"], "the due flows when the time has come")
    },
  ]

  private static func claim(_ store: CheckedStore, by epoch: Epoch, limit: Int = 99) async throws -> [String] {
    try await store.leasing.claimDue(under: epoch, serving: ["check": 1...2], limit: limit)
      .map(\.lease.id.description)
  }

  private static func never(_ store: CheckedStore) async throws {
    let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
    try await store.commit("waiting", .sample(), from: 0)
    try await store.commit("future", .sample(wakeAt: store.time(3_600)), from: 0)
    try await store.commit("unknown", .sample(definition: "unknown", status: .runnable), from: 0)
    try await store.commit("older", .sample(version: 0, status: .runnable), from: 0)
    try await store.commit("newer", .sample(version: 3, status: .runnable), from: 0)
    let past = store.time(-60)
    for status in FlowSnapshot.Status.allCases where !status.isClaimable {
      try await store.commit(FlowID("\(status)"), .sample(status: status, wakeAt: past), from: 0)
    }
    try await store.commit("leased", .sample(status: .runnable), from: 0)
    _ = try await store.leasing.acquire("leased", under: bob)
    try await store.commit("mine", .sample(status: .runnable), from: 0)
    _ = try await store.leasing.acquire("mine", under: ann)
    try store.expect(try await claim(store, by: ann), [], "the claimed flows")
    try await store.commit("accent", .sample(definition: "caf\u{E9}", status: .runnable), from: 0)
    let twoScalars = try await store.leasing.claimDue(under: ann, serving: ["cafe\u{301}": 1...1], limit: 9)
    try store.expect(twoScalars, [], "the flows claimed of a definition whose name has other bytes")
    try await store.commit("due", .sample(version: 2, wakeAt: past), from: 0)
    try await store.commit("runnable", .sample(status: .runnable), from: 0)
    try store.expect(try await claim(store, by: ann, limit: 0), [], "the flows claimed with limit 0")
    try store.expect(
      try await claim(store, by: ann).sorted(), ["due", "runnable"], "the flows claimed when there was work")
    try store.expect(try await claim(store, by: ann), [], "the flows claimed again")
    try store.expect(try await claim(store, by: bob), [], "the flows claimed by another host")
  }

  private static func takeover(_ store: CheckedStore) async throws {
    try await store.commit("dead", .sample(status: .runnable), from: 0)
    try await store.commit("timer", .sample(wakeAt: store.time(20)), from: 0)
    try await store.commit("both", .sample(wakeAt: store.time(5)), from: 0)
    let dead = try await store.attach("dead", for: .seconds(30))
    try store.expect(try await claim(store, by: dead), ["dead"], "the flows that the dead host had claimed")
    _ = try await store.leasing.acquire("both", under: dead)
    try await store.advance(by: .seconds(21))
    let (heir, third) = (try await store.attach("heir"), try await store.attach("third"))
    try store.expect(try await claim(store, by: heir), ["timer"], "the due flows while the beat is not overdue")
    try await store.advance(by: .seconds(10))
    try store.expect(
      try await claim(store, by: heir).sorted(), ["both", "dead"], "the due flows after the beat is overdue")
    for id in ["both", "dead"] as [FlowID] {
      try await store.refused(.fenced, what: "the dead host's commit") {
        try await store.commit(id, .sample("dead"), from: 1, fence: dead.fence)
      }
      try await store.commit(id, .sample("heir", status: .runnable), from: 1, fence: heir.fence)
      try store.expect(try await claim(store, by: third), [], "the due flows while the heir has the lease")
      try await store.leasing.release(FlowLease(of: id, under: heir))
      try store.expect(
        try await claim(store, by: third), [id.description], "the due flows after the heir's release")
    }
  }
}
