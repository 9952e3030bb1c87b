import ActorFlow
import ActorFlowHosting

// Connections that break in the middle of a write: its caller must learn that the outcome is not known.
extension FlowStoreConformance {
  static let severing: [Check] = [
    Check("a write whose connection breaks has an unknown outcome, and a retry settles it", needs: [.severing]) {
      store in
      for moment in store.harness.severances {
        for write in CrashedWrite.allCases { try await sever(write, moment, store) }
      }
    }
  ]

  private static func sever(
    _ write: CrashedWrite, _ moment: FlowStoreHarness.Severance, _ store: CheckedStore
  ) async throws {
    let what = "the write '\(write)' whose connection broke \(moment)"
    let name = CommitID()
    try await write.prepare(store)
    try await store.harness.sever?(store.store, moment)
    var isAcknowledged = false
    do {
      _ = try await write.perform(on: store, as: name)
      // The store has found out by itself.
      isAcknowledged = true
    } catch let error as FlowStoreError {
      // Before the write, a store may know that it was not done.
      let codes: [FlowStoreError.Code] =
        moment == .beforeTheWrite ? [.outcomeUnknown, .unavailable] : [.outcomeUnknown]
      try store.expect(codes.contains(error.code), "\(what): expected \(codes), found \(error)")
    } catch {
      throw store.failure("\(what): expected a FlowStoreError outcomeUnknown, found \(error)")
    }
    let isDone = try await write.isDone(store, what)
    try store.expect(isDone, isAcknowledged || moment == .afterTheWrite, "whether it is done: \(what)")
    // The store stays usable.
    let other = try await store.commit(.unique(), .sample(), from: 0, history: [.sample(1)])
    try await store.unchanged(other.id, other, "another flow after \(what)")
    try await write.retry(on: store, as: name)
    try store.expect(try await write.isDone(store, "a retry"), "a retry did not settle \(what)")
    let next = try await store.commit(other.id, .sample("next"), from: 1)
    try await store.unchanged(other.id, next, "another flow after a retry of \(what)")
  }
}
