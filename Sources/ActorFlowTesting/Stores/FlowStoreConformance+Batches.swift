import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let batches: [Check] = [
    Check("several writes have a result each, and a refused one refuses no other") { store in
      let base = try await store.commit("b", .sample("base"), from: 0)
      let results = await store.store.commit([
        FlowWrite(.sample("a"), to: "a", expecting: .none, appending: [.sample(1, "a")]),
        FlowWrite(.sample("stale"), to: "b", expecting: .none, appending: [.sample(1, "stale")]),
        FlowWrite(.sample("c"), to: "c", expecting: .none),
        FlowWrite(.sample("c again"), to: "c", expecting: Revision(1)),
      ])
      try store.expect(results.count, 4, "how many results four writes have")
      try store.expect(code(of: results[1]), .conflict, "the error of the stale write")
      try await store.unchanged("a", try results[0].get(), "the first write")
      try await store.unchanged("b", base, "the flow of the refused write")
      try store.expect(try results[2].get().revision, Revision(1), "the revision after the third write")
      try await store.unchanged("c", try results[3].get(), "the second write of a flow")
      try store.expect(try await store.store.history(of: "b", after: 0, limit: 9), [], "the refused write's history")
      try store.expect(await store.store.commit([]).count, 0, "how many results no write has")
    },
    Check("a repeated batch writes nothing twice") { store in
      let writes = ["a", "b"].map { (id: FlowID) in
        FlowWrite(.sample("one"), to: id, expecting: .none, appending: [.sample(1)])
      }
      let first = try await store.store.commit(writes).map { try $0.get() }
      let again = try await store.store.commit(writes).map { try $0.get() }
      try store.expect(again, first, "the flows that the repetition returned")
      for flow in first {
        try await store.unchanged(flow.id, flow, "after the repetition")
        try store.expect(try await store.store.history(of: flow.id, after: 0, limit: 9), [.sample(1)], "its history")
      }
    },
    Check("requests that a write carries change nothing of the flow") { store in
      let requests = [FlowWrite.Request(.answer, key: "k", by: "ann"), FlowWrite.Request(.start)]
      let write = FlowWrite(.sample("one"), to: "flow", expecting: .none, carrying: requests, releasing: true)
      try await store.unchanged("flow", try await store.store.commit(write), "a write with requests")
    },
  ]

  private static func code(of result: Result<StoredFlow, FlowStoreError>) -> FlowStoreError.Code? {
    guard case .failure(let error) = result else { return nil }
    return error.code
  }
}
