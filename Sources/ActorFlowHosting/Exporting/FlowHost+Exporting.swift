public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HostedFlow {
  /// Returns the flow with its whole history as the store has it, to be kept outside the store or brought into another one.
  ///
  /// No definition of the flow need be registered, and the codec is not asked. The result is the flow at one revision.
  ///
  /// - Throws: A `FlowError` with the code `noSuchFlow`. The error of the guard ``FlowHost/Options/access``, which is asked
  ///   for ``FlowHost/Verb/export``. ``FlowStoreError``; `conflict` if the flow changes all the time.
  public func export() async throws -> ExportedFlow {
    try await allow(.export)
    return try await host.export(id)
  }
}

extension FlowHost {
  /// The number of times that a flow is read if it changes meanwhile.
  private static let readings = 5
  private static let historyPage = 1_000

  func export(_ id: FlowID) async throws -> ExportedFlow {
    for _ in 0..<Self.readings {
      guard let flow = try await shared.store.load(id) else { throw noSuchFlow(id) }
      var history: [HistoryEntry] = []
      var page: [HistoryEntry]
      repeat {
        page = try await shared.store.storedHistory(
          of: id, after: history.last?.sequence ?? 0, limit: Self.historyPage)
        history += page
      } while page.count == Self.historyPage
      guard let now = try await shared.store.load(id) else { throw noSuchFlow(id) }
      if now == flow { return ExportedFlow(flow, history: history) }
    }
    throw FlowStoreError(
      .conflict, "the flow \(id.shown) changed each time it was read; export it when it waits")
  }

  /// Brings an exported flow into the store, where it waits for an operator.
  ///
  /// An open flow is suspended, however it stood before. Make sure that no host runs it on the old store any more, and then
  /// call ``HostedFlow/retry(reason:by:key:)``. Its timers are due when they were due. A flow that has ended stays as it
  /// is. The history gets the entry `imported`, with the principal and the reason.
  ///
  /// No definition of the flow need be registered. If the key of the flow was erased, it is brought in as it is, without
  /// the entry.
  ///
  /// - Parameters:
  ///   - exported: The flow.
  ///   - reason: The reason, for the history; at most 1,024 UTF-8 bytes.
  ///   - principal: The principal who imports it.
  /// - Returns: The flow as it is stored now.
  /// - Throws: A `FlowError`: `alreadyStarted` if the store has a flow of this id; it stays as it is. `notStorable` for an id
  ///   that cannot be stored. `tooLarge` for a reason that is too long. The error of the guard ``Options/access``, of the
  ///   codec, or of the store; ``FlowStoreError`` with the code `corrupted` for a flow that cannot be read.
  @discardableResult
  public func importFlow(
    _ exported: ExportedFlow, reason: String = "", by principal: Principal? = nil
  ) async throws -> FlowView {
    let id = exported.flow.id
    try HostRequest.check(reason, "the reason of an import", of: id)
    try StoredText.check(id.description, "the flow's id", flow: id)
    try await allow(.request(.import), by: principal, on: id)
    return try await reporting(FlowWrite.Request(.import, by: principal?.id), on: id) {
      while let flow = live[id], flow.isReleasing { await flow.isGoneOrOpen() }
      return try await behindDoor(of: id) {
        try refuseStopping()
        // A deleted flow stays in memory while a step of it runs, and needs its lease no more.
        if let flow = live[id], flow.committer.loss == nil || flow.isReleasing { throw isThere(id) }
        guard try await shared.store.load(id) == nil else { throw isThere(id) }
        // Removed here, so that it does not give back the import's lease when its step ends.
        live[id] = nil
        let lease = try await lease(of: id)?.lease
        do {
          let view = try await bringIn(exported, reason, principal, lease?.fence)
          await giveBack(lease)
          return view
        } catch {
          await giveBack(lease)
          throw error
        }
      }
    }
  }

  private func bringIn(
    _ exported: ExportedFlow, _ reason: String, _ principal: Principal?, _ fence: Fence?
  ) async throws -> FlowView {
    let flow = exported.flow
    var (snapshot, history) = (flow.snapshot, exported.history)
    var state: HostedState?
    do {
      var read = try shared.state(of: flow)
      try Self.check(history, of: read.machine.sequence)
      read.format = max(read.format, try await shared.writtenFormat())
      read.machine.sequence += 1
      let entry = HistoryEntry(
        sequence: read.machine.sequence, at: shared.clock.now, what: "imported", step: snapshot.steps.first,
        by: principal?.id, detail: reason.isEmpty ? nil : reason)
      if read.machine.ending == nil {
        suspend(&read, &snapshot)
      } else {
        snapshot.status = read.status(indexedAs: snapshot.status)
      }
      try shared.write(&read, to: &snapshot, of: flow.id)
      history.append(try shared.sealed(entry, of: flow.id, snapshot))
      state = read
    } catch is ErasedKey {
      // Nothing of the flow can be read, and so nothing of it can be changed.
    }
    let write = FlowWrite(
      snapshot, to: flow.id, expecting: .none, fence: fence, appending: history,
      carrying: [FlowWrite.Request(.import, by: principal?.id)])
    do {
      let stored = try await shared.store.commit(write, of: state?.trace ?? TraceContext(), inPlain: true)
      guard let state else { return try await erasedView(stored) }
      return FlowView(stored, state)
    } catch let error as FlowStoreError where error.code == .conflict {
      throw isThere(flow.id)
    }
  }

  /// Refuses a history whose numbers do not go with the flow's, so that later entries get numbers of their own.
  private static func check(_ history: [HistoryEntry], of sequence: Int) throws(FlowStoreError) {
    let numbers = history.map(\.sequence)
    let ascends = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    let isFitting = (numbers.first ?? 1) > 0 && ascends && (numbers.last ?? 0) <= sequence
    guard isFitting, sequence < mostEvents else {
      throw FlowStoreError(.corrupted, "the exported flow is damaged: the numbers of its history do not go with it")
    }
  }

  /// The number of events that no flow comes to.
  private static let mostEvents = 1 << 53

  /// Suspends an open flow until it is retried. A flow that is suspended already keeps its error.
  private func suspend(_ state: inout HostedState, _ snapshot: inout FlowSnapshot) {
    if state.machine.fault == nil {
      let error = FlowError(.suspended, "the flow was imported, and goes on when it is retried")
      state.machine.fault = PackedFault(step: snapshot.steps.first ?? "", error: StoredFailure(error))
    }
    if snapshot.status != .unmigrated { snapshot.status = .suspended }
  }

  private nonisolated func isThere(_ id: FlowID) -> FlowError {
    FlowError(
      .alreadyStarted,
      "the store has a flow of this id, so the exported one is not imported; the stored one is unchanged", flow: id)
  }
}
