import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stored state of one flow that is in memory, and the flow's only writer. The flow's coordinator commits here, one
/// input after the other.
final class FlowCommitter: Sendable {
  let id: FlowID
  let definition: Definition
  let shared: HostContext
  /// The labels for the flow's first snapshot.
  let labels: [String: String]
  /// The reference of the flow's key, which never changes; `nil` if the codec has named none.
  let keyReference: String?
  private let entry: Lock<Entry>
  private let before = Lock(PackedBefore())

  /// The decisions since the flow was stored, which acknowledge nothing.
  struct Held: Sendable {
    var snapshot: FlowSnapshot
    var state: HostedState
    /// The entries of the held events, oldest first.
    var history: [HistoryEntry]
  }

  private struct Entry: Sendable {
    /// The flow as it is stored; `nil` if it is about to be started.
    var stored: StoredFlow?
    var state: HostedState
    let fence: Fence?
    /// The changes whose commit waits for the next one.
    var held: Held?
    /// The history entry for a move to another version, until it is written.
    var arrival: HistoryEntry?
    /// The reason why nothing is written here any more, if there is one.
    var loss: (any Error)?
    /// Whether a request was written beside the coordinator, see ``retire()``.
    var isRetired = false
    /// The reason why the flow was passivated, if that is because it could not be written.
    var failure: (any Error)?
    /// Whether the last write has ended the lease.
    var hasReleased = false
    /// The flow in memory.
    var memory: FlowMemory?

    /// The history entries that the next write brings before its own.
    var pendingHistory: [HistoryEntry] { (arrival.map { [$0] } ?? []) + (held?.history ?? []) }
  }

  init(
    _ id: FlowID, _ definition: Definition, _ stored: StoredFlow?, _ state: HostedState, fence: Fence?,
    shared: HostContext, labels: [String: String] = [:], key: String? = nil
  ) {
    (self.id, self.definition, self.shared, self.labels) = (id, definition, shared, labels)
    keyReference = stored?.snapshot.keyReference ?? key
    var entry = Entry(stored: stored, state: state, fence: fence)
    if let old = stored?.snapshot.version, old != definition.version {
      // The entry's number comes before those of all that the flow does now.
      entry.state.machine.sequence += 1
      entry.arrival = HistoryEntry(
        sequence: entry.state.machine.sequence, at: shared.clock.now, what: "moved",
        step: Self.steps(of: state.machine).first, detail: "\(old) → \(definition.version)")
    }
    self.entry = Lock(entry)
  }

  /// The flow as it is stored, or `nil` before its first commit.
  var view: FlowView? {
    entry.withLock { entry in entry.stored.map { FlowView($0, entry.state) } }
  }

  /// Returns the flow as it was stored with this event, or `nil` if something else has been stored since.
  func view(at sequence: Int) -> FlowView? {
    entry.withLock { entry in
      guard entry.state.machine.sequence == sequence else { return nil }
      return entry.stored.map { FlowView($0, entry.state) }
    }
  }

  var stored: StoredFlow? { entry.withLock { $0.stored } }
  /// The flow as it is stored, with its state.
  var latest: (stored: StoredFlow?, state: HostedState) { entry.withLock { ($0.stored, $0.state) } }
  var state: HostedState { entry.withLock { $0.state } }
  var loss: (any Error)? { entry.withLock { $0.loss } }

  /// Drops the flow from memory because the outcome of its last write is not known, so that memory and store may
  /// disagree. Nothing is written from here any more; later requests read the flow anew.
  private func drop(because error: FlowStoreError) async {
    let loss = FlowStoreError(
      .conflict, "the outcome of the flow's last commit is unknown; the flow is read again", underlying: error)
    // No other host has the flow, so this is no loss to report.
    entry.withLock { entry in if entry.loss == nil { entry.loss = loss } }
    await stop(error)
  }

  /// The changes whose commit waits for the next one.
  var held: Held? { entry.withLock { $0.held } }

  /// The steps at which the flow stands in this process; `nil` before its first commit.
  var steps: [StepID]? { entry.withLock { ($0.held?.snapshot ?? $0.stored?.snapshot)?.steps } }

  /// Whether the flow has come to another version of its definition, and no commit has stored that yet.
  var isMoving: Bool { entry.withLock { $0.arrival != nil } }

  /// Holds changes back in place of earlier ones, which they include.
  ///
  /// - Throws: The reason why nothing is written here any more.
  func hold(_ held: Held) throws {
    try entry.withLock { entry in
      if let loss = entry.loss { throw loss }
      entry.held = held
    }
  }

  /// Ends all writing: later writes throw `error`.
  func lose(_ error: any Error) {
    let isFirst = entry.withLock { entry in
      defer { if entry.loss == nil { entry.loss = error } }
      return entry.loss == nil
    }
    if isFirst, FlowStoreError.isTakenOver(error) { shared.observation?.report(.leaseLost, of: subject) }
  }

  /// Whether a request was written beside the coordinator: the others are repeated.
  var isRetired: Bool { entry.withLock { $0.isRetired } }

  /// Ends all writing after a write beside the coordinator, which would decide from an outdated state.
  func retire() {
    entry.withLock { entry in
      guard entry.loss == nil else { return }
      entry.isRetired = true
      entry.loss = FlowStoreError(.conflict, "the flow was written beside its coordinator; it is read again")
    }
  }

  /// Notes the flow in memory, once there is one.
  func isInMemory(as memory: FlowMemory) { entry.withLock { $0.memory = memory } }

  /// The flow in memory.
  var memory: FlowMemory? { entry.withLock { $0.memory } }
  /// The fence of the flow's lease, if there is one.
  var fence: Fence? { entry.withLock { $0.fence } }
  /// Whether the last write has ended the lease.
  var hasReleased: Bool { entry.withLock { $0.hasReleased } }

  /// The reason why the flow was passivated, if that is because it could not be written.
  var failure: (any Error)? { entry.withLock { $0.failure } }

  /// Commits a machine for the coordinator.
  ///
  /// - Parameters:
  ///   - cause: The request, or the work in a transaction, whose effect this is.
  ///   - releases: Whether the flow's lease ends with the write.
  func commit(
    _ machine: FlowMachine, _ events: [NavigationEvent], for cause: (any TransactionalCause)?,
    releasing releases: Bool = false
  ) async throws {
    do { try await commit(machine, events, try packed(machine), for: cause, releasing: releases) } catch {
      // A request is refused: its caller gets the error, and nothing has changed.
      guard !(cause is HostRequest), !(error is RolledBackCommit) else {
        forgetPacked()
        throw error
      }
      // So it is with work in a transaction, which is rolled back with that.
      if cause?.pending != nil, let error = error as? FlowError {
        forgetPacked()
        throw RolledBackCommit(because: error)
      }
      await giveUp(error)
      throw error
    }
  }

  /// Passivates the flow because a change of its own cannot be committed; suspends it if that will not change.
  func giveUp(_ error: any Error) async {
    forgetPacked()
    switch (error as? FlowError)?.code {
    case .notStorable, .tooLarge: await standStill(because: error)
    default: await stop(error)
    }
  }

  private func forgetPacked() { _ = takeBefore() }

  /// Packs a machine. Commits come one after the other, so no other commit uses `before` meanwhile.
  func packed(_ machine: FlowMachine) throws -> MachineSnapshot {
    var before = takeBefore()
    defer { self.before.withLock { swap(&$0, &before) } }
    return try machine.snapshot(definition.names, with: shared.values, reusing: &before)
  }

  private func takeBefore() -> PackedBefore {
    before.withLock { before in
      defer { before = PackedBefore() }
      return before
    }
  }

  private func commit(
    _ machine: FlowMachine, _ events: [NavigationEvent], _ packed: MachineSnapshot,
    for cause: (any TransactionalCause)?, releasing releases: Bool
  ) async throws {
    let request = cause as? HostRequest
    let old = entry.withLock { $0 }
    try request?.refuseRepetition(after: old.state)
    if let first = events.first, first.sequence <= old.state.machine.sequence {
      // The host has written an entry under this number: the flow is suspended, or unmigrated.
      throw FlowStoreError(.conflict, "the flow was written beside its coordinator; it is read again")
    }
    let packed = packed.standing(as: old.state.machine)
    let isApplied = request?.key.map { old.state.applied($0) != nil } ?? true
    let status = Self.status(of: machine, packed)
    // An activated flow comes to wait where it waited before. That needs no commit unless its stored status differs.
    let isNews = status != .runnable && status != old.stored?.snapshot.status
    guard packed != old.state.machine || !events.isEmpty || !isApplied || isNews else { return }
    var state = old.state
    state.machine = packed
    if let request { state.apply(request) }
    let now = shared.clock.now
    var snapshot = try snapshot(
      of: machine, &state, at: now, tasks: old.stored?.snapshot.tasks ?? [], for: request)
    let isNote = request?.kind == .note && old.stored?.snapshot.status == .waiting
    if isNote, packed.differsOnlyInSequence(from: old.state.machine) {
      // A note activates no flow. The machine of a flow that is not active has not asked again yet.
      snapshot.status = .waiting
    }
    // The flow fits no version, so that only its records change.
    if old.state.unmigrated != nil, events.isEmpty { snapshot.status = .unmigrated }
    var history = events.map {
      HistoryEntry($0, at: now, tasks: old.stored?.snapshot.tasks ?? [], for: $0.change.isOwn ? nil : request)
    }
    // A buffered signal is not an event, because no step has received it yet; and a note is none.
    let last = events.last?.sequence ?? old.held?.state.machine.sequence ?? old.state.machine.sequence
    if let remark = request?.remark, packed.sequence > last {
      history.append(
        HistoryEntry(
          sequence: packed.sequence, at: now, what: remark.what, by: request?.principal,
          detail: remark.detail.isEmpty ? nil : remark.detail))
    }
    try await write(
      snapshot, state, after: old.stored, appending: history, for: cause, releasing: releases,
      leaving: StateLimit(machine, packed, after: old.state.machine, for: request).isLeave)
    shared.announce(events, of: id, isLast: machine.phase == .ended)
    shared.observation?.report(
      events, committedAs: snapshot.status, after: old.stored?.snapshot.tasks ?? [], by: request?.principal, of: subject
    )
  }

  /// Writes the flow, unless anything was written since `base`.
  ///
  /// - Parameters:
  ///   - releases: Whether the flow's lease ends with the write. Later writes then throw `conflict`, so that a request
  ///     that came meanwhile loads the flow again.
  ///   - leaves: Whether the write belongs to the way out of a step or of the flow.
  func write(
    _ snapshot: FlowSnapshot, _ state: HostedState, after base: StoredFlow?, appending history: [HistoryEntry],
    for cause: (any TransactionalCause)?, releasing releases: Bool = false, leaving leaves: Bool = false
  ) async throws {
    let request = cause as? HostRequest
    let now = entry.withLock { $0 }
    if let loss = now.loss { throw loss }
    await shared.keepLeases()
    let history = now.pendingHistory + history
    do {
      let write = FlowWrite(
        snapshot, to: id, expecting: base?.revision ?? .none, fence: now.fence, appending: history,
        carrying: request?.carried.map { [$0] } ?? [], releasing: releases,
        leaving: leaves, over: base?.snapshot.valueNumbers ?? [])
      let stored =
        if let pending = cause?.pending, pending.isOpen {
          try await shared.store.commit(write, of: state.trace, in: pending) { stored in
            try await pending.wait(
              showing: FlowView(stored, state), for: shared.options.pendingTime, by: shared.clock)
          }
        } else {
          try await shared.store.commit(write, of: state.trace)
        }
      entry.withLock { entry in
        entry.stored = stored
        entry.state = state
        entry.arrival = nil
        entry.held = nil
        guard releases else { return }
        entry.hasReleased = true
        if entry.loss == nil { entry.loss = FlowStoreError(.conflict, "the flow was released; it is read again") }
      }
      request?.isStored()
    } catch let error as FlowStoreError {
      switch error.code {
      case .unavailable: break
      case .tooLarge:
        throw FlowError(.tooLarge, "the flow is too large for the store", flow: id, underlying: [error])
      case .outcomeUnknown:
        request?.isUnknown(error)
        await drop(because: error)
      // Another host writes the flow, so later decisions here would start from an outdated state.
      default:
        if error.code == .fenced { shared.doubtEpoch() }
        lose(error)
      }
      throw error
    }
  }

  /// Stores that the flow is unmigrated, because the code of a step does not fit its stored answers, and passivates it.
  ///
  /// The flow stays as it was last stored: if it was about to move to another version, it does not.
  func markUnmigrated(because error: FlowError) async {
    await flushHeld()
    let (stored, fence, loss) = entry.withLock { ($0.stored, $0.fence, $0.loss) }
    if let stored, loss == nil {
      do {
        let marked = try await shared.markUnmigrated(stored, try shared.state(of: stored), because: error, fence: fence)
        entry.withLock { ($0.stored, $0.state, $0.arrival) = (marked.stored, marked.state, nil) }
      } catch let failure as FlowStoreError {
        if FlowStoreError.isUnknown(failure) { return await drop(because: failure) }
        if FlowStoreError.isTakenOver(failure) { lose(failure) }
        return await stop(failure)
      } catch { return await stop(error) }
    }
    await stop(error)
  }

  /// Passivates the flow because the store did not take the flow's own change. The step that happens to run has not
  /// failed: the flow is passivated before the step learns of the error, and activated again from its stored state. A
  /// request's error is thrown to its caller.
  func stop(_ error: any Error) async {
    let memory = entry.withLock { entry in
      // Later failures follow from the first one.
      if entry.failure == nil { entry.failure = error }
      return entry.memory
    }
    await memory?.passivate()
  }
}
