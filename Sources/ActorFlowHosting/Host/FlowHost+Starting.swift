import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FlowHost {
  func start<Input: Sendable>(
    _ definition: Definition, id: FlowID, with input: Input, as type: Input.Type, labels: [String: String],
    effectSeed: String?, again: Bool, trace: TraceContext = TraceContext(), by principal: Principal?,
    in pending: PendingWrite? = nil
  ) async throws -> FlowView {
    try PendingChanges.refuseBeside(id)
    try await allow(.request(.start), by: principal, on: id)
    return try await reporting(FlowWrite.Request(.start, by: principal?.id), on: id, definition, trace: trace) {
      try await namingErased(id) {
        try await startOnce(
          definition, id: id, with: input, as: type, labels: labels, effectSeed: effectSeed, again: again,
          trace: trace, by: principal, in: pending)
      }
    }
  }

  private func startOnce<Input: Sendable>(
    _ definition: Definition, id: FlowID, with input: Input, as type: Input.Type, labels: [String: String],
    effectSeed: String?, again: Bool, trace: TraceContext, by principal: Principal?, in pending: PendingWrite?
  ) async throws -> FlowView {
    try refuseStopping()
    let packed = try PackedValue(input, as: type, with: shared.values)
    guard trace.byteCount <= TraceContext.maximumBytes else {
      throw FlowError(
        .tooLarge,
        "the trace context has \(trace.byteCount) bytes, of at most \(TraceContext.maximumBytes); give only what joins the "
          + "flow's traces", flow: id)
    }
    do { try checkTexts(id, labels) } catch {
      // An earlier version may have started the flow.
      // If the store fails, too, the text's error is the one that the caller can mend.
      if let view = try? await known(id, definition, packed, as: type) { return view }
      throw error
    }
    var attempts = 0
    while true {
      if let view = try await known(id, definition, packed, as: type) { return view }
      if !again { try await refuseRemembered(id) }
      do {
        while let flow = live[id], flow.isReleasing { await flow.isGoneOrOpen() }
        return try await behindDoor(of: id) {
          // A host has one lease of a flow: a failed start would end that of the flow in memory. Only one that was
          // deleted, and of which a step still runs, needs its lease no more.
          if let flow = live[id], flow.committer.loss == nil || flow.isReleasing {
            throw FlowStoreError(.conflict, "the flow \(id.shown) is in memory already")
          }
          let bits = effectSeed.map(KeyBits.digest)
          let flow = try await begin(definition, id, input, packed, labels, trace, by: principal, bits, in: pending)
          let view = flow.committer.view
          await release(flow)
          guard let view else { throw noSuchFlow(id) }
          return view
        }
      } catch let error as FlowStoreError where error.code == .outcomeUnknown {
        // If the store has the flow by now, started with this input, the request was successful. If that cannot be
        // found out, the caller learns that the outcome is unknown.
        guard let view = try? await known(id, definition, packed, as: type) else { throw error }
        return view
      } catch let error as FlowStoreError where FlowStoreError.isTakenOver(error) {
        // Another caller has started or deleted the flow, or is about to.
        attempts += 1
        guard attempts < 5 else { throw outlasted(error) }
        try refuseStopping()
      }
    }
  }

  private func checkTexts(_ id: FlowID, _ labels: [String: String]) throws {
    guard !id.description.isEmpty else {
      throw FlowError(.notStorable, "the flow's id is empty; give it at least one character", flow: id)
    }
    try StoredText.check(id.description, "the flow's id", flow: id)
    for (key, value) in labels {
      guard key != Definition.label else {
        throw FlowError(.notStorable, "the label's key \"\(key)\" \(FlowMachine.reservation)", flow: id)
      }
      try StoredText.check(key, "the key of a label", flow: id)
      try StoredText.check(value, "the value of the label \"\(key)\"", flow: id)
    }
  }

  private func begin(
    _ definition: Definition, _ id: FlowID, _ input: any Sendable, _ packed: PackedValue, _ labels: [String: String],
    _ trace: TraceContext, by principal: Principal?, _ keyBits: KeyBits?, in pending: PendingWrite?
  ) async throws -> LiveFlow {
    let lease = try await lease(of: id)?.lease
    do {
      var state = HostedState(
        startedAt: shared.clock.now.stored, input: packed, format: try await shared.writtenFormat())
      try refuse(trace, of: id, in: state.format)
      state.trace = trace
      let key = try await keyReference(for: id, labels, in: state.format)
      let committer = FlowCommitter(
        id, definition, nil, state, fence: lease?.fence, shared: shared, labels: labels, key: key)
      let coordinator = FlowCoordinator(id: id, settings: settings(of: committer, state))
      try await coordinator.begin(
        definition.graph, with: input, by: principal, keyBits: keyBits,
        cause: HostRequest(.start, "", packed.bytes, by: principal, in: pending))
      let flow = LiveFlow(coordinator, committer, lease)
      _ = await flow.enter()
      live[id] = flow
      yieldIfWanted(flow)
      // If the host began to stop meanwhile, the flow stays in the store for another host.
      if !isStopping { begin(flow) }
      return flow
    } catch {
      await giveBack(lease)
      throw error
    }
  }

  /// Refuses a trace context that the format of stored flows cannot hold.
  private func refuse(_ trace: TraceContext, of id: FlowID, in format: UInt8) throws {
    guard format < 8, !trace.isEmpty else { return }
    throw FlowError(
      .notStorable,
      "a trace context needs format 8 of stored flows, and this store is written in format \(format): once every host "
        + "runs this version, set the host's option `writesFormat` to 8", flow: id)
  }

  /// Asks the codec for the key of a new flow.
  ///
  /// - Throws: The error of the codec; a `FlowError` if the reference cannot be stored.
  private func keyReference(
    for id: FlowID, _ labels: [String: String], in format: UInt8
  ) async throws -> String? {
    guard let key = try await shared.options.codec?.key(for: id, labels: labels) else { return nil }
    try StoredText.check(key, "the key reference that the codec returned", flow: id)
    guard format < 9 else { return key }
    throw FlowError(
      .notStorable,
      "a key reference needs format 9 of stored flows, and this store is written in format \(format): once every host "
        + "runs this version, set the host's option `writesFormat` to 9", flow: id)
  }

  /// Returns the flow of this id, if there is one. Throws `alreadyStarted` if its definition or its input is another
  /// one.
  private func known<Input>(
    _ id: FlowID, _ definition: Definition, _ input: PackedValue, as type: Input.Type
  ) async throws -> FlowView? {
    guard let stored = try await shared.store.load(id) else { return nil }
    let state = try shared.state(of: stored)
    guard !state.isRedacted else {
      throw FlowError(
        .alreadyStarted, "a flow with this id has ended and was redacted, so its input is not known any more", flow: id)
    }
    let isOfDefinition = stored.snapshot.definition.hasBytes(of: definition.name)
    guard isOfDefinition, isSame(state.input, input, as: type) else {
      throw FlowError(
        .alreadyStarted,
        isOfDefinition
          ? "a flow with this id was started with another input"
          : "the id belongs to a flow of the definition \"\(stored.snapshot.definition)\"",
        flow: id)
    }
    // The host that started the flow may have been stopped, so nothing may be running it.
    if stored.snapshot.status == .runnable { await goOn(id) }
    return FlowView(stored, state)
  }

  /// Activates a flow that a request has left runnable, as a poll would do later.
  func goOn(_ id: FlowID) async {
    do {
      let flow = try await take(id)
      begin(flow)
      await release(flow)
    } catch { shared.note(error, in: .activating, of: id) }
  }

  /// Returns whether two inputs are the same. Equal inputs may have different bytes: a `Set` is encoded in another
  /// order in each process. So inputs that are `Equatable` are compared as decoded values.
  private func isSame<Input>(_ stored: PackedValue, _ input: PackedValue, as type: Input.Type) -> Bool {
    if stored == input { return true }
    guard let type = type as? any (Decodable & Equatable).Type else { return false }
    return areEqual(stored, input, as: type)
  }

  private func areEqual<Input: Decodable & Equatable>(
    _ stored: PackedValue, _ input: PackedValue, as type: Input.Type
  ) -> Bool {
    // An input that cannot be read as this type is another one. The caller learns that as `alreadyStarted`.
    guard let old = try? StoredValue(stored, codec: shared.values).unpacked(as: type),
      let new = try? StoredValue(input, codec: shared.values).unpacked(as: type)
    else { return false }
    return old == new
  }
}
