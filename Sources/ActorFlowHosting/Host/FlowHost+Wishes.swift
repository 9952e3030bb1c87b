import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The flows that hosts wish for: those that this host has to yield, and those that it waits for.
struct Wishes: Sendable {
  /// The flows that this host waits for, each with the events to signal when it is free.
  var waiting: [FlowID: [AsyncEvent]] = [:]
  /// The flows that this host has waited for, each with the date until which it does not yield them.
  var keptUntil: [FlowID: Date] = [:]
  /// The flows that another host wished for while this one was about to load them.
  var early: Set<FlowID> = []
  /// The due flows that could not be activated since the last poll; a change does not wake the host for them.
  var refused: Set<FlowID> = []
}

// The changes that other hosts make, and the flows that they wish for.
extension FlowHost {
  /// The time after which a flow is passivated for another host although a step may still be executing.
  static let yieldTime = Duration.seconds(1)
  /// The time for which a host does not yield a flow that it has waited for.
  static let keepTime = Duration.milliseconds(100)

  /// Reads the store's changes until the calling task is cancelled: activates flows that are due, tells requests that
  /// their flow is free, and yields flows that another host wishes for.
  func watchChanges() async {
    guard let changes = shared.store.changes else { return }
    await withDiscardingTaskGroup { group in
      for await change in changes {
        switch change {
        case .due(let id, let definition, let time):
          shared.store.wake(id)
          guard definitions[definition] != nil, live[id] == nil, !wishes.refused.contains(id) else { continue }
          shared.changed(id, wakeAt: time)
        case .freed(let id):
          shared.store.wake(id)
          for event in wishes.waiting[id] ?? [] { event.signal() }
        case .wanted(let id, let fence):
          guard fence == epoch.current?.fence, beginYielding(id) else { continue }
          group.addTask { await self.yield(id) }
        }
      }
    }
  }

  /// Asks for the flows that another host wishes for, and yields them, with every poll.
  func yieldWanted() async throws {
    guard let epoch = epoch.current else { return }
    for id in try await shared.store.wanted(under: epoch) where beginYielding(id) { wanted.signal(id) }
  }

  /// Yields the flows that a poll has found, until the calling task is cancelled.
  func yieldFound() async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        for id in await wanted.next() { group.addTask { await self.yield(id) } }
      }
    }
  }

  private func beginYielding(_ id: FlowID) -> Bool {
    if let flow = live[id] { return flow.beginYielding() }
    if isBehindDoor(id) { wishes.early.insert(id) }
    return false
  }

  /// Yields a flow that another host has wished for before the flow was in memory.
  func yieldIfWanted(_ flow: LiveFlow) {
    if wishes.early.remove(flow.id) != nil, flow.beginYielding() { wanted.signal(flow.id) }
  }

  /// Passivates a flow for another host: at once if it is at rest, and after a second if it has something open and no
  /// `once` is under way.
  private func yield(_ id: FlowID) async {
    guard let flow = live[id] else { return }
    if let time = wishes.keptUntil[id] { await shared.clock.rest(until: time) }
    flow.yield()
    while live[id] === flow, !Task.isCancelled {
      await wait(Self.yieldTime, for: flow.isGone)
      guard live[id] === flow, !Task.isCancelled else { return }
      if await flow.coordinator.passivateToYield() {
        flow.idle.signal()
        return
      }
    }
  }

  /// Waits until a flow is free that another host runs, for `time` at most.
  func waitUntilFree(_ id: FlowID, for time: Duration) async throws {
    let event = AsyncEvent()
    wishes.waiting[id, default: []].append(event)
    defer {
      wishes.waiting[id]?.removeAll { $0 === event }
      if wishes.waiting[id]?.isEmpty == true { wishes.waiting[id] = nil }
    }
    let clock = shared.clock
    let end = clock.date(after: time)
    await withTaskGroup { group in
      group.addTask { await clock.rest(until: end) }
      group.addTask { await event.wait() }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}

/// The flows that a poll has found wanted, for the task that yields them.
final class WantedFlows: Sendable {
  private let flows = Lock<[FlowID]>([])
  private let event = AsyncEvent()

  func signal(_ id: FlowID) {
    flows.withLock { $0.append(id) }
    event.signal()
  }

  /// Waits for flows, or until the calling task is cancelled.
  func next() async -> [FlowID] {
    await event.wait()
    return flows.withLock { flows in
      defer { flows = [] }
      return flows
    }
  }
}
