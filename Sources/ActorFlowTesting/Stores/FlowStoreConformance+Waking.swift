import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowStoreConformance {
  static let waking: [Check] = [
    Check("nextDue is the time of the next timer of a served flow without a lease", needs: [.leases, .clock]) { store in
      let leases = try store.leasing
      func next() async throws -> Double? {
        try await leases.nextDue(serving: ["check": 1...2]).map {
          ($0.timeIntervalSince(store.harness.now())).rounded()
        }
      }
      try store.expect(try await next(), nil, "the next timer of an empty store")
      try await store.commit("other", .sample(definition: "other", wakeAt: store.time(5)), from: 0)
      try await store.commit("newer", .sample(version: 3, wakeAt: store.time(6)), from: 0)
      try await store.commit("runnable", .sample(status: .runnable), from: 0)
      try await store.commit("ended", .sample(status: .finished, wakeAt: store.time(7)), from: 0)
      try store.expect(try await next(), nil, "the next timer of flows that are not served or do not wait")
      try await store.commit("late", .sample(version: 2, wakeAt: store.time(60)), from: 0)
      try await store.commit("soon", .sample(wakeAt: store.time(20)), from: 0)
      try store.expect(try await next(), 20, "the seconds until the next timer")
      let ann = try await store.attach("ann")
      let lease = try await leases.acquire("soon", under: ann).lease
      try store.expect(try await next(), 60, "the seconds until the next timer while the first flow is leased")
      try await leases.release(lease)
      try store.expect(try await next(), 20, "the seconds until the next timer after the release")
      try await store.advance(by: .seconds(30))
      try store.expect(try await next(), 30, "the seconds until the next timer when the first is due")
      let old = try await store.attach("old", for: .seconds(10))
      _ = try await leases.acquire("late", under: old)
      try await store.advance(by: .seconds(20))
      try store.expect(try await next(), nil, "the next timer of a flow that is leased under an overdue epoch")
      try await leases.detach(old)
      try store.expect(try await next(), 10, "the seconds until the next timer after the end of that epoch")
      try await store.advance(by: .seconds(10))
      try store.expect(try await next(), nil, "the next timer when the last one is due at this very moment")
    },
    Check("a refused acquire leaves a wish until the lease ends, if the store knows wishes", needs: [.leases]) {
      store in
      let leases = try store.leasing
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      for id in ["flow", "quiet"] as [FlowID] {
        try await store.commit(id, .sample(), from: 0)
        _ = try await leases.acquire(id, under: ann)
      }
      try store.expect(try await leases.wanted(under: ann), [], "the wanted flows before a wish")
      for _ in 0..<2 {
        try await store.refused(.leased, what: "an acquire of a leased flow") {
          _ = try await leases.acquire("flow", under: bob)
        }
      }
      let wanted = try await leases.wanted(under: ann)
      try store.expect(wanted == ["flow"] || wanted == [], "the wanted flows are \(wanted)")
      _ = try await leases.acquire("flow", under: ann)
      try store.expect(try await leases.wanted(under: ann), wanted, "the wanted flows after the holder acquired again")
      try await leases.release(FlowLease(of: "flow", under: ann))
      try store.expect(try await leases.wanted(under: ann), [], "the wanted flows after the release")
      _ = try await leases.acquire("unstored", under: ann)
      try await store.refused(.leased, what: "an acquire of a leased flow that is not stored") {
        _ = try await leases.acquire("unstored", under: bob)
      }
      try store.expect(
        try await leases.wanted(under: ann), wanted.isEmpty ? [] : ["unstored"], "the wanted flows that are not stored")
      _ = try await leases.acquire("flow", under: bob)
      try store.expect(try await leases.wanted(under: bob), [], "the wanted flows of the host that wished")
      // A wish ends with its lease, in whichever way the lease ends.
      try await endings(of: ann, besides: bob, store)
    },
    Check("changes tell of due, wanted and freed flows, if the store tells of any", needs: [.leases]) { store in
      let leases = try store.leasing
      guard let changes = leases.changes else { return }
      let (ann, bob) = (try await store.attach("ann"), try await store.attach("bob"))
      try await store.commit("flow", .sample(status: .runnable), from: 0)
      _ = try await leases.acquire("flow", under: ann)
      try await store.refused(.leased, what: "an acquire of a leased flow") {
        _ = try await leases.acquire("flow", under: bob)
      }
      _ = try await store.store.commit(
        FlowWrite(
          .sample("next", status: .runnable), to: "flow", expecting: Revision(1), fence: ann.fence, releasing: true))
      let missing = Lock(["due", "wanted", "freed", "due"])
      let isTold = try await Patience(.seconds(10)).wait {
        for await change in changes {
          let word =
            switch change {
            case .due("flow", definition: "check", at: _): "due"
            case .wanted("flow", under: ann.fence): "wanted"
            case .freed("flow"): "freed"
            default: ""
            }
          let isAll = missing.withLock { missing in
            if word == missing.first { missing.removeFirst() }
            return missing.isEmpty
          }
          if isAll { return true }
        }
        return false
      }
      let left = missing.withLock { $0.joined(separator: ", ") }
      try store.expect(isTold ?? false, "the stream has not told, in this order and within 10 seconds: \(left)")
    },
  ]

  private static func endings(of ann: Epoch, besides bob: Epoch, _ store: CheckedStore) async throws {
    let leases = try store.leasing
    let endings: [(String, @Sendable (Epoch) async throws -> Void)] = [
      ("a release", { try await leases.release(FlowLease(of: "wanted", under: $0)) }),
      (
        "a write that releases",
        {
          _ = try await store.store.commit(
            FlowWrite(.sample("next"), to: "wanted", expecting: Revision(1), fence: $0.fence, releasing: true))
        }
      ),
      ("a delete", { try await store.store.delete("wanted", expecting: Revision(1), fence: $0.fence) }),
      ("the end of the epoch", { try await leases.detach($0) }),
    ]
    for (what, end) in endings {
      let holder = try await store.attach("holder")
      if try await store.store.load("wanted") == nil { try await store.commit("wanted", .sample(), from: 0) }
      _ = try await leases.acquire("wanted", under: holder)
      try await store.refused(.leased, what: "an acquire of a leased flow before \(what)") {
        _ = try await leases.acquire("wanted", under: bob)
      }
      try await end(holder)
      let next = try await store.attach("next")
      _ = try await leases.acquire("wanted", under: next)
      try store.expect(try await leases.wanted(under: next), [], "the wanted flows of the next holder after \(what)")
      try await leases.detach(next)
      if let flow = try await store.store.load("wanted") {
        try await store.store.delete("wanted", expecting: flow.revision, fence: nil)
      }
    }
  }
}
