import ActorFlow
import ActorFlowHosting

// Values in a table of their own, as a database has them, with the mistakes that can be made there.
extension MutantStore {
  /// Whether the values are in the table, and the base store has none.
  var keepsTableOfValues: Bool {
    switch mutation {
    case .forgetsNewValues, .dropsValuesEarly, .mixesValues, .keepsValuesOfDeleted, .writesValuesOfRefused,
      .retriesWithoutValues, .weighsNoValues, .countsOnMissingValues:
      true
    default: false
    }
  }

  private func key(_ id: FlowID, _ number: Int) -> String {
    mutation == .mixesValues ? "\(number)" : "\(id)/\(number)"
  }

  /// Returns a flow of the base store with the values of the table.
  func withValues(_ flow: StoredFlow) -> StoredFlow {
    guard keepsTableOfValues else { return flow }
    var flow = flow
    flow.snapshot.values = seen.withLock { seen in
      (seen.named[flow.id] ?? []).compactMap { seen.values[key(flow.id, $0)] }
    }
    return flow
  }

  func commitWithTable(_ write: FlowWrite, after current: Revision) async throws -> StoredFlow {
    let (id, isRetry) = (write.id, current != write.expecting)
    let isLarge = write.snapshot.encoded().count > FlowSnapshot.maximumBytes
    if isLarge, mutation != .weighsNoValues { throw FlowStoreError(.tooLarge, "too large") }
    var row = write
    row.storedValues = []
    row.snapshot.values = []
    if !isRetry, mutation != .countsOnMissingValues {
      let stored = seen.withLock { seen in
        write.storedValues.filter { seen.values[key(id, $0)] != nil }
      }
      try write.checkValues(areAmong: stored)
    }
    if mutation == .writesValuesOfRefused { insert(write) }
    let stored = try await base.commit(row)
    if !isRetry {
      insert(write)
      seen.withLock { seen in
        seen.named[id] = write.snapshot.values.map(\.number)
        for number in write.droppedValues { seen.values[key(id, number)] = nil }
        guard mutation == .dropsValuesEarly else { return }
        for number in write.storedValues { seen.values[key(id, number)] = nil }
      }
    }
    var flow = withValues(stored)
    if isRetry, mutation == .retriesWithoutValues { flow.snapshot.values = [] }
    return flow
  }

  private func insert(_ write: FlowWrite) {
    if mutation == .forgetsNewValues, write.expecting != .none { return }
    seen.withLock { seen in
      for value in write.newValues where seen.values[key(write.id, value.number)] == nil {
        seen.values[key(write.id, value.number)] = value
      }
    }
  }
}
