import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let closing: [Check] = [
    Check("a closed store refuses every call, and has done what it acknowledged", needs: [.closing, .reopening]) {
      store in
      let base = try await store.commit("base", .sample(), from: 0, history: [.sample(1)])
      let written = AsyncEvent()
      let (done, refused) = try await withThrowingTaskGroup(of: ([StoredFlow], FlowID?).self) { group in
        for writer in 0..<16 {
          group.addTask { try await write("writer \(writer)", store) { written.signal() } }
        }
        await written.wait()
        try await store.harness.close?(store.store)
        return try await group.reduce(into: ([StoredFlow](), Set<FlowID>())) { all, one in
          all.0 += one.0
          if let refused = one.1 { all.1.insert(refused) }
        }
      }
      try await store.refused(.unavailable, what: "a load from a closed store") {
        _ = try await store.store.load("base")
      }
      try await store.refused(.unavailable, what: "a list of a closed store") {
        _ = try await store.store.list(FlowQuery(), after: nil, limit: 9)
      }
      try await store.refused(.unavailable, what: "a commit to a closed store") {
        try await store.commit("base", .sample("late"), from: 1)
      }
      // Closing it again has no effect.
      try await store.harness.close?(store.store)
      let again = try await store.reopened()
      try await again.unchanged("base", base, "after closing and opening")
      for flow in done {
        try again.expect(try await again.store.load(flow.id), flow, "a flow written while the store was closed")
      }
      for id in refused {
        try await again.unchanged(id, nil, "a flow that was refused as unavailable while the store was closed")
      }
    }
  ]

  /// Writes flows until the store is closed. Returns those that were acknowledged, and the one that was refused.
  private static func write(
    _ name: String, _ store: CheckedStore, onWritten: @Sendable () -> Void
  ) async throws -> ([StoredFlow], FlowID?) {
    defer { onWritten() }
    var written: [StoredFlow] = []
    while written.count < 200 {
      let id = FlowID("\(name), \(written.count)")
      do { written.append(try await store.commit(id, .sample(), from: 0)) } catch let error as FlowStoreError {
        switch error.code {
        case .unavailable: return (written, id)
        case .outcomeUnknown: return (written, nil)
        default: throw error
        }
      }
      onWritten()
    }
    return (written, nil)
  }
}
