import ActorFlow

// The way of a request: once for each key, on the flow as it is stored.
extension FlowHost {
  /// Does something to a flow, once for each key.
  ///
  /// - Parameters:
  ///   - evenStopped: Whether it may be done to a flow that stands still.
  ///   - evenEnded: Whether it may be done to a flow that has ended.
  func perform(
    _ request: HostRequest, on id: FlowID, evenStopped: Bool = false, evenEnded: Bool = false,
    _ body: (LiveFlow) async throws -> Void
  ) async throws -> FlowView {
    var attempts = 0
    while true {
      let flow = try await take(id)
      do {
        let view = try await perform(request, flow, evenStopped, evenEnded, body)
        await release(flow)
        return view
      } catch {
        let cause = flow.cause(of: error)
        let fate = request.fate.now
        var wasTaken = await flow.wasTaken(cause)
        if fate.isOpen, FlowStoreError.isUnknown(cause) { wasTaken = true }
        let isStale = await isStale(flow, after: error)
        // Nobody can do anything with it any more, not even who uses it besides.
        if wasTaken { await flow.retire(because: cause) }
        await release(flow)
        // Done by somebody else in that moment: then this is a repetition. What was done here may throw all the same.
        if (error as? FlowError)?.code != .rollbackFailed, let view = try view(of: flow, after: request) { return view }
        switch fate {
        case .open: break
        // Its own commit is in the store; only what came after it failed. It must not be done twice.
        case .stored:
          guard wasTaken || cause is FlowStoreError, let view = flow.ledger.view else { throw cause }
          return view
        case .unknown(let error):
          if let view = await view(of: id, after: request) { return view }
          throw error
        }
        attempts += 1
        if isStale, attempts < 5 { continue }
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
    guard request.givenKey?.utf8.count ?? 0 <= HostRequest.keyBytes else {
      throw FlowError(
        .tooLarge,
        "a key has at most \(HostRequest.keyBytes) bytes; of a longer text, make the key a digest", flow: flow.id)
    }
    let machine = flow.ledger.state.machine
    if !evenEnded, machine.ending != nil { throw hasEnded(flow) }
    if !evenStopped { try refuseStandingStill(flow) }
    // Who asks may have seen in the store what is not yet adopted here.
    if flow.isBegun { try await flow.coordinator.catchUp() }
    try await HostRequest.$current.withValue(request) { try await body(flow) }
    guard let view = flow.ledger.view else { throw noSuchFlow(flow.id) }
    return view
  }

  /// What is thrown to who asked for something again and again, when others came first each time.
  nonisolated func outlasted(_ error: any Error) -> any Error {
    if FlowStoreError.isUnknown(error) {
      return FlowStoreError(
        .unavailable, "the store fails again and again; of this request nothing was written", underlying: error)
    }
    guard error is CancellationError || FlowStoreError.isTakenOver(error) else { return error }
    return FlowStoreError(
      office.store.givesLeases ? .leased : .conflict,
      "other hosts take the flow from this one again and again; try it again in a while")
  }

  nonisolated func refuseStandingStill(_ flow: LiveFlow) throws {
    guard let fault = flow.ledger.state.machine.fault else { return }
    throw FlowError(
      .parked, "the step failed, and the flow stands still until `retry` or `abandon` is called: \(fault.error)",
      flow: flow.id, step: fault.step)
  }

  nonisolated func hasEnded(_ flow: LiveFlow) -> FlowError {
    let isUndone = flow.ledger.state.machine.failedPlaces.isEmpty
    return FlowError(
      .flowEnded,
      isUndone
        ? "the flow has ended; to go through it again, start one under an id of its own"
        : "the flow has ended, and some of what it did could not be undone; `retry` tries that again",
      flow: flow.id)
  }

  /// Whether a request was refused only because another host has written the flow, where nobody gives leases or the lease
  /// has run out unnoticed. It is read again then.
  private func isStale(_ flow: LiveFlow, after error: any Error) async -> Bool {
    guard error is FlowError, let stored = try? await office.store.load(flow.id) else { return false }
    // What this host writes itself is known by then.
    if flow.isBegun { try? await flow.coordinator.catchUp() }
    guard let known = flow.ledger.stored, known.revision < stored.revision else { return false }
    await flow.dismiss(FlowStoreError(.conflict, "another host has written the flow"))
    return true
  }

  /// The flow as it is in the store, if that says that the request was done; nil if it does not, or cannot be read.
  private func view(of id: FlowID, after request: HostRequest) async -> FlowView? {
    guard let key = request.key, let stored = try? await office.store.load(id),
      let state = try? office.state(of: stored), state.applied(key)?.digest == request.digest
    else { return nil }
    return FlowView(stored, state)
  }

  /// The flow, if the request was done before.
  ///
  /// - Throws: A `FlowError` with the code `keyReused` if its key came with another one.
  func view(of flow: LiveFlow, after request: HostRequest) throws -> FlowView? {
    guard let key = request.key, let applied = flow.ledger.applied(key) else { return nil }
    guard applied.digest == request.digest else {
      throw FlowError(
        .keyReused,
        "the key \"\(request.givenKey ?? key)\" came with another request before; each request has one of its own",
        flow: flow.id)
    }
    return flow.ledger.view
  }
}
