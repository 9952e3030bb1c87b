import ActorFlow
import ActorFlowHosting

extension FlowStoreConformance {
  static let notes: [Check] = [
    Check("notes stand beside the flows, each under its own key") { store in try await separate(store) },
    Check("a note is replaced only by those who have read it") { store in try await replacing(store) },
    Check("reopen keeps notes", needs: [.reopening]) { store in
      let note = StoreNote([1, 2, 3], until: store.time(3_600))
      try await store.store.setNote(note, under: "kept", replacing: nil)
      try await store.store.setNote(StoreNote([4]), under: "removed", replacing: nil)
      try await store.store.setNote(nil, under: "removed", replacing: StoreNote([4]))
      let again = try await store.reopened()
      try again.expect(try await again.store.note("kept"), note, "a note after reopening")
      try again.expect(try await again.store.note("removed"), nil, "a removed note after reopening")
      try await again.store.setNote(StoreNote([5]), under: "kept", replacing: note)
      let last = try await again.reopened()
      try last.expect(try await last.store.note("kept"), StoreNote([5]), "a replaced note after reopening")
    },
  ]

  private static func separate(_ store: CheckedStore) async throws {
    let flow = try await store.commit("key", .sample(), from: 0, history: [.sample(1)])
    let keys = ["key", "KEY", "", "k/../e%y", "e\u{301}", String(repeating: "long ", count: 400)]
    for (number, key) in keys.enumerated() {
      try store.expect(try await store.store.note(key), nil, "a note that was never written")
      let note = StoreNote([UInt8(number)], until: number == 1 ? store.time(60) : nil)
      try await store.store.setNote(note, under: key, replacing: nil)
      try store.expect(try await store.store.note(key), note, "the note under \(key)")
    }
    for (number, key) in keys.enumerated() {
      try store.expect(try await store.store.note(key)?.bytes, [UInt8(number)], "the note under \(key)")
    }
    let empty = StoreNote([])
    try await store.store.setNote(empty, under: "empty", replacing: nil)
    try store.expect(try await store.store.note("empty"), empty, "an empty note")
    let full = StoreNote([UInt8](repeating: 7, count: 1_024))
    try await store.store.setNote(full, under: "empty", replacing: empty)
    try store.expect(try await store.store.note("empty"), full, "a note of 1,024 bytes")
    try store.expect(try await store.allFlows().map(\.id), ["key"], "the flows beside notes")
    try await store.unchanged("key", flow, "beside a note")
    try await store.store.delete("key", expecting: Revision(1), fence: nil)
    try store.expect(try await store.store.note("key")?.bytes, [0], "the note under the id of a deleted flow")
  }

  private static func replacing(_ store: CheckedStore) async throws {
    let (first, second) = (StoreNote([1], until: store.time(60)), StoreNote([2]))
    try await store.refused(.conflict, what: "replacing a note that is not there") {
      try await store.store.setNote(second, under: "a", replacing: first)
    }
    try store.expect(try await store.store.note("a"), nil, "the note after a refused write")
    try await store.store.setNote(first, under: "a", replacing: nil)
    for stale in [nil, second, StoreNote([1]), StoreNote([1], until: store.time(61))] {
      try await store.refused(.conflict, what: "replacing a note that has changed") {
        try await store.store.setNote(second, under: "a", replacing: stale)
      }
      try await store.refused(.conflict, what: "removing a note that has changed") {
        try await store.store.setNote(nil, under: "a", replacing: stale)
      }
    }
    try store.expect(try await store.store.note("a"), first, "the note after refused writes")
    try await store.store.setNote(second, under: "a", replacing: first)
    try store.expect(try await store.store.note("a"), second, "the replaced note")
    try await store.store.setNote(nil, under: "a", replacing: second)
    try store.expect(try await store.store.note("a"), nil, "the removed note")
    let written = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<32 {
        group.addTask {
          (try? await store.store.setNote(StoreNote([UInt8(number)]), under: "race", replacing: nil)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try store.expect(written, 1, "how many of 32 writers at once have written the note")
  }
}
