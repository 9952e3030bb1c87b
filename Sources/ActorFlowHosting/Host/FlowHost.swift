public import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs many flows that outlive the process. Each change that a caller or reader may rely on is in a store before it
/// is announced, and a waiting flow is a row in the store, not a task in the process.
///
/// ```swift
/// let host = FlowHost(store: try await FileFlowStore(directory: directory))
/// let approvals = try await host.register(approval)
/// let running = Task { try await host.run() }  // fires timers, continues flows after a crash
///
/// let begun = try await approvals.start(id: "expense-17", with: Expense(purpose: "train", cents: 4_250))
/// ```
///
/// A flow is in memory while it has something to do. While it only waits, it is passivated: its step instances are
/// gone. When it is activated, they are made anew with their inputs, and their records and the answers that the visit
/// got are replayed. So a value that `backUp` or a later part of `proceed` needs must come from a record.
///
/// Requests work as soon as the flow's definition is registered. ``run()`` fires timers, activates flows that a crash
/// or another host left, and passivates all flows when it is cancelled. Without it, a host does only what is requested.
///
/// Every function may be called from any task. A function that changes a flow returns when the change is in the store.
public actor FlowHost {
  nonisolated let shared: HostContext
  nonisolated let owner: String
  var definitions = TextMap<[Int: Definition]>()
  var live: [FlowID: LiveFlow] = [:]
  /// The mutexes by which tasks take turns at loading, starting or deleting a flow.
  private var doors: [FlowID: Door] = [:]
  var isRunning = false
  var isStopping = false
  var polls = Polls()
  var epoch = HostEpoch()
  var wishes = Wishes()
  let wanted = WantedFlows()
  /// Whether the store is known to belong to this host's deployment.
  var hasRightDeployment = false
  /// The latest flow that was due and could not be activated.
  var lastRefusedFlow: Health.Failure?

  private struct Door {
    let mutex = AsyncMutex()
    var users = 0
  }

  /// Creates a host of the flows in a store.
  ///
  /// Only a ``LeasingFlowStore`` can be shared by several hosts. On any other store there must be one host at a time.
  /// Two hosts would both activate due flows, so effects might run twice, under one key, at the same moment. Each write
  /// is still a compare-and-swap, so no flow's state is mixed up. But the second write is refused, and callers may get
  /// ``FlowStoreError/Code/conflict``. Stop one host before you start the next, or use a store with leases.
  ///
  /// - Parameters:
  ///   - store: The store of the flows.
  ///   - clock: The clock that measures timers.
  ///   - owner: The host's name in leases, a different one for each host. A restarted host may have its old name: it
  ///     takes over at once what its former process held. If that process still runs, its host stops. At most 512
  ///     UTF-8 bytes, without U+0000: with another name the host leases no flow, and requests throw `badOptions`.
  public init(
    store: any FlowStore, clock: any WallClock = .system, owner: String = "host-\(FlowID.unique())"
  ) {
    self.init(shared: HostContext(store: store, clock: clock, owner: owner, options: Options()), owner: owner)
  }

  /// Creates a host of the flows in a store that works as the options say. Otherwise as ``init(store:clock:owner:)``.
  ///
  /// - Throws: A `FlowError` with the code `badOptions` if an option has a value that no host can work with. The error
  ///   names each such option, its value, and the allowed values.
  public init(
    store: any FlowStore, clock: any WallClock = .system, owner: String = "host-\(FlowID.unique())",
    options: Options
  ) throws {
    try options.check(owner: owner)
    self.init(
      shared: HostContext(store: store, clock: clock, owner: owner, options: options.bounded), owner: owner)
  }

  private init(shared: HostContext, owner: String) {
    (self.shared, self.owner) = (shared, owner)
  }
}

// MARK: - Flows in memory

extension FlowHost {
  /// Returns the flow in memory, loading it if needed. Give it back with ``release(_:)``.
  ///
  /// - Parameter leased: The flow with its lease, if it was leased already. The lease is given back if this throws.
  func take(_ id: FlowID, leased: LeasedFlow? = nil) async throws -> LiveFlow {
    while true {
      if let flow = live[id] {
        if await flow.enter() { return flow }
        await flow.isGoneOrOpen()
        do { try Task.checkCancellation() } catch {
          await giveBack(leased?.lease)
          throw error
        }
        continue
      }
      let opened: LiveFlow? = try await behindDoor(of: id) {
        guard live[id] == nil else { return nil }
        return try await open(id, leased)
      }
      if let opened { return opened }
    }
  }

  func release(_ flow: LiveFlow) async {
    flow.leave()
    // A flow that was only looked at has no task that would remove it.
    if !flow.isBegun, flow.close() { await remove(flow) }
  }

  /// Removes a flow from memory. The next caller that needs it loads it again.
  func remove(_ flow: LiveFlow) async {
    flow.beginReleasing()
    if flow.isBegun { shared.observation?.report(.passivated, of: flow.committer.subject) }
    // The lease of a flow that was deleted and started again is the new one's.
    if !flow.committer.hasReleased, live[flow.id] === flow { await giveBack(flow.lease) }
    if live[flow.id] === flow { live[flow.id] = nil }
    wishes.keptUntil[flow.id] = nil
    noteTimer(of: flow)
    flow.end()
    if epoch.isLeaving { await detach() }
  }

  /// Notes when the flow is to be activated again, as far as this host knows.
  private func noteTimer(of flow: LiveFlow) {
    guard let snapshot = flow.committer.stored?.snapshot else { return }
    var time: Date? =
      switch snapshot.status {
      case .runnable: shared.clock.now
      case .waiting: snapshot.wakeAt
      default: nil
      }
    // The store did not take the flow's last write, but may take it after a pause.
    if let failure = flow.committer.failure {
      time = time.map { max($0, shared.clock.date(after: shared.failurePause)) }
      // The last write may be in the store, and then only the store knows when the flow is due.
      if FlowStoreError.isUnknown(failure) { shared.poll(after: shared.failurePause) }
    }
    shared.changed(flow.id, wakeAt: time)
  }

  /// Runs `body`, one call at a time for each flow.
  func behindDoor<Result>(of id: FlowID, _ body: () async throws -> Result) async throws -> Result {
    var door = doors[id] ?? Door()
    door.users += 1
    doors[id] = door
    await door.mutex.lock()
    defer {
      door.mutex.unlock()
      doors[id]?.users -= 1
      if doors[id]?.users == 0 { doors[id] = nil }
    }
    return try await body()
  }

  /// Whether a task loads, starts or deletes the flow at this moment.
  func isBehindDoor(_ id: FlowID) -> Bool { doors[id] != nil }

  var isAnyBehindDoor: Bool { !doors.isEmpty }

  /// Puts a flow into memory as it is stored, in use, and runs nothing of it yet. Call it behind the flow's door.
  ///
  /// - Parameter claimed: The flow with its lease, which is given back if the flow cannot be in memory.
  func open(_ id: FlowID, _ claimed: LeasedFlow?) async throws -> LiveFlow {
    let flow = try await read(id, claimed)
    _ = await flow.enter()
    live[id] = flow
    yieldIfWanted(flow)
    return flow
  }

  private func read(_ id: FlowID, _ claimed: LeasedFlow?) async throws -> LiveFlow {
    if claimed == nil { try refuseStopping() }
    let leased = if let claimed { claimed } else { try await lease(of: id, running: true) }
    let lease = leased?.lease
    do {
      try refuseStopping()
      guard let loaded = if let leased { leased.flow } else { try await shared.store.load(id) } else {
        throw noSuchFlow(id)
      }
      let found = try await readState(of: loaded, fence: lease?.fence)
      let stored = try await indexedRight(loaded, found, fence: lease?.fence)
      let read = stored.revision == loaded.revision ? found : try shared.state(of: stored)
      let (definition, resolved) = try await resolved(
        stored, read, fence: lease?.fence, isClaimed: claimed != nil)
      var state = resolved
      state.format = max(state.format, try await shared.writtenFormat(like: stored.snapshot))
      // If the host has begun to stop meanwhile, it would not passivate a flow that is activated now.
      try refuseStopping()
      let committer = FlowCommitter(id, definition, stored, state, fence: lease?.fence, shared: shared)
      return LiveFlow(try coordinator(of: committer, committer.state), committer, lease)
    } catch {
      await giveBack(lease)
      throw error
    }
  }

  /// Returns the definition that a flow continues with, and its state there.
  ///
  /// A flow that fits none is stored as unmigrated, unless this host does not claim its version: in a rolling deploy
  /// hosts of another build run it, and leave alone what is unmigrated.
  ///
  /// - Parameter isClaimed: Whether the flow was claimed because it is due.
  private func resolved(
    _ stored: StoredFlow, _ state: HostedState, fence: Fence?, isClaimed: Bool
  ) async throws -> (Definition, HostedState) {
    do {
      var (definition, moved) = try resolve(stored, state)
      moved.unmigrated = nil
      return (definition, moved)
    } catch let error as FlowError {
      if state.machine.ending == nil, isClaimed || !shared.store.givesLeases || serves(stored.snapshot) {
        do { _ = try await shared.markUnmigrated(stored, state, because: error, fence: fence) } catch {
          // The caller gets the reason why the flow cannot be activated. The next activation marks it.
          shared.note(error, in: .marking, of: stored.id)
        }
      }
      throw error
    }
  }

  private func coordinator(of committer: FlowCommitter, _ state: HostedState) throws -> FlowCoordinator {
    let settings = settings(of: committer, state)
    guard state.machine.ending == nil else { return FlowCoordinator(id: committer.id, settings: settings) }
    do {
      let machine = try FlowMachine(
        state.machine, of: committer.id, names: committer.definition.names, codec: shared.values,
        at: Duration(from: state.startedAt, to: shared.clock.now))
      return FlowCoordinator(resuming: machine, settings: settings)
    } catch {
      throw FlowError(
        .unmigrated,
        "the definition \"\(committer.definition.name)\" version \(committer.definition.version) does not fit this flow: \(error)",
        flow: committer.id, step: error.problems.first?.step)
    }
  }

  /// - Parameter commit: Commits in the place of the committer: each decision at once, and without its events.
  nonisolated func settings(
    of committer: FlowCommitter, _ state: HostedState,
    committing commit: (@Sendable (FlowMachine) async throws -> Void)? = nil
  ) -> CoordinatorSettings {
    let (clock, startedAt) = (shared.clock, state.startedAt)
    let watch = PersistedStopwatch(
      elapsed: { Duration(from: startedAt, to: clock.now) },
      sleepUntil: { due, isForTimer in
        let end = startedAt.addingTimeInterval(due.wholeMicroseconds / .seconds(1))
        try await clock.sleep(until: end, isCounted: isForTimer)
      })
    var lastCommit: FlowPersistence.LastCommit?
    if shared.store.givesLeases, commit == nil {
      lastCommit = { machine, events, cause in
        try await committer.commitLast(machine, events, for: cause as? any TransactionalCause)
      }
    }
    var settings = CoordinatorSettings()
    let start = Duration.microseconds(startedAt.microseconds)
    settings.persistence = FlowPersistence(
      codec: shared.values, watch: watch, start: start, format: state.format,
      holding: commit == nil ? FlowPersistence.Holding(hold: committer.hold, flush: committer.flushHeld) : nil,
      lastCommit: lastCommit, observation: shared.observation?.code(of: committer.subject), trace: state.trace
    ) { error in
      await committer.markUnmigrated(because: error)
    } commit: { machine, events, cause in
      if let commit { return try await commit(machine) }
      try await committer.commit(machine, events, for: cause as? any TransactionalCause)
    }
    return settings
  }

  func refuseStopping() throws {
    guard isStopping else { return }
    throw FlowError(.hostStopping, "the host is stopping, or has stopped; send the request to another host")
  }

  nonisolated func noSuchFlow(_ id: FlowID) -> FlowError {
    FlowError(.noSuchFlow, "the store has no flow with this id", flow: id)
  }
}
