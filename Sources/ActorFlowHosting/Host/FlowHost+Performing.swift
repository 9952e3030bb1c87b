import ActorFlow

// The course of a request: it is applied once for each key, to the flow as it is stored.
extension FlowHost {
  /// Applies a request to a flow, once for each key.
  ///
  /// - Parameters:
  ///   - evenStopped: Whether the request may be applied to a flow that is suspended because a step failed.
  ///   - evenEnded: Whether the request may be applied to a flow that has ended.
  func perform(
    _ request: HostRequest, on id: FlowID, evenStopped: Bool = false, evenEnded: Bool = false,
    _ body: (LiveFlow) async throws -> Void
  ) async throws -> FlowView {
    try PendingChanges.refuseBeside(id)
    return try await reporting(request.described, on: id) {
      do { return try await performUntilDone(request, on: id, evenStopped, evenEnded, body) } catch let error
        as ErasedKey
      {
        // A guard of a prompt may have met the key of other data.
        guard await storeErasure(of: id) else { throw error }
        throw HostContext.erased(id)
      }
    }
  }

  private func performUntilDone(
    _ request: HostRequest, on id: FlowID, _ evenStopped: Bool, _ evenEnded: Bool,
    _ body: (LiveFlow) async throws -> Void
  ) async throws -> FlowView {
    var attempts = 0
    while true {
      let flow = try await take(id)
      do {
        let view = try await perform(request, flow, evenStopped, evenEnded, body)
        await release(flow)
        return view
      } catch is NotAtRest {
        await release(flow)
        try refuseStopping()
        attempts += 1
        guard attempts < 5 else { throw isNotAtRest(id) }
      } catch {
        let cause = flow.cause(of: error)
        let fate = request.fate
        var wasTaken = await flow.wasTaken(cause)
        if fate.isOpen, FlowStoreError.isUnknown(cause) { wasTaken = true }
        let standing = await standing(of: flow, after: error)
        // No request can succeed on the flow any more, so close it for its other users as well.
        if wasTaken { await flow.retire(because: cause) }
        await release(flow)
        // If another caller has applied the request meanwhile, this one is a repetition. An error of its own rollback
        // is still thrown.
        if (error as? FlowError)?.code != .rollbackFailed, let view = try view(of: flow, after: request) { return view }
        switch fate {
        case .open: break
        // The request's own commit is in the store; only later work failed. It must not be applied twice.
        case .stored:
          guard wasTaken || cause is FlowStoreError, let view = flow.committer.view else { throw cause }
          return view
        case .unknown(let error):
          if let view = await view(of: id, after: request) { return view }
          throw error
        }
        // Another request at this host was done: however many there are, this one comes after them. Calling failed
        // `backUp`s again sets the flow aside for itself.
        let isAfterAnother = flow.committer.isRetired || flow.isSetAside && request.kind != .compensateAgain
        if !wasTaken || !isAfterAnother { attempts += 1 }
        switch standing {
        case .isCurrent: break
        case .isStale: if attempts < 5 { continue }
        case .isUnknown(let failure): if !wasTaken { throw failure }
        }
        guard wasTaken else { throw cause }
        try Task.checkCancellation()
        try refuseStopping()
        guard attempts < 5 else { throw outlasted(cause) }
      }
    }
  }

  private func perform(
    _ request: HostRequest, _ flow: LiveFlow, _ evenStopped: Bool, _ evenEnded: Bool,
    _ body: (LiveFlow) async throws -> Void
  ) async throws -> FlowView {
    if let view = try view(of: flow, after: request) { return view }
    try request.checkKey(of: flow.id)
    let machine = flow.committer.state.machine
    if !evenEnded, machine.ending != nil { throw hasEnded(flow) }
    if !evenStopped { try refuseStandingStill(flow) }
    // The caller may have read a commit from the store that the coordinator has not adopted yet.
    if flow.isBegun { try await flow.coordinator.waitForCommits() }
    if request.needsRest { try await rest(of: flow) }
    try await body(flow)
    guard let view = flow.committer.view else { throw noSuchFlow(flow.id) }
    return view
  }

  /// Waits until a flow is at rest, before it is changed in a transaction. The flow is given up if the transaction is not
  /// settled, and an effect or a `backUp` that had ended by then would be begun again.
  private func rest(of flow: LiveFlow) async throws {
    guard await !flow.coordinator.isAtRest else { return }
    begin(flow)
    let time = shared.options.requestTime
    await wait(time, for: flow.coordinator.resting)
    guard await !flow.coordinator.isAtRest else { return }
    try Task.checkCancellation()
    if await flow.coordinator.isPassivated { throw CancellationError() }
    throw isNotAtRest(flow.id)
  }

  private nonisolated func isNotAtRest(_ id: FlowID) -> FlowError {
    FlowError(
      .moving,
      "the flow does not come to rest, so it cannot be changed in a transaction; try again later, or make the change "
        + "without `in:`", flow: id)
  }

  /// Returns the error for a request whose attempts all failed, mostly because other hosts took the flow each time.
  nonisolated func outlasted(_ error: any Error) -> any Error {
    if FlowStoreError.isUnknown(error) {
      return FlowStoreError(
        .unavailable, "the store failed in every attempt; nothing of this request was written", underlying: error)
    }
    guard error is CancellationError || FlowStoreError.isTakenOver(error) else { return error }
    return FlowStoreError(
      shared.store.givesLeases ? .leased : .conflict,
      "other hosts took the flow from this one in every attempt; repeat the request later")
  }

  nonisolated func refuseStandingStill(_ flow: LiveFlow) throws {
    guard let fault = flow.committer.state.machine.fault else { return }
    throw FlowError(
      .suspended, "a step failed, and the flow is suspended until `retry` or `abandon` is called: \(fault.error)",
      flow: flow.id, step: fault.step)
  }

  nonisolated func hasEnded(_ flow: LiveFlow) -> FlowError {
    let machine = flow.committer.state.machine
    let remedy = machine.ending == .finished ? "compensateAgain" : "retry"
    return FlowError(
      .flowEnded,
      machine.failedPlaces.isEmpty
        ? "the flow has ended; to run it again, start a flow with another id"
        : "the flow has ended, but some of its `backUp`s failed; call `\(remedy)` to run them again",
      flow: flow.id)
  }

  /// The relation of a flow in memory to the flow in the store.
  private enum Standing {
    case isCurrent
    case isStale
    /// The store does not answer.
    case isUnknown(any Error)
  }

  /// Finds out whether a request was refused only because another host has written the flow, so that it is to be read
  /// again. This happens on a store without leases, and when the lease has expired unnoticed.
  private func standing(of flow: LiveFlow, after error: any Error) async -> Standing {
    guard error is FlowError else { return .isCurrent }
    let stored: StoredFlow?
    do { stored = try await shared.store.load(flow.id) } catch { return .isUnknown(error) }
    // Wait for this host's own commits first, so that only another host's write can be newer.
    // Throws if the flow was passivated: then no commit is under way.
    if flow.isBegun { try? await flow.coordinator.waitForCommits() }
    guard let stored, let known = flow.committer.stored, known.revision < stored.revision else { return .isCurrent }
    await flow.dismiss(FlowStoreError(.conflict, "another host has written the flow"))
    return .isStale
  }

  /// Returns the flow as stored if the request was applied to it; `nil` if it was not, or if the flow cannot be read: the
  /// caller then learns that the outcome is unknown, and the store remembers and reports its error.
  private func view(of id: FlowID, after request: HostRequest) async -> FlowView? {
    guard let key = request.key, let stored = try? await shared.store.load(id),
      let state = try? shared.state(of: stored), state.applied(key)?.digest == request.digest
    else { return nil }
    return FlowView(stored, state)
  }

  /// Returns the flow if the request was applied before, or `nil` if not.
  ///
  /// - Throws: A `FlowError` with the code `keyReused` if the request's key came with another request.
  func view(of flow: LiveFlow, after request: HostRequest) throws -> FlowView? {
    guard try request.isApplied(to: flow.committer.state, of: flow.id) else { return nil }
    return flow.committer.view
  }
}
